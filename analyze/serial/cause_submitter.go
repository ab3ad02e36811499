package serial

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// singleSubmitter: several threads want work done, one commits it all, and the others wait for that one: in waits for its command
// buffers, or for its signal. It costs what they wait beyond the time that their own work takes on the GPU.
func singleSubmitter(a *Analysis, f *facts) Finding {
	r := Finding{Cause: SingleSubmitter, Confidence: policy.Shown,
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
	case len(f.threads) == 0 || commits == 0:
		return r.not("nothing was committed")
	case !policy.AtLeast(policy.NearlyAll, top.CommandBuffers, commits):
		return r.not("%d threads committed; the busiest made %s of the commits", f.committers, percent(float64(top.CommandBuffers)/float64(commits)))
	}
	waiting := 0
	waiters := map[*analyze.Thread]bool{}
	for i := range a.Trace.Waits {
		w := &a.Trace.Waits[i]
		if w.Thread != top.Thread && Awaited(w) == top.Thread {
			waiting++
			waiters[w.Thread] = true
			r.Lost += a.notSaturated(f, w.Interval, w.Buffer)
		}
	}
	h := a.handover
	handed := h.holds() && h.to == top.Thread
	if handed {
		for i := range h.replies {
			lost := a.notSaturated(f, h.replies[i].Interval, nil)
			if !f.saturated {
				lost -= h.replies[i].own
			}
			r.Lost += max(0, lost)
		}
	}
	switch {
	case waiting == 0 && !handed && h != nil && len(h.threads) >= 2 && len(h.replies) >= policy.Pattern.Count():
		return r.not("thread %d made all commits, and %d waits of others ended by its signal, but for only %s of that time had it done something on the GPU for them: threads that are let go together wait like that",
			top.Thread.ID, len(h.replies), percent(h.served))
	case waiting == 0 && !handed && h != nil && len(h.replies)+h.others > 0:
		return r.not("thread %d made all commits, and %d waits of others ended by its signal, but nothing in the trace shows that they asked it for something: threads that it gives work to wait like that",
			top.Thread.ID, len(h.replies)+h.others)
	case waiting == 0 && !handed && len(f.threads) < 2:
		return r.not("only %d thread takes part", len(f.threads))
	case waiting == 0 && !handed:
		return r.not("thread %d made all commits, but no other thread waited for its work", top.Thread.ID)
	}
	if len(waiters) == 1 && !handed { // it may be there to take what the other has made
		return r.not("thread %d made all commits, and only one other thread waits for its work", top.Thread.ID)
	}
	if r.Holds = r.Lost > 0; !r.Holds {
		return r.not("thread %d made all commits, but the GPU was saturated while others waited for it", top.Thread.ID)
	}
	r.say("thread %d made %d of %d commits", top.Thread.ID, top.CommandBuffers, commits)
	if waiting > 0 {
		r.say("%d waits of other threads were for its work", waiting)
	}
	switch {
	case handed && h.unseen:
		r.Confidence = policy.Inferred
		r.say("%d other threads wait for its signal, %d times; how they ask it for work is not in the trace, but it makes command buffers only while one of them waits", len(h.threads), len(h.replies))
	case handed:
		r.say("%d other threads hand it their work and wait for its signal, %d times", len(h.threads), len(h.replies))
	}
	r.say("beyond the time of their own work on the GPU that took %s of thread time", r.Lost)
	r.say("it spent %s of its time encoding and committing and %s outside of Metal", percent(share(top.WorkTime[analyze.PartEncode]+top.WorkTime[analyze.PartCommit], top.Working)),
		percent(share(top.WorkTime[analyze.PartOutside], top.Working)))
	return r
}
