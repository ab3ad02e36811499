// Package kernels finds the kernels that use the GPU's time, and kernels that are always dispatched back to back.
package kernels

import (
	"cmp"
	"slices"

	"mtrace/analyze"
)

// Names in the table of kernels for GPU time that belongs to no known kernel.
const (
	Copies  = "(copies)"
	Render  = "(render)"
	Unknown = "(kernel not known)"
	Opaque  = "indirect command buffer" // filled by the GPU, or with unknown commands
	Nothing = "(no work recorded)"
	Failed  = "(failed command buffers)" // their GPU time says nothing about the cost of their kernels
)

// A Kernel is the total of what one kernel did in the run.
type Kernel struct {
	Name        string
	Variant     string // distinguishes functions of that name: source and constants; "" when not known
	Dispatches  int
	GPU         analyze.Nanos // if NotIdentified, a value between Low and High with which all kernels add up
	Low, High   analyze.Nanos // bounds of GPU
	Source      string        // source of GPU: Measured, Fitted or NotIdentified
	Rank        int           // 1 is the most GPU time; equal where intervals overlap, 0 where not identified
	Share       float64       // share of all GPU time
	MeanThreads float64
	Buffers     int          // number of command buffers with the kernel
	Layers      []string     // names of the framework layers that dispatched it, each once
	Operations  []*Operation // the operations for which it ran, most GPU time first

	threads float64       // sum of the threads of all dispatches
	alone   analyze.Nanos // sum of the measured times in which only this kernel ran
	within  int           // number of encoders that the times in alone cover
	shared  analyze.Nanos // sum of the measured times in which other kernels ran too
	beyond  bool          // the fit had no column left for this kernel, so its cost is not fitted
}

// Summarize returns the kernels of a trace, those with the most GPU time first and those whose time is not identified
// last. Their times add up to all GPU work in the trace.
func Summarize(t *analyze.Trace) []*Kernel {
	s := NewSum(t)
	return s.Kernels()
}

// A Sum adds up the kernels of a trace, or of several ranges of a run.
type Sum struct {
	Timing Timing

	by     map[row]*Kernel
	list   []*Kernel // in the order of their first occurrence
	fit    *fit
	length lengths
	uses   []float64     // how often each column of the fit occurs in measured times that several kernels share
	shared analyze.Nanos // sum of the measured times that several kernels share
	named  named
	costs  *Costs // nil until they are computed
}

// NewSum adds up the kernels of all command buffers of a trace.
func NewSum(t *analyze.Trace) *Sum {
	sum := &Sum{by: map[row]*Kernel{}, fit: newFit(), Timing: TimingOf(t), named: newNamed()}
	sum.fit.renumbers = sum.renumber
	var split Splitter
	for b := range t.Buffers() {
		split.measure(b, t.TimeRange)
		began := t.Began(b.GPU.Begin)
		for i := range split.times {
			measured := &split.times[i]
			sum.take(measured, split.shares[measured.from:measured.to], began)
		}
		if began {
			sum.count(split.shares)
		}
	}
	return sum
}

// take adds a measured time with its shares. `began` is true if the command buffer began in this time range of the
// run. Otherwise the previous range counts the dispatches, and take adds only the time.
func (s *Sum) take(t *measuredTime, shares []Share, began bool) {
	fits := t.fits && began
	for i := range shares {
		x := &shares[i]
		k := s.kernel(x.row())
		k.layer(x.Layer.Name())
		x.uses(func(u use) {
			n, times := s.fit.number(u.column)
			u.count *= times
			if n < 0 {
				fits, k.beyond = false, true
				return
			}
			s.fit.use(n, u.count)
			if began && !x.again {
				for len(s.uses) <= n {
					s.uses = append(s.uses, 0)
				}
				if !t.alone {
					s.uses[n] += u.count
				}
			}
			s.named.use(x, n, u.count, t, began)
		})
	}
	encoders := encodersOf(shares)
	s.fit.observe(t.took, encoders, fits)
	if t.fits && began {
		s.length.count(t.took, encoders)
	}
	s.named.take(shares, t)
	if t.alone {
		k := s.kernel(worker(shares).row())
		k.alone += t.took
		if began && k.Name != Failed {
			k.within += encoders
		}
		return
	}
	s.shared += t.took
	for i := range shares {
		if !slices.ContainsFunc(shares[:i], func(o Share) bool { return o.row() == shares[i].row() }) {
			s.kernel(shares[i].row()).shared += t.took
		}
	}
}

// worker returns the share to which a time is attributed: the first share that takes GPU time, or the first of all if
// none does.
func worker(shares []Share) *Share {
	for i := range shares {
		if shares[i].works() {
			return &shares[i]
		}
	}
	return &shares[0]
}

// count adds the dispatches of one command buffer to their kernels, and adds the command buffer to each kernel that
// occurs in it.
func (s *Sum) count(shares []Share) {
	last := row{}
	for i := range shares {
		x := &shares[i]
		k := s.kernel(x.row())
		if !x.again {
			k.Dispatches += x.Dispatches
			k.threads += float64(x.Threads)
			s.named.count(x)
		}
		if last != x.row() {
			k.Buffers++
			last = x.row()
		}
	}
}

