package serial

import (
	"cmp"
	"fmt"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// gpuBound: nothing holds the GPU's work up, and the threads wait for it while it runs. It is a limit: it is the verdict where no fault is.
func gpuBound(a *Analysis, f *facts) Finding {
	r := Finding{Cause: GPUBound, Confidence: policy.Shown, limit: true,
		Advice: "make the kernels that are named faster, fuse them, or use smaller types; where the next command buffer does not need what the last one gave, commit it before waiting"}
	r.Lost = a.executing(f)
	switch {
	case f.buffers < policy.Pattern.Count():
		return r.not("%d command buffers with GPU times are too few to tell", f.buffers)
	case f.saturated:
		return r.not("more work was ready than the GPU could run: it is saturated")
	case a.handover != nil && !a.handover.holds() && a.handover.mayAnswer >= policy.Pattern.Count(): // then it is not the work that is the limit
		return r.not("others may wait for the answers of thread %d, which makes all commits", a.handover.to.ID)
	case f.share(r.Lost) < policy.Most.Value:
		return r.not("threads waited for %s of their time while their own work ran", percent(f.share(r.Lost)))
	}
	r.Holds = true
	r.say("for %s of their time threads waited while their own work ran on the GPU", percent(f.share(r.Lost)))
	r.say("the GPU was busy for %s of the time, with %.2f command buffers at once while busy", percent(f.busy), a.GPU.Overlap)
	return r
}

// mostlyExecutes says whether the GPU's own work takes more of the threads' time than all else, and no want of processors makes it look so.
func (a *Analysis) mostlyExecutes(f *facts) bool {
	return !f.starved() && f.share(a.executing(f)) >= policy.Most.Value
}

// executing is the time in which threads wait while their own work runs: what they wait for, or what they had committed before it.
func (a *Analysis) executing(f *facts) analyze.Nanos {
	return a.Sum(analyze.PartWaitExecuting) + a.Sum(analyze.PartWaitQueuedOwn) + a.asleepExecuting(f)
}

// asleepExecuting is the time in which threads waited for a signal, as of their completion handlers, while their own work ran.
func (a *Analysis) asleepExecuting(f *facts) (sum analyze.Nanos) {
	takesPart := map[*analyze.Thread]bool{}
	for _, t := range f.threads {
		takesPart[t.Thread] = true
	}
	for i := range a.forSignals {
		w := &a.forSignals[i]
		if !takesPart[w.Thread] || w.GivenBack {
			continue
		}
		for _, d := range a.deviceOrder {
			sum += d.byThread[w.Thread].Within(clip(w.Interval, atWork(w.Thread)))
		}
	}
	return sum
}

// tellKernels says which kernels the GPU's work is, what each would bring if it took half of its time and, where one thread waits for each
// command buffer before it makes the next, what more of them in flight would bring.
func (r *Finding) tellKernels(gains []Gain) {
	named := 0
	gains = slices.Clone(gains)
	slices.SortStableFunc(gains, func(x, y Gain) int { return cmp.Compare(x.flights(), y.flights()) })
	for _, g := range gains {
		switch {
		case g.Kind == KindKernel && g.Factor == 0.5 && named < policy.MostNamed:
			r.say("kernel %s: if it took half of its time, the run would be %s", g.Name, g.words())
			named++
		case g.Kind == KindInFlight:
			r.say("what was committed is waited for before the next command buffer is made: with %s in flight the run would be %s, if the next does not need what the last one gave", g.Name, g.words())
		}
	}
}

// flights is how many rounds are in flight; 0 of what is no such thing.
func (g *Gain) flights() string {
	if g.Kind != KindInFlight {
		return ""
	}
	return g.Name
}

func (s Speedup) words() string {
	return fmt.Sprintf("%.2f times as fast (%.2f to %.2f), by replay", s.Estimate, s.Low, s.High)
}
