package cause

import (
	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// compileBound: threads make libraries and pipeline states instead of using them.
func compileBound(ev *evidence.Evidence) Finding {
	r := Finding{Cause: CompileBound, Confidence: policy.Recorded,
		Advice: "make libraries and pipeline states once, before the work begins, and keep them; a binary archive keeps them between runs"}
	seen := map[string]int{}
	late, repeated, made := 0, 0, 0
	var first, children analyze.Nanos
	for b := range ev.Trace.Buffers() {
		if b.Committed.Known() && (first == 0 || b.Committed.Begin < first) {
			first = b.Committed.Begin
		}
	}
	for _, c := range ev.Trace.Compilations {
		if c.Kind == analyze.KindChildren {
			children += c.Length()
			continue
		}
		if c.Kind != "function" && c.Name != "" {
			if seen[c.Kind+c.Name]++; seen[c.Kind+c.Name] > 1 {
				repeated++
			}
		}
		if c.Kind == "library" || c.Kind == "pipeline" {
			made++
		}
		if c.Kind != "function" && first > 0 && c.Begin > first {
			late++
		}
	}
	r.Lost = ev.Sum(analyze.PartCompile)
	var all, windows, aside analyze.Nanos
	for _, t := range ev.Taking {
		if !ev.Submits[t.Thread] {
			aside += t.WorkTime[analyze.PartCompile]
		}
		all += t.Time[analyze.PartCompile]
		windows += t.Window
	}
	if evidence.Share(all, windows) >= policy.Most.Value && made*policy.Outlier.Count() >= len(ev.Trace.CommandBuffers) {
		r.Lost, r.Explains = all, max(all, ev.Total)
	}
	if r.Explains == 0 {
		r.standAside(ev, aside)
	}
	switch {
	case len(ev.Trace.Compilations) == 0:
		return r.not("nothing was compiled")
	case r.Lost == 0:
		return r.not("all was compiled before the threads' first command buffers")
	}
	r.Holds = true
	if r.Explains > 0 {
		r.say("threads spent %s, %s of all their time, making libraries, functions and pipeline states", r.Lost, percent(evidence.Share(all, windows)))
	} else {
		r.say("threads spent %s, %s of their time, making libraries, functions and pipeline states while they submitted work", r.Lost, percent(ev.Share(r.Lost)))
	}
	if children > 0 {
		r.say("%s of compilation was waiting for child processes that compiled", children)
	}
	if late > 0 {
		r.say("%d libraries and pipeline states were made after the first commit, in the middle of the work", late)
	}
	if repeated > 0 {
		r.say("%d made again what had been made before", repeated)
	}
	r.sum("Threads spend %s of their time compiling programs for the GPU (libraries and pipeline states).", percent(min(1, ev.Share(r.Lost))))
	return r
}
