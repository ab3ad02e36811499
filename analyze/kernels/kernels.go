// Package kernels says which kernels the GPU's time went to, and which are always dispatched back to back.
package kernels

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"

	"mtrace/analyze"
)

// Names of what is not a kernel. They stand for the GPU time of command buffers and encoders that dispatched none.
const (
	Copies  = "(copies)"
	Render  = "(render)"
	Unknown = "(kernel not known)"
	Nothing = "(no work recorded)"
)

// A Share is the part of a command buffer's GPU time that goes to one run of dispatches, or to an encoder without any.
type Share struct {
	Encoder    *analyze.Encoder // nil when the command buffer has none
	Kernel     string
	Dispatches int
	Threads    uint64
	GPU        analyze.Nanos
	Measured   bool // the time is the GPU's own; otherwise it was split in proportion to the threads dispatched
}

// Split divides the GPU time that b spent in the window among its dispatches. Times of encoders that were sampled are taken as
// they are; within an encoder, or a command buffer, time is split in proportion to the threads dispatched. The parts add up to
// the time exactly.
func Split(b *analyze.CommandBuffer, window analyze.Interval) []Share {
	if !b.GPU.Known() {
		return nil
	}
	total := analyze.Interval{Begin: max(b.GPU.Begin, window.Begin), End: min(b.GPU.End, window.End)}.Length()
	if len(b.Encoders) == 0 {
		return []Share{{Kernel: Nothing, GPU: total, Measured: true}}
	}
	var shares []Share
	for i := range b.Encoders {
		shares = append(shares, inEncoder(&b.Encoders[i])...)
	}
	one := true
	for i := range shares {
		one = one && shares[i].Kernel == shares[0].Kernel
	}
	divide(shares, total, func(s *Share) uint64 { return weight(b, s, total) })
	for i := range shares {
		shares[i].Measured = one || sampled(b) && alone(shares, i)
	}
	return shares
}

// inEncoder is what an encoder did, without times.
func inEncoder(e *analyze.Encoder) []Share {
	var shares []Share
	for _, d := range e.Dispatches {
		name := Unknown
		if d.Pipeline != nil {
			name = cmp.Or(d.Pipeline.Kernel, d.Pipeline.Label, Unknown)
		}
		shares = append(shares, Share{Encoder: e, Kernel: name, Dispatches: d.Count, Threads: d.Threads})
	}
	if len(shares) == 0 && e.Copies == 0 && e.Label != "" && e.GPU.Known() {
		// Instruments records encoders, not what was dispatched in them: they go by their labels.
		shares = append(shares, Share{Encoder: e, Kernel: "encoder " + strconv.Quote(e.Label), Dispatches: 1})
	}
	if len(shares) == 0 {
		name := Nothing
		switch {
		case e.Copies > 0 || e.Kind == analyze.EncoderBlit:
			name = Copies
		case e.Kind == analyze.EncoderRender:
			name = Render
		}
		shares = append(shares, Share{Encoder: e, Kernel: name})
	}
	return shares
}

// sampled says whether all encoders of b have times of their own.
func sampled(b *analyze.CommandBuffer) bool {
	for i := range b.Encoders {
		if !b.Encoders[i].GPU.Known() {
			return false
		}
	}
	return true
}

// alone says whether all shares of the encoder of shares[i] are of one kernel.
func alone(shares []Share, i int) bool {
	for j := range shares {
		if shares[j].Encoder == shares[i].Encoder && shares[j].Kernel != shares[i].Kernel {
			return false
		}
	}
	return true
}

// weight is what a share counts in the split: the threads dispatched, and within sampled encoders their part of the encoder's time.
func weight(b *analyze.CommandBuffer, s *Share, total analyze.Nanos) uint64 {
	if !sampled(b) {
		return max(1, s.Threads)
	}
	var threads uint64
	for _, d := range s.Encoder.Dispatches {
		threads += max(1, d.Threads)
	}
	hi, lo := bits.Mul64(uint64(s.Encoder.GPU.Length()), max(1, s.Threads))
	if threads = max(1, threads); hi >= threads {
		return max(1, s.Threads)
	}
	q, _ := bits.Div64(hi, lo, threads)
	return max(1, q)
}

// divide gives each share its part of total; what is rounded away goes on to the next, so that nothing is lost.
func divide(shares []Share, total analyze.Nanos, weight func(*Share) uint64) {
	weights := make([]float64, len(shares))
	sum := 0.0
	for i := range shares {
		weights[i] = float64(weight(&shares[i]))
		sum += weights[i]
	}
	upTo, given := 0.0, analyze.Nanos(0)
	for i := range shares {
		upTo += weights[i]
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
	Buffers     int // command buffers it was in
}

// Summarize sums over all command buffers; the most GPU time comes first. The kernels' times add up to those of the command buffers.
func Summarize(t *analyze.Trace) []*Kernel {
	by := map[string]*Kernel{}
	threads := map[string]float64{}
	var list []*Kernel
	var total analyze.Nanos
	for _, b := range t.CommandBuffers {
		last := ""
		for _, s := range Split(b, t.Window) {
			k := by[s.Kernel]
			if k == nil {
				k = &Kernel{Name: s.Kernel, Measured: true}
				by[s.Kernel] = k
				list = append(list, k)
			}
			k.Dispatches += s.Dispatches
			k.GPU += s.GPU
			k.Measured = k.Measured && s.Measured
			threads[s.Kernel] += float64(s.Threads)
			total += s.GPU
			if last != s.Kernel {
				k.Buffers++
				last = s.Kernel
			}
		}
	}
	for _, k := range list {
		if total > 0 {
			k.Share = float64(k.GPU) / float64(total)
		}
		if k.Dispatches > 0 {
			k.MeanThreads = threads[k.Name] / float64(k.Dispatches)
		}
	}
	slices.SortStableFunc(list, func(a, b *Kernel) int { return cmp.Or(cmp.Compare(b.GPU, a.GPU), cmp.Compare(a.Name, b.Name)) })
	return list
}
