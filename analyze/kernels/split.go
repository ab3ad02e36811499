package kernels

import (
	"cmp"
	"strconv"

	"mtrace/analyze"
)

// A Share is the part of a command buffer's GPU time that goes to one run of dispatches, or to an encoder without any.
type Share struct {
	Encoder    *analyze.Encoder // nil when the command buffer has none
	Channel    string           // of the GPU; "" when not known
	Kernel     string
	Variant    string         // which of several kernels of that name; "" when there is one
	Layer      *analyze.Layer // who dispatched; nil is the program itself
	Operation  analyze.Operation
	Dispatches int // 0 in all rows of an encoder but the first
	Threads    uint64
	Unsized    bool // Threads is not known
	GPU        analyze.Nanos
	Source     string // of GPU: Measured, Fitted or NotIdentified
	Whole      bool   // the time of the operation is the GPU's own: all that shares it is of this operation

	again bool // the encoder has an earlier row, with which its dispatches count
}

// Name is what the kernel is called in tables.
func (s *Share) Name() string { return s.row().String() }

// Measured says whether the time is the GPU's own.
func (s *Share) Measured() bool { return s.Source == Measured }

// Split divides the rows of GPU work of b, as far as they are in the window, among its dispatches: the parts add up
// to the rows exactly. A time that shares of several kernels have together is divided in proportion to what the run
// shows them to cost.
func Split(b *analyze.CommandBuffer, window analyze.Interval, costs *Costs) []Share {
	var s Splitter
	return s.Split(b, window, costs)
}

// A Splitter splits one command buffer after another in the same memory: there are millions.
type Splitter struct {
	shares []Share
	times  []measuredTime
	seen   []bool // encoders that had a row
}

// A measuredTime is one that the GPU's clock measured, of some shares together.
type measuredTime struct {
	from, to int // the shares
	took     analyze.Nanos
	alone    bool // all shares that take time are of one kernel
	whole    bool // all shares are of one operation
	fits     bool // it is what the work takes: not cut by the window, and nothing else is in it
}

// Split is what the function of that name is. The shares are valid until the next.
func (s *Splitter) Split(b *analyze.CommandBuffer, window analyze.Interval, costs *Costs) []Share {
	s.measure(b, window)
	for i := range s.times {
		t := &s.times[i]
		of := s.shares[t.from:t.to]
		costs.divide(of, t.took)
		for k := range of {
			of[k].Whole, of[k].Source = t.whole, Measured
			if !t.alone {
				of[k].Source = costs.source(&of[k])
			}
		}
	}
	for i := range s.shares {
		if costs.single[s.shares[i].Kernel] {
			s.shares[i].Variant = ""
		}
		if s.shares[i].again {
			s.shares[i].Dispatches, s.shares[i].Threads = 0, 0
		}
	}
	return s.shares
}

// measure finds the times of b in the window and what shares each of them.
func (s *Splitter) measure(b *analyze.CommandBuffer, window analyze.Interval) {
	s.shares, s.times, s.seen = s.shares[:0], s.times[:0], s.seen[:0]
	for work := range b.GPUWork() {
		within := work.Within(window)
		if work.Encoder == analyze.NoEncoder {
			s.measureTogether(b, within, within == work.Interval)
			continue
		}
		if len(s.seen) == 0 {
			s.seen = append(s.seen, make([]bool, len(b.Encoders))...)
		}
		from := len(s.shares)
		s.shares = inEncoder(s.shares, b, &b.Encoders[work.Encoder])
		again := s.seen[work.Encoder]
		for k := from; k < len(s.shares); k++ {
			s.shares[k].Channel, s.shares[k].again = work.Channel, again
		}
		s.add(from, within.Length(), true, within == work.Interval && len(b.Rows) == 0)
		s.seen[work.Encoder] = true
	}
}

