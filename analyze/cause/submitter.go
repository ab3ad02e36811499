package cause

import (
	"fmt"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay"
)

// singleSubmitter holds if several threads have GPU work, one thread, or a pool of threads, commits all of it, and the
// others wait for its command buffers or its signal. Its cost is the time of these waits beyond the GPU time of the
// waiting thread's own work.
func singleSubmitter(ev *evidence.Evidence) Finding {
	r := Finding{Cause: SingleSubmitter, Confidence: policy.ConfidenceShown,
		Advice: "let the threads that produce the work commit it themselves, each on a queue of its own"}
	var top *evidence.ThreadTime
	commits := 0
	for _, t := range ev.Submitters.Taking {
		commits += t.CommandBuffers
		if top == nil || t.CommandBuffers > top.CommandBuffers {
			top = t
		}
	}
	h := ev.Delegation
	pool := h.Confirmed() && len(h.Pool) > 1
	switch {
	case len(ev.Submitters.Taking) == 0 || commits == 0:
		return r.reject("nothing was committed")
	case !pool && !policy.NearlyAll(top.CommandBuffers, commits):
		return r.reject("%d threads committed; the busiest made %s of the commits", ev.Submitters.Committers,
			percent(float64(top.CommandBuffers)/float64(commits)))
	}
	waiting := 0
	waiters := map[*analyze.Thread]bool{}
	for w := range analyze.Each(ev.Trace.Waits) {
		if !pool && w.Thread != top.Thread && evidence.Awaited(ev.Trace, w) == top.Thread {
			waiting++
			waiters[w.Thread] = true
			r.Lost += ev.Occupancy.Unexplained(w.Interval, ev.Trace.WaitsFor(w))
		}
	}
	handed := h.Confirmed() && h.Pool[top.Thread]
	if handed {
		for i := range h.Replies {
			lost := ev.Occupancy.Unexplained(h.Replies[i].Interval, nil)
			if !ev.Occupancy.Saturated {
				lost -= h.Replies[i].Own
			}
			r.Lost += max(0, lost)
		}
	}
	if waiting == 0 && !handed {
		return r.notAwaited(ev, top.Thread)
	}
	if len(waiters) == 1 && !handed { // that thread may only consume the submitter's results
		return r.reject("thread %d made all commits, and only one other thread waits for its work", top.Thread.ID)
	}
	if r.Present = r.Lost > 0; !r.Present {
		return r.reject("thread %d made all commits, but the GPU was saturated while others waited for it", top.Thread.ID)
	}
	if pool {
		r.explain("%d threads made all %d commits: a pool that serves the requests of %d other threads", len(h.Pool),
			commits, len(h.Threads))
	} else {
		r.explain("thread %d made %d of %d commits", top.Thread.ID, top.CommandBuffers, commits)
	}
	if waiting > 0 {
		r.explain("%d waits of other threads were for its work", waiting)
	}
	if handed || pool {
		r.tellRequests(h)
	}
	r.explain("without the GPU time of the waiting threads' own work, these waits cost %s of thread time", r.Lost)
	r.explain("the submitting thread spent %s of its time encoding and committing and %s outside of Metal",
		percent(evidence.Share(top.WorkTime[analyze.PartEncode]+top.WorkTime[analyze.PartCommit], top.Working)),
		percent(evidence.Share(top.WorkTime[analyze.PartOutside], top.Working)))
	r.removalChange = submittingApart
	who := "One thread submits"
	if pool {
		who = fmt.Sprintf("A pool of %d threads submits", len(h.Pool))
	}
	r.summarize("%s the GPU work of all threads, and the others wait for it for %s of all thread time.", who,
		percent(ev.Submitters.Share(r.Lost)))
	return r
}

// notAwaited tells why no thread waits for the thread that made all commits.
func (r Finding) notAwaited(ev *evidence.Evidence, top *analyze.Thread) Finding {
	h := ev.Delegation
	switch {
	case h != nil && len(h.Threads) >= 2 && len(h.Replies) >= policy.FewestOccurrences.Count():
		return r.reject("thread %d made all commits, and %d waits of others ended by its signal, "+
			"but only %s of that time went to GPU work for them: threads released together by a barrier wait like that",
			top.ID, len(h.Replies), percent(h.Served))
	case h != nil && len(h.Replies)+h.Others > 0:
		return r.reject("thread %d made all commits, and %d waits of others ended by its signal, "+
			"but nothing in the trace shows that they requested work from it: "+
			"threads that receive work from it wait like that",
			top.ID, len(h.Replies)+h.Others)
	case len(ev.Submitters.Taking) < 2:
		return r.reject("only %d thread uses the GPU", len(ev.Submitters.Taking))
	}
	return r.reject("thread %d made all commits, but no other thread waited for its work", top.ID)
}

// tellRequests adds a sentence to the evidence: how many threads pass work to the submitting thread, or to the pool of
// submitting threads, and how often they wait for its signal.
func (r *Finding) tellRequests(h *evidence.Delegation) {
	switch {
	case h.Unseen:
		r.Confidence = policy.ConfidenceInferred
		r.explain("%d other threads wait for its signal, %d times; "+
			"how they request work is not in the trace, but it creates command buffers only while one of them waits",
			len(h.Threads), len(h.Replies))
	case len(h.Pool) > 1:
		r.explain("these threads pass work to the pool and wait for its signal, %d times", len(h.Replies))
	case len(h.Threads) == 1:
		r.explain("another thread passes work to it and waits for its signal, %d times", len(h.Replies))
	default:
		r.explain("%d other threads pass work to it and wait for its signal, %d times", len(h.Threads), len(h.Replies))
	}
}

// submittingApart returns the change in which each thread submits its own work, or the reason why the replay cannot
// tell which work belongs to which thread.
func submittingApart(p replayed) (replay.Change, string) {
	switch pieces, batch := p.Submits(); {
	case pieces == 0:
		return replay.Change{}, "which work was submitted for which thread is not in the trace"
	case batch:
		return replay.Change{}, "the submitting thread answers several threads together, " +
			"and the trace does not show when each result was ready"
	}
	return replay.Change{Apart: true}, ""
}
