package serial

import "mtrace/analyze"

// singleSubmitter: several threads want work done, one commits it all, and the others wait for that one.
func singleSubmitter(a *Analysis, f *facts) Finding {
	r := Finding{Cause: SingleSubmitter, Confidence: 0.85,
		Advice: "let the threads that make the work commit it themselves, each on a queue of its own"}
	var top *ThreadTime
	commits := 0
	for _, t := range f.threads {
		commits += t.CommandBuffers
		if top == nil || t.CommandBuffers > top.CommandBuffers {
			top = t
		}
	}
	switch {
	case len(f.threads) < 2:
		return r.not("only %d thread takes part", len(f.threads))
	case commits == 0:
		return r.not("nothing was committed")
	case float64(top.CommandBuffers) < 0.95*float64(commits):
		return r.not("%d threads committed; the busiest made %s of the commits", f.committers, percent(float64(top.CommandBuffers)/float64(commits)))
	}
	waiting := 0
	for i := range a.Trace.Waits {
		w := &a.Trace.Waits[i]
		if w.Thread != top.Thread && Awaited(w) == top.Thread {
			waiting++
			r.Lost += a.notSaturated(f, w.Interval, w.Buffer)
		}
	}
	if waiting == 0 {
		return r.not("thread %d made all commits, but no other thread waited for its work", top.Thread.ID)
	}
	if r.Holds = r.Lost > 0; !r.Holds {
		return r.not("thread %d made all commits, but the GPU was saturated while others waited for it", top.Thread.ID)
	}
	r.say("thread %d made %d of %d commits", top.Thread.ID, top.CommandBuffers, commits)
	r.say("%d waits of other threads, %s of thread time, were for its work", waiting, r.Lost)
	r.say("it spent %s of its time encoding and committing and %s outside of Metal", percent(share(top.WorkTime[analyze.PartEncode]+top.WorkTime[analyze.PartCommit], top.Working)),
		percent(share(top.WorkTime[analyze.PartOutside], top.Working)))
	return r
}