// measureTogether finds the times in a row of all encoders of b: those of encoders that were measured, and what they
// leave to the others.
func (s *Splitter) measureTogether(b *analyze.CommandBuffer, within analyze.Interval, uncut bool) {
	total := within.Length()
	if len(b.Encoders) == 0 {
		s.shares = append(s.shares, Share{Kernel: Nothing, Operation: b.Operation(nil, nil)})
		s.add(len(s.shares)-1, total, true, false)
		return
	}
	lengths, rest, measured := measuredLengths(b, within)
	for i := range b.Encoders {
		if e := &b.Encoders[i]; e.GPU.Known() {
			from := len(s.shares)
			s.shares = inEncoder(s.shares, b, e)
			s.add(from, lengths[i], true, uncut && lengths[i] == e.GPU.Length())
		}
	}
	from := len(s.shares)
	for i := range b.Encoders {
		if e := &b.Encoders[i]; !e.GPU.Known() {
			s.shares = inEncoder(s.shares, b, e)
		}
	}
	if len(s.shares) > from {
		s.add(from, rest, measured == 0, uncut && measured == 0)
	}
}

// add adds a time of the shares from a place on. What is left by others is nobody's alone.
func (s *Splitter) add(from int, took analyze.Nanos, certain, fits bool) {
	of := s.shares[from:]
	alone, whole := certain && oneKernel(of), certain && oneOperation(of)
	s.times = append(s.times, measuredTime{from, len(s.shares), took, alone, whole, fits})
}

// measuredLengths are the times of the encoders that were measured, in the part of b's time that counts, and what
// they leave of it. Encoders that ran at the same time share it.
func measuredLengths(b *analyze.CommandBuffer, within analyze.Interval) (
	lengths []analyze.Nanos, rest analyze.Nanos, measured int) {
	sum := analyze.Nanos(0)
	for i := range b.Encoders {
		if gpu := b.Encoders[i].GPU; gpu.Known() {
			if lengths == nil {
				lengths = make([]analyze.Nanos, len(b.Encoders))
			}
			lengths[i] = analyze.Interval{Begin: max(gpu.Begin, within.Begin), End: min(gpu.End, within.End)}.Length()
			sum += lengths[i]
			measured++
		}
	}
	total := within.Length()
	if sum <= total {
		return lengths, total - sum, measured
	}
	upTo, given := analyze.Nanos(0), analyze.Nanos(0)
	for i := range lengths {
		upTo += lengths[i]
		until := min(total, analyze.Nanos(float64(total)*(float64(upTo)/float64(sum))))
		if upTo == sum {
			until = total
		}
		lengths[i], given = until-given, until
	}
	return lengths, 0, measured
}

// inEncoder appends what an encoder of b did, without times.
func inEncoder(shares []Share, b *analyze.CommandBuffer, e *analyze.Encoder) []Share {
	before := len(shares)
	for d := range e.Runs() {
		name := Unknown
		switch {
		case d.Opaque:
			name = Opaque
		case d.Pipeline != nil:
			name = cmp.Or(d.Pipeline.Kernel, d.Pipeline.Label, Unknown)
		}
		shares = append(shares, Share{Encoder: e, Kernel: name, Variant: variantOf(d.Pipeline), Layer: d.Layer,
			Operation: b.Operation(e, d), Dispatches: d.Count, Threads: d.Threads, Unsized: d.Unsized})
	}
	if len(shares) > before {
		return shares
	}
	if e.Copies == 0 && e.Label != "" && e.GPU.Known() {
		// Instruments records encoders, not what was dispatched in them: they go by their labels.
		name := "encoder " + strconv.Quote(e.Label)
		return append(shares, Share{Encoder: e, Kernel: name, Operation: b.Operation(e, nil), Dispatches: 1})
	}
	name := Nothing
	switch {
	case e.Copies > 0 || e.Kind == analyze.EncoderBlit:
		name = Copies
	case e.Kind == analyze.EncoderRender:
		name = Render
	}
	return append(shares, Share{Encoder: e, Kernel: name, Layer: e.Layer, Operation: b.Operation(e, nil)})
}

// oneKernel says whether all shares that take time are of one kernel.
func oneKernel(shares []Share) bool {
	first := -1
	for i := range shares {
		switch {
		case !shares[i].works():
		case first < 0:
			first = i
		case shares[i].row() != shares[first].row():
			return false
		}
	}
	return true
}

func oneOperation(shares []Share) bool {
	for i := range shares {
		if shares[i].Operation != shares[0].Operation {
			return false
		}
	}
	return true
}
