package serial

import (
	"math"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// processors is what is known of how the threads that took part used processors, in their working time.
type processors struct {
	covered  analyze.Nanos // thread time of which it is known
	ran      analyze.Nanos // on a processor
	waited   analyze.Nanos // could run and had none; analyze.NotKnown where the system does not tell
	computed analyze.Nanos // of ran, what was not in Metal's calls
	wake     analyze.Nanos // median time from a completion being seen to the return of the wait for it
	lateWake analyze.Nanos // what a tenth of these times exceed
	wakes    int           // of so many
	confined bool          // to fewer than the machine has, which they fill: by an affinity, or by a quota
}

// confinedTo says whether programs that used so many processors' time fill a number of processors that is less than the machine's.
func confinedTo(used float64, machine int) bool {
	whole := math.Round(used)
	return whole >= 1 && int(whole) < machine && math.Abs(used/whole-1) <= policy.Little.Value
}

// known says whether the samples tell enough of the threads' time, with what they waited for processors.
func (p *processors) known(total analyze.Nanos) bool {
	return p.waited != analyze.NotKnown && p.covered > 0 && policy.AtLeast(policy.Most, p.covered, total)
}

// starved says whether threads lack processors: by what they waited for them or, where that is not known, by how late they wake.
func (f *facts) starved() bool {
	if p := &f.processors; p.known(f.total) {
		waited := share(p.waited, p.covered)
		return waited >= policy.Much.Value || waited >= policy.WorthNaming.Value && p.confined
	}
	return f.processors.wakes >= policy.Sample.Count() && f.processors.wake >= policy.Launch.Nanos()
}

func (a *Analysis) useOfProcessors(f *facts) {
	p := &f.processors
	var metal analyze.Nanos
	for _, t := range f.threads {
		cpu := t.Thread.CPUIn(atWork(t.Thread))
		p.covered += cpu.Covered
		p.ran += cpu.Ran
		if cpu.Waited == analyze.NotKnown || p.waited == analyze.NotKnown {
			p.waited = analyze.NotKnown
		} else {
			p.waited += cpu.Waited
		}
		for _, part := range []analyze.Part{analyze.PartEncode, analyze.PartCommit, analyze.PartAcquire, analyze.PartCompile, analyze.PartAllocate, analyze.PartOtherAPI} {
			metal += t.WorkTime[part]
		}
	}
	// In Metal's calls, as elsewhere, a thread runs and waits for a processor in the same proportion.
	if wanted := p.ran + max(0, p.waited); wanted > metal {
		p.computed = analyze.Nanos(float64(p.ran) * (1 - share(metal, wanted)))
	}
	p.confined = confinedTo(a.processorsUsed(f), a.Trace.Source.Processors)
	a.wakes(p)
}

// processorsUsed is how many processors' time the processes of the threads that took part had, while those worked.
func (a *Analysis) processorsUsed(f *facts) float64 {
	window := analyze.Interval{Begin: 1 << 62}
	processes := map[*analyze.Process]bool{}
	for _, t := range f.threads {
		if w := atWork(t.Thread); t.Thread.Process != nil {
			processes[t.Thread.Process] = true
			window.Begin, window.End = min(window.Begin, w.Begin), max(window.End, w.End)
		}
	}
	used := 0.0
	for p := range processes {
		cpu := p.CPUIn(window)
		used += share(cpu.Ran, cpu.Covered)
	}
	return used
}

// atWork is when a thread worked; all the time it was seen in where that is not known.
func atWork(t *analyze.Thread) analyze.Interval {
	if t.Working.Length() == 0 {
		return t.Active
	}
	return t.Working
}

// wakes finds how long after the tracer's completion handler a wait returns.
func (a *Analysis) wakes(p *processors) {
	var all []analyze.Nanos
	for i := range a.Trace.Waits {
		w := &a.Trace.Waits[i]
		if b := w.Buffer; b != nil && b.Completed.Known() && w.Begin < b.Completed.Begin && w.End >= b.Completed.End {
			all = append(all, w.End-b.Completed.End)
		}
	}
	p.wakes, p.wake = len(all), median(all)
	if p.wakes > 0 {
		slices.Sort(all)
		p.lateWake = all[p.wakes-1-p.wakes/policy.Quick]
	}
}