func (s *Sum) kernel(r row) *Kernel {
	k := s.by[r]
	if k == nil {
		k = &Kernel{Name: r.name, Variant: r.variant}
		s.by[r] = k
		s.list = append(s.list, k)
	}
	return k
}

// layer adds the name of a framework layer that dispatched the kernel, unless it is listed.
func (k *Kernel) layer(name string) {
	if !slices.Contains(k.Layers, name) {
		k.Layers = append(k.Layers, name)
	}
}

// Add adds the kernels of the next range of the run.
func (s *Sum) Add(part *Sum) {
	to := s.fit.add(part.fit)
	s.addUses(part.uses, to)
	for i, at := range to.number {
		if at < 0 {
			s.kernel(part.fit.columns[i].row).beyond = true
		}
	}
	s.length.add(&part.length)
	s.shared += part.shared
	for _, p := range part.list {
		k := s.kernel(row{p.Name, p.Variant})
		for _, name := range p.Layers {
			k.layer(name)
		}
		k.Dispatches += p.Dispatches
		k.threads += p.threads
		k.Buffers += p.Buffers
		k.alone += p.alone
		k.within += p.within
		k.shared += p.shared
		k.beyond = k.beyond || p.beyond
	}
	s.named.add(&part.named, to)
	s.Timing.add(part.Timing)
	s.costs = nil
}

// renumber moves the counts of uses to the columns' new numbers, after the fit has merged columns.
func (s *Sum) renumber(to renumbering) {
	old := s.uses
	s.uses = nil
	s.addUses(old, to)
	s.named.renumber(to)
}

// addUses adds the counts in `uses` to s.uses, which counts how often each column (kernel and size of dispatch) occurs.
// `uses` has the column numbers of another fit, or those before columns were merged; `to` translates them.
func (s *Sum) addUses(uses []float64, to renumbering) {
	for i, n := range uses {
		if at := to.number[i]; at >= 0 {
			for len(s.uses) <= at {
				s.uses = append(s.uses, 0)
			}
			s.uses[at] += n * to.times[i]
		}
	}
}

// Kernels returns all kernels: first those whose time is identified, by GPU time in descending order, then the
// others.
func (s *Sum) Kernels() []*Kernel {
	costs := s.Costs()
	total := s.shared
	for _, k := range s.list {
		total += k.alone
	}
	parts := make([]float64, len(s.list))
	for i, k := range s.list {
		parts[i] = costs.rows[row{k.Name, k.Variant}].value
	}
	for i, part := range divide(s.shared, parts) {
		k := s.list[i]
		e := costs.rows[row{k.Name, k.Variant}]
		k.give(part, e, costs.mostFixed)
		if total > 0 {
			k.Share = float64(k.GPU) / float64(total)
		}
		if k.Dispatches > 0 {
			k.MeanThreads = k.threads / float64(k.Dispatches)
		}
	}
	s.giveOperations(costs, total)
	slices.SortStableFunc(s.list, func(a, b *Kernel) int {
		return cmp.Or(compareKnown(a, b), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Variant, b.Variant))
	})
	rank(s.list)
	return s.list
}

// give sets the kernel's GPU time and its bounds. `part` is the kernel's part of the times that it shares with other
// kernels. `mostFixed` is the largest fixed cost of an encoder in ns, which widens the bounds.
func (k *Kernel) give(part analyze.Nanos, e estimate, mostFixed float64) {
	own := max(0, k.alone-allowance(k.within, mostFixed))
	k.GPU, k.Low, k.High = k.alone+part, own+part, k.alone+part
	switch {
	case k.beyond:
		k.Source, k.Low, k.High = NotIdentified, own, k.alone+k.shared
		return
	case k.shared == 0 || e.nothing:
		k.Source = Measured
		return
	case e.identified:
		k.Source = Fitted
	default:
		k.Source = NotIdentified
	}
	k.Low = min(k.GPU, own+analyze.Nanos(e.low))
	k.High = max(k.GPU, min(k.alone+k.shared, k.alone+analyze.Nanos(e.high)))
}

// compareKnown orders kernels whose time is identified by time, largest first. The other kernels come after them,
// those with the largest possible time first.
func compareKnown(a, b *Kernel) int {
	switch known := b.Source != NotIdentified; {
	case (a.Source != NotIdentified) != known:
		if known {
			return 1
		}
		return -1
	case known:
		return cmp.Compare(b.GPU, a.GPU)
	default:
		return cmp.Compare(b.High, a.High)
	}
}

// rank numbers the kernels, which must be sorted, from 1. Kernels whose intervals overlap get the same rank, because
// their order is not known.
func rank(list []*Kernel) {
	known := 0
	for known < len(list) && list[known].Source != NotIdentified {
		known++
	}
	highest := make([]analyze.Nanos, known+1) // largest bound of all kernels from an index on
	for i := known - 1; i >= 0; i-- {
		highest[i] = max(highest[i+1], list[i].High)
	}
	lowest, now := analyze.Nanos(0), 1
	for i, k := range list {
		if k.Rank = 0; i >= known {
			continue
		}
		if i > 0 && lowest > highest[i] {
			now = i + 1
		}
		if k.Rank = now; i == 0 || k.Low < lowest {
			lowest = k.Low
		}
	}
}
