// Package kernels says which kernels the GPU's time went to, and which are always dispatched back to back.
package kernels

import (
	"cmp"
	"slices"
	"strconv"

	"mtrace/analyze"
)

// Names of what is not a kernel. They stand for the GPU time of command buffers and encoders that dispatched none.
const (
	Copies  = "(copies)"
	Render  = "(render)"
	Unknown = "(kernel not known)"
	Opaque  = "indirect command buffer" // filled by the GPU, or by whom is not known
	Nothing = "(no work recorded)"
)

// A Share is the part of a command buffer's GPU time that goes to one run of dispatches, or to an encoder without any.
type Share struct {
	Encoder    *analyze.Encoder // nil when the command buffer has none
	Channel    string           // of the GPU; "" when not known
	Kernel     string
	Layer      *analyze.Layer // who dispatched; nil is the program itself
	Operation  analyze.Operation
	Dispatches int
	Threads    uint64
	Unsized    bool // Threads is not known
	GPU        analyze.Nanos
	Measured   bool // the time is the GPU's own; otherwise it was split in proportion to the threads dispatched
	Whole      bool // the time of the operation is the GPU's own: all that shares it is of this operation
}

// Split divides the rows of GPU work of b, as far as they are in the window, among its dispatches: the parts add up to the rows exactly.
// A row of one encoder is that encoder's, split in proportion to the threads dispatched. Of one that stands for all encoders, times that
// were measured are taken as they are, and what they leave goes to those that were not.
func Split(b *analyze.CommandBuffer, window analyze.Interval) []Share {
	var s Splitter
	return s.Split(b, window)
}

// A Splitter splits one command buffer after another in the same memory: there are millions.
type Splitter struct {
	shares    []Share
	estimated []Share
	seen      []bool // encoders whose dispatches are counted: the stages of one encoder are several rows
}

// Split is what the function of that name is. The shares are valid until the next.
func (s *Splitter) Split(b *analyze.CommandBuffer, window analyze.Interval) []Share {
	s.shares, s.seen = s.shares[:0], s.seen[:0]
	for row := range b.GPUWork() {
		within := row.Within(window)
		if row.Encoder == analyze.NoEncoder {
			s.estimate(b, within)
			continue
		}
		if len(s.seen) == 0 {
			s.seen = append(s.seen, make([]bool, len(b.Encoders))...)
		}
		from := len(s.shares)
		s.shares = inEncoder(s.shares, b, &b.Encoders[row.Encoder])
		of := s.shares[from:]
		divide(of, within.Length())
		measured, whole := oneKernel(of), oneOperation(of)
		for k := range of {
			of[k].Measured, of[k].Whole, of[k].Channel = measured, whole, row.Channel
			if s.seen[row.Encoder] {
				of[k].Dispatches, of[k].Threads = 0, 0
			}
		}
		s.seen[row.Encoder] = true
	}
	return s.shares
}

// estimate divides a time of all encoders of b among them.
func (s *Splitter) estimate(b *analyze.CommandBuffer, within analyze.Interval) {
	total := within.Length()
	if len(b.Encoders) == 0 {
		s.shares = append(s.shares, Share{Kernel: Nothing, Operation: b.Operation(nil, nil), GPU: total, Measured: true, Whole: true})
		return
	}
	lengths, rest, measured := measuredLengths(b, within)
	s.estimated = s.estimated[:0]
	for i := range b.Encoders {
		e := &b.Encoders[i]
		if !e.GPU.Known() {
			s.estimated = inEncoder(s.estimated, b, e)
			continue
		}
		from := len(s.shares)
		s.shares = inEncoder(s.shares, b, e)
		of := s.shares[from:]
		divide(of, lengths[i])
		one, whole := oneKernel(of), oneOperation(of)
		for k := range of {
			of[k].Measured, of[k].Whole = one, whole
		}
	}
	divide(s.estimated, rest)
	one, whole := measured == 0 && oneKernel(s.estimated), measured == 0 && oneOperation(s.estimated)
	for k := range s.estimated {
		s.estimated[k].Measured, s.estimated[k].Whole = one, whole
	}
	s.shares = append(s.shares, s.estimated...)
}

