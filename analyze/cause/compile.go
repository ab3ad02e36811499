package cause

import (
	"mtrace/analyze"
	"mtrace/analyze/compile"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay"
)

// compileBound holds if threads create libraries and pipeline states during the run instead of once before it.
func compileBound(ev *evidence.Evidence) Finding {
	r := Finding{Cause: CompileBound, Confidence: policy.ConfidenceRecorded,
		Advice: "create libraries and pipeline states once, before the work begins, and keep them; " +
			"a binary archive keeps them between runs"}
	use, made := compile.Summarize(ev.Trace), 0
	var children, background analyze.Nanos
	for c := range analyze.Each(ev.Trace.Compilations) {
		switch c.Kind {
		case analyze.KindChildren:
			children += c.Length()
		case analyze.KindBackground:
			background += c.Length()
		case "library", "pipeline":
			made++
		}
	}
	upstream := ev.Starvation.Upstream.Compiling
	r.Lost = ev.Times.Sum(analyze.PartCompile)
	var all, windows, aside analyze.Nanos
	for _, t := range ev.Submitters.Taking {
		if ev.Submitters.IsMinor(t.Thread) {
			aside += t.WorkTime[analyze.PartCompile]
		}
		all += t.Time[analyze.PartCompile]
		windows += t.ActiveRange
	}
	if made > 0 && evidence.Share(all, windows) >= policy.Majority.Value {
		// most of the compilation ran before the first command buffer. A replay does not cover that time, so estimate
		// the gain directly
		if policy.MoreThan(policy.Majority, all-r.Lost, all) {
			r.Speedup = withoutStartup(ev)
		}
		r.Lost, r.Explains, r.Of = all, max(all, ev.Submitters.Time), windows
	}
	if r.Explains == 0 {
		r.Lost += upstream
		r.standAside(ev, aside)
	}
	switch {
	case len(ev.Trace.Compilations) == 0:
		return r.reject("nothing was compiled")
	case r.Lost == 0:
		return r.reject("everything was compiled before the threads' first command buffers")
	}
	r.Present = true
	if r.Explains > 0 {
		r.explain("threads spent %s, %s of all their time, creating libraries, functions and pipeline states", r.Lost,
			percent(evidence.Share(all, windows)))
	} else {
		r.explain("while they submitted work, threads spent %s, %s of their time, "+
			"creating libraries, functions and pipeline states", r.Lost, percent(ev.Submitters.Share(r.Lost)))
	}
	if upstream > 0 {
		r.explain("submitting threads waited %s for threads that were compiling, while the GPU was idle",
			upstream)
	}
	if children > 0 {
		r.explain("%s of compilation was waiting for child processes that compiled", children)
	}
	if background > 0 {
		r.explain("%s of compilation was waiting for completion handlers of libraries and pipeline states that Metal "+
			"compiled in the background", background)
	}
	if use.Late > 0 {
		r.explain("%d libraries and pipeline states were created after the first commit, in the middle of the work",
			use.Late)
	}
	if use.Repeated > 0 {
		r.explain("%d compilations repeated an earlier one", use.Repeated)
	}
	r.summarize("Threads spend %s of their time compiling GPU code (libraries and pipeline states).",
		percent(r.Share(ev.Submitters.Time)))
	return r
}

// withoutStartup estimates the speedup if nothing were compiled: the longest thread's time, divided by the longest
// time that a thread spends on anything else. The upper bound assumes that threads need not wait for another thread's
// compilation either.
func withoutStartup(ev *evidence.Evidence) *replay.Speedup {
	var whole, left, all, compiling analyze.Nanos
	for _, t := range ev.Submitters.Taking {
		whole, left = max(whole, t.ActiveRange), max(left, t.ActiveRange-t.Time[analyze.PartCompile])
		all, compiling = all+t.ActiveRange, compiling+t.Time[analyze.PartCompile]
	}
	if left <= 0 || all <= compiling {
		return nil
	}
	of, most := float64(whole)/float64(left), float64(all)/float64(all-compiling)
	return &replay.Speedup{Estimate: of, Low: of * (1 - policy.RunToRunVariation.Value),
		High: max(of, most) * (1 + policy.RunToRunVariation.Value), Spread: policy.SpreadOfCauses}
}
