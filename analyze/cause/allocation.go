package cause

import (
	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// allocationBound holds if threads allocate and free GPU memory, or make it resident, while they have no GPU work in
// flight, so that the GPU waits.
func allocationBound(ev *evidence.Evidence) Finding {
	m := evidence.FindMemoryMade(ev.Trace, &ev.Submitters)
	up := &ev.Starvation.Upstream
	upstream := up.Allocating
	did := memoryWordsOf(m.Residency+up.Residency, m.Took+upstream)
	r := Finding{Cause: AllocationBound, Confidence: policy.ConfidenceRecorded, Advice: did.advice}
	switch {
	case m.Took+upstream == 0:
		return r.reject("no thread allocated GPU memory while it submitted work")
	case ev.Occupancy.Saturated:
		return r.reject("threads spent %s of their time %s, but the GPU was saturated during that time",
			percent(ev.Submitters.Share(m.Took)), did.what)
	case m.Unfed+upstream == 0:
		return r.reject("threads spent %s of their time %s, but had work in flight during that time",
			percent(ev.Submitters.Share(m.Took)), did.what)
	}
	r.Present, r.Lost = true, m.Unfed+upstream
	r.standAside(ev, m.Aside)
	if upstream > 0 {
		r.explain(
			"submitting threads waited %s for threads that were allocating memory or making it resident, while the GPU "+
				"was idle", upstream)
	}
	if m.Took > 0 {
		r.explain("while submitting work, threads spent %s, %s of their time, %s", m.Took,
			percent(ev.Submitters.Share(m.Took)), did.what)
		r.explain("for %s of that time they had no GPU work in flight, and the GPU waited for them%s",
			percent(evidence.Share(m.Unfed, m.Took)), busyWords(ev, "; it was busy for %s of the time"))
	}
	if m.Calls > 0 {
		r.explain("%d allocations take %s in all, %s each on average; the run has %s", m.Calls,
			analyze.FormatBytes(m.Bytes),
			analyze.FormatBytes(m.Bytes/uint64(m.Calls)),
			analyze.Plural(ev.Occupancy.Buffers, "command buffer"))
	}
	if policy.AtLeast(policy.NegligibleShare, m.Residency, m.Took) {
		r.explain("%s changed which memory is resident, in %s, for %s", analyze.Plural(m.Changes, "call"), m.Residency,
			analyze.Plural(ev.Occupancy.Buffers, "command buffer"))
	}
	r.summarize("Threads spend %s of their time %s while none of their work is in flight.",
		percent(ev.Submitters.Share(r.Lost)), did.inSummary)
	return r
}

// memoryWords are the words for what threads did with memory, in evidence and summary, and the advice for it.
type memoryWords struct{ what, inSummary, advice string }

const (
	allocateOnce = "allocate buffers, textures and heaps once, before the work begins, and reuse them; " +
		"use two or three in turn if the GPU may still read the previous one"
	resideOnce = "create one residency set with all lasting memory, add it to the queue once, and call requestResidency " +
		"before the work begins; do not end its residency between steps"
)

// memoryWordsOf returns the words for what takes most of the time `took`: changes of residency, allocations, or both.
func memoryWordsOf(residency, took analyze.Nanos) memoryWords {
	switch {
	case policy.AtLeast(policy.DominantShare, took-residency, took):
		return memoryWords{"allocating and freeing memory", "allocating and freeing GPU memory", allocateOnce}
	case policy.AtLeast(policy.DominantShare, residency, took):
		return memoryWords{"changing which memory is resident", "changing which GPU memory is resident", resideOnce}
	}
	return memoryWords{"allocating and freeing memory and changing which memory is resident",
		"allocating and freeing GPU memory and changing which of it is resident", resideOnce + "; " + allocateOnce}
}