// measuredLengths are the times of the encoders that were measured, in the part of b's time that counts, and what they leave of it.
// Encoders that ran at the same time share it.
func measuredLengths(b *analyze.CommandBuffer, within analyze.Interval) (lengths []analyze.Nanos, rest analyze.Nanos, measured int) {
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
		shares = append(shares, Share{Encoder: e, Kernel: name, Layer: d.Layer, Operation: b.Operation(e, d), Dispatches: d.Count, Threads: d.Threads, Unsized: d.Unsized})
	}
	if len(shares) > before {
		return shares
	}
	if e.Copies == 0 && e.Label != "" && e.GPU.Known() {
		// Instruments records encoders, not what was dispatched in them: they go by their labels.
		return append(shares, Share{Encoder: e, Kernel: "encoder " + strconv.Quote(e.Label), Operation: b.Operation(e, nil), Dispatches: 1})
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

func oneKernel(shares []Share) bool {
	for i := range shares {
		if shares[i].Kernel != shares[0].Kernel {
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

// meanThreads is how many threads a dispatch has on average, of those of which it is known.
func meanThreads(shares []Share) float64 {
	sum, sized := 0.0, 0
	for i := range shares {
		if !shares[i].Unsized && shares[i].Dispatches > 0 {
			sum += float64(max(1, shares[i].Threads))
			sized += shares[i].Dispatches
		}
	}
	if sized == 0 {
		return 1
	}
	return sum / float64(sized)
}

// weight is what a share counts in an estimate: its threads. Dispatches of which only the GPU knows how many threads they have count as much
// as the others do on average.
func (s *Share) weight(mean float64) float64 {
	if s.Unsized {
		return mean * float64(max(1, s.Dispatches))
	}
	return float64(max(1, s.Threads))
}

// divide gives each share its part of total; what is rounded away goes on to the next, so that nothing is lost.
func divide(shares []Share, total analyze.Nanos) {
	mean, sum := meanThreads(shares), 0.0
	for i := range shares {
		sum += shares[i].weight(mean)
	}
	upTo, given := 0.0, analyze.Nanos(0)
	for i := range shares {
		upTo += shares[i].weight(mean)
		until := analyze.Nanos(float64(total) * (upTo / sum))
		if i == len(shares)-1 {
			until = total
		}
		until = min(max(until, given), total)
		shares[i].GPU = until - given
		given = until
	}
}

// A Kernel sums what one kernel did.
type Kernel struct {
	Name        string
	Dispatches  int
	GPU         analyze.Nanos
	Share       float64 // of all GPU time
	Measured    bool    // all of GPU is
	MeanThreads float64
	Buffers     int          // command buffers it was in
	Layers      []string     // by whom it was dispatched: names of layers, each once
	Operations  []*Operation // that it was run for, those with the most GPU time first

	threads float64 // of all dispatches
}

// Summarize sums over all command buffers; the most GPU time comes first. The kernels' times add up to the rows of GPU work.
func Summarize(t *analyze.Trace) []*Kernel {
	s := NewSum(t)
	return s.Kernels()
}

// A Sum sums what the kernels of a trace did, or of several parts of one.
type Sum struct {
	by     map[string]*Kernel
	list   []*Kernel // as they first came
	Timing Timing

	operations map[operationOf]*Operation
	named      []operationOf // as they first came
}

// NewSum sums over all command buffers.
func NewSum(t *analyze.Trace) *Sum {
	sum := &Sum{by: map[string]*Kernel{}, Timing: TimingOf(t), operations: map[operationOf]*Operation{}}
	var split Splitter
	for b := range t.Buffers() {
		last, began := "", t.Began(b.GPU.Begin)
		shares := split.Split(b, t.Window)
		for i := range shares {
			s := &shares[i]
			k := sum.kernel(s.Kernel)
			k.layer(s.Layer.Name())
			k.GPU += s.GPU
			k.Measured = k.Measured && s.Measured
			o := sum.operation(operationOf{s.Operation, s.Kernel})
			o.GPU += s.GPU
			o.Measured = o.Measured && s.Whole
			if !began {
				continue
			}
			o.Dispatches += s.Dispatches
			k.Dispatches += s.Dispatches
			k.threads += float64(s.Threads)
			if last != s.Kernel {
				k.Buffers++
				last = s.Kernel
			}
		}
	}
	return sum
}

func (s *Sum) kernel(name string) *Kernel {
	k := s.by[name]
	if k == nil {
		k = &Kernel{Name: name, Measured: true}
		s.by[name] = k
		s.list = append(s.list, k)
	}
	return k
}

// layer notes by whom it was dispatched.
func (k *Kernel) layer(name string) {
	if !slices.Contains(k.Layers, name) {
		k.Layers = append(k.Layers, name)
	}
}

// Add adds the sum of the part that comes next.
func (s *Sum) Add(part *Sum) {
	for _, p := range part.list {
		k := s.kernel(p.Name)
		for _, name := range p.Layers {
			k.layer(name)
		}
		k.Dispatches += p.Dispatches
		k.GPU += p.GPU
		k.Measured = k.Measured && p.Measured
		k.threads += p.threads
		k.Buffers += p.Buffers
	}
	s.addOperations(part)
	s.Timing.add(part.Timing)
}

// Kernels are the kernels of the sum, those with the most GPU time first.
func (s *Sum) Kernels() []*Kernel {
	var total analyze.Nanos
	for _, k := range s.list {
		total += k.GPU
	}
	s.giveOperations(total)
	for _, k := range s.list {
		if total > 0 {
			k.Share = float64(k.GPU) / float64(total)
		}
		if k.Dispatches > 0 {
			k.MeanThreads = k.threads / float64(k.Dispatches)
		}
	}
	slices.SortStableFunc(s.list, func(a, b *Kernel) int { return cmp.Or(cmp.Compare(b.GPU, a.GPU), cmp.Compare(a.Name, b.Name)) })
	return s.list
}
