package cause

import (
	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// allocationBound holds if threads allocate and free GPU memory while they have no GPU work in flight, so that the
// GPU waits.
func allocationBound(ev *evidence.Evidence) Finding {
	r := Finding{Cause: AllocationBound, Confidence: policy.Recorded,
		Advice: "allocate buffers, textures and heaps once, before the work begins, and reuse them; " +
			"use two or three in turn if the GPU may still read the previous one"}
	m := evidence.FindMemoryMade(ev.Trace, &ev.Submitters)
	upstream := ev.Starvation.Upstream.Allocating
	switch {
	case m.Took+upstream == 0:
		return r.not("no thread allocated GPU memory while it submitted work")
	case ev.Occupancy.Saturated:
		return r.not("threads allocated memory for %s of their time, but the GPU was saturated during that time",
			percent(ev.Submitters.Share(m.Took)))
	case m.Unfed+upstream == 0:
		return r.not("threads allocated memory for %s of their time, but had work in flight during that time",
			percent(ev.Submitters.Share(m.Took)))
	}
	r.Holds, r.Lost = true, m.Unfed+upstream
	r.standAside(ev, m.Aside)
	if upstream > 0 {
		r.say("submitting threads waited %s for threads that were allocating memory, while the GPU was idle",
			upstream)
	}
	if m.Took > 0 {
		r.say("while submitting work, threads spent %s, %s of their time, allocating and freeing memory", m.Took,
			percent(ev.Submitters.Share(m.Took)))
		r.say("for %s of that time they had no GPU work in flight, and the GPU waited for them%s",
			percent(evidence.Share(m.Unfed, m.Took)), busyWords(ev, "; it was busy for %s of the time"))
	}
	if m.Calls > 0 {
		r.say("%d allocations take %s in all, %s each on average; the run has %s", m.Calls,
			analyze.FormatBytes(m.Bytes),
			analyze.FormatBytes(m.Bytes/uint64(m.Calls)),
			analyze.Plural(ev.Occupancy.Buffers, "command buffer"))
	}
	r.sum("Threads spend %s of their time allocating and freeing GPU memory while none of their work is in flight.",
		percent(ev.Submitters.Share(r.Lost)))
	return r
}
