package kernels

import (
	"cmp"
	"strconv"

	"mtrace/analyze"
)

// A Share is the part of a command buffer's GPU time that belongs to a sequence of equal dispatches, or to an encoder
// without dispatches.
type Share struct {
	Encoder    *analyze.Encoder // nil if the command buffer has none
	Channel    string           // the GPU's channel, such as Compute; "" when not known
	Kernel     string
	Variant    string         // distinguishes kernels of that name; "" if there is only one
	Layer      *analyze.Layer // layer that dispatched; nil for the program itself
	Operation  analyze.Operation
	Dispatches int // 0 in further rows of an encoder (other channels), because the first row counts them
	Threads    uint64
	Unsized    bool // Threads is not known
	GPU        analyze.Nanos
	Source     string // Measured, Fitted or NotIdentified
	Whole      bool   // the GPU measured the operation's time: all shares of that time belong to this operation

	again bool // the encoder has an earlier row, in which its dispatches are counted
}

// Name returns the name in tables of the kernel, or of the work without a kernel.
func (s *Share) Name() string { return s.row().String() }

// Measured reports whether the GPU's clock measured the share's time by itself.
func (s *Share) Measured() bool { return s.Source == Measured }

// Split divides the GPU time of command buffer b within the window among its dispatches. The parts add up exactly. A
// time that several kernels share is divided in proportion to their estimated costs.
func Split(b *analyze.CommandBuffer, window analyze.Interval, costs *Costs) []Share {
	var s Splitter
	return s.Split(b, window, costs)
}

// A Splitter splits one command buffer after another. It reuses its memory, because there may be millions.
type Splitter struct {
	shares []Share
	times  []measuredTime
	seen   []bool // the encoders that have a row

	// used only without costs: the variants of kernels so far, by name, and whether a command buffer could not be split
	variants map[string]string
	unsure   bool
}

// A measuredTime is a time that the GPU's clock measured, for one share or for several together.
type measuredTime struct {
	from, to int // the shares
	took     analyze.Nanos
	alone    bool // all shares that take time belong to one kernel
	whole    bool // all shares belong to one operation
	fits     bool // the time belongs to its shares only, and is complete: the window did not cut it
}

// Split divides the GPU time of command buffer b within the window among its dispatches, as the function Split does.
// The shares are valid only until the next call. costs may be nil; see NeedsCosts.
func (s *Splitter) Split(b *analyze.CommandBuffer, window analyze.Interval, costs *Costs) []Share {
	s.measure(b, window)
	for i := range s.times {
		t := &s.times[i]
		of := s.shares[t.from:t.to]
		switch {
		case len(of) == 1:
			of[0].GPU = t.took
		case costs != nil:
			costs.divide(of, t.took)
		case alike(of):
			of[0].GPU = t.took
		default:
			s.unsure = true
		}
		for k := range of {
			of[k].Whole, of[k].Source = t.whole, Measured
			switch {
			case t.alone:
			case costs != nil:
				of[k].Source = costs.source(&of[k])
			default:
				s.unsure = true
			}
		}
	}
	for i := range s.shares {
		if s.single(&s.shares[i], costs) {
			s.shares[i].Variant = ""
		}
		if s.shares[i].again {
			s.shares[i].Dispatches, s.shares[i].Threads = 0, 0
		}
	}
	return s.shares
}

// alike reports whether the shares have the same kernel, layer, operation and encoder label. Outputs group shares by
// these, so they add up alike shares, and it does not matter how the shares' common time is divided.
func alike(shares []Share) bool {
	first := &shares[0]
	for i := range shares[1:] {
		s := &shares[i+1]
		if s.row() != first.row() || s.Layer != first.Layer || s.Operation != first.Operation ||
			(s.Encoder == nil) != (first.Encoder == nil) || s.Encoder != nil && s.Encoder.Label != first.Encoder.Label {
			return false
		}
	}
	return true
}

// single reports whether the share's kernel is the only one of its name, so that no variant needs to be shown. Without
// costs it is assumed to be, until another variant is found.
func (s *Splitter) single(of *Share, costs *Costs) bool {
	if costs != nil {
		return costs.single[of.Kernel]
	}
	variant, known := s.variants[of.Kernel]
	switch {
	case s.variants == nil:
		s.variants = map[string]string{of.Kernel: of.Variant}
	case !known:
		s.variants[of.Kernel] = of.Variant
	case variant != of.Variant:
		s.unsure = true
	}
	return true
}

// NeedsCosts reports whether Split was called without costs for a command buffer that needs them: several kernels
// share one of its times, or a kernel's name has variants. All shares are wrong then.
func (s *Splitter) NeedsCosts() bool { return s.unsure }

// measure fills s.times with the measured times of command buffer b within the window, and s.shares with the shares
// to which these times belong.
func (s *Splitter) measure(b *analyze.CommandBuffer, window analyze.Interval) {
	s.shares, s.times, s.seen = s.shares[:0], s.times[:0], s.seen[:0]
	for work := range b.GPUWork() {
		within := work.Intersect(window)
		if b.Failed() {
			s.shares = append(s.shares, Share{Kernel: Failed})
			s.add(len(s.shares)-1, within.Length(), true, false)
			continue
		}
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

// measureTogether handles a time that covers all encoders of b. It subtracts the times of the encoders that the GPU
// measured separately; the rest belongs to the other encoders.
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

// add adds a measured time for the shares s.shares[from:]. `certain` is false for the remainder of a command buffer's
// time after its separately measured encoders. The remainder also contains gaps between encoders, so it never counts as
// one kernel's own time. `fits` tells whether the fit of kernel costs may use the time; see measuredTime.
func (s *Splitter) add(from int, took analyze.Nanos, certain, fits bool) {
	of := s.shares[from:]
	alone, whole := certain && oneKernel(of), certain && oneOperation(of)
	s.times = append(s.times, measuredTime{from, len(s.shares), took, alone, whole, fits})
}

// measuredLengths returns the times of the encoders that the GPU measured separately, cut to `within`, and the rest
// for the other encoders. If encoders ran at the same time, their times are reduced until their sum fits.
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

// inEncoder appends the shares of encoder e, still without times: one for each sequence of equal dispatches, or one
// for the whole encoder.
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
		// Instruments records encoders but not their dispatches, so the encoder's label takes the place of a kernel's
		// name
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

// oneKernel reports whether all shares that take GPU time belong to the same kernel. Then their time is that kernel's
// own.
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
