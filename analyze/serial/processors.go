package serial

import "mtrace/analyze"

// processors is what is known of how the threads that took part used processors, in their working time.
type processors struct {
	covered  analyze.Nanos // thread time of which it is known
	ran      analyze.Nanos // on a processor
	waited   analyze.Nanos // could run and had none; analyze.NotKnown where the system does not tell
	computed analyze.Nanos // of ran, what was not in Metal's calls
	wake     analyze.Nanos // median time from a completion being seen to the return of the wait for it
	lateWake analyze.Nanos // what a tenth of these times exceed
	wakes    int           // of so many
}

// slowWake is how late a thread goes on, after what it waits for was seen to be done, when it has to wait for a processor. With
// a processor free it takes 5 to 30 µs.
const slowWake analyze.Nanos = 200_000

// muchWaiting is the share of their time from which on threads are said to lack processors. Any busy machine makes threads
// wait now and then.
const muchWaiting = 0.3

// known says whether the samples tell enough of the threads' time, with what they waited for processors.
func (p *processors) known(total analyze.Nanos) bool {
	return p.waited != analyze.NotKnown && p.covered > 0 && p.covered*2 >= total
}

// starved says whether threads lack processors: by what they waited for them or, where that is not known, by how late they wake.
func (f *facts) starved() bool {
	if p := &f.processors; p.known(f.total) {
		return share(p.waited, p.covered) >= muchWaiting
	}
	return f.processors.wakes >= enoughIntervals && f.processors.wake >= slowWake
}

func (a *Analysis) useOfProcessors(f *facts) {
	p := &f.processors
	var metal analyze.Nanos
	for _, t := range f.threads {
		when := t.Thread.Working
		if when.Length() == 0 {
			when = t.Thread.Active
		}
		cpu := t.Thread.CPUIn(when)
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
	a.wakes(p)
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
	p.wakes, p.wake = len(all), median(all) // which sorts them
	if p.wakes > 0 {
		p.lateWake = all[p.wakes*9/10]
	}
}
