package extract

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/kernels"
	"mtrace/analyze/replay/program"
)

// addPortions determines how the GPU time of command buffers divides among kernels, and the threads' time among
// calls.
func addPortions(ev *evidence.Evidence, p *program.Program, buffers []*analyze.CommandBuffer, spans []span) {
	var names evidence.Ordered[string, struct{}]
	costs := kernels.CostsOf(ev.Trace)
	for i, c := range buffers {
		j := &p.Jobs[i]
		shares := kernels.Split(c, ev.Trace.TimeRange, costs)
		total := analyze.Nanos(0)
		for k := range shares {
			total += shares[k].GPU
		}
		j.Measured = true
		for k := range shares {
			if shares[k].Kernel == kernels.Failed { // no kernel that could be faster
				continue
			}
			j.Measured = j.Measured && shares[k].Measured()
			of, share := int32(names.Number(shares[k].Name())), evidence.Share(shares[k].GPU, total)
			if int(of) == len(p.KernelCosts) {
				low, high, identified := costs.Interval(shares[k].Kernel, shares[k].Variant)
				p.KernelCosts = append(p.KernelCosts, program.KernelCost{Low: low, High: high, Identified: identified})
			}
			if n := len(j.Kernels); n > 0 && j.Kernels[n-1].Of == of {
				j.Kernels[n-1].Share += share
			} else if share > 0 {
				j.Kernels = append(j.Kernels, program.Portion{Of: of, Share: share})
			}
		}
	}
	p.Names.Kernels = names.Keys
	markPolling(ev, p, buffers)
	addCalls(ev, p, spans)
}

// markPolling marks the kernels of two queues if kernels of one queue wait for the other queue's work while they run.
func markPolling(ev *evidence.Evidence, p *program.Program, buffers []*analyze.CommandBuffer) {
	polls := map[*analyze.Queue]bool{}
	for i := range ev.Execution.KernelWaits {
		if w := &ev.Execution.KernelWaits[i]; !w.Unproven {
			polls[w.Waiting], polls[w.Awaited] = true, true
		}
	}
	for i, c := range buffers {
		for _, k := range p.Jobs[i].Kernels {
			p.KernelCosts[k.Of].Polls = p.KernelCosts[k.Of].Polls || polls[c.Queue]
		}
	}
}

// addCalls determines how each thread's time in Metal divides among calls. The trace has only sums over the whole
// run, so calls before the work begins are assumed to have the same proportions.
func addCalls(ev *evidence.Evidence, p *program.Program, spans []span) {
	var names evidence.Ordered[string, struct{}]
	for i, s := range spans {
		th, time := &p.Threads[i], ev.Times.Of(s.thread)
		if time == nil {
			continue
		}
		var gaps, allocating analyze.Nanos
		for k := range th.Steps {
			gaps += th.Steps[k].Gap
		}
		for _, c := range ev.Trace.Calls {
			took := c.Exclusive[s.thread]
			if took <= 0 || c.Waits() {
				continue
			}
			n := int32(names.Number(c.Selector))
			switch c.Part {
			case analyze.PartAcquire, analyze.PartCommit, analyze.PartCompile:
				th.InCalls[c.Part] = append(th.InCalls[c.Part],
					program.Portion{Of: n, Share: evidence.Share(took, time.Time[c.Part])})
			default:
				share := evidence.Share(time.WorkTime[c.Part], time.Time[c.Part])
				if s.Interval.Length() > time.Working { // a thread that produces work for others continues after its last commit
					share = min(1, evidence.Share(s.Interval.Length(), time.ActiveRange))
				}
				inWork := program.Scaled(took, share)
				th.InGaps = append(th.InGaps, program.Portion{Of: n, Share: evidence.Share(inWork, gaps)})
				if c.Part == analyze.PartAllocate {
					allocating += inWork
				}
			}
		}
		slices.SortFunc(th.InGaps, func(x, y program.Portion) int { return cmp.Compare(x.Of, y.Of) })
		sum := 0.0
		for _, g := range th.InGaps {
			sum += g.Share
		}
		for k := range th.InGaps {
			th.InGaps[k].Share /= max(1, sum)
		}
		scaleAllocating(th, allocating)
	}
	p.Names.Calls = names.Keys
}

// scaleAllocating distributes `total`, the time in which a thread allocates or frees memory, over the steps in which
// it allocates, in proportion. The trace has the time of each allocation, but for frees only the sum.
func scaleAllocating(th *program.Thread, total analyze.Nanos) {
	var in, gaps analyze.Nanos
	for i := range th.Steps {
		in += program.Scaled(th.Steps[i].Gap, th.Details[i].Allocates)
		gaps += th.Steps[i].Gap
	}
	for i := range th.Details {
		if d := &th.Details[i]; in == 0 {
			d.Allocates = min(1, evidence.Share(total, gaps))
		} else {
			d.Allocates = min(1, d.Allocates*evidence.Share(total, in))
		}
	}
}
