package serial

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// compileBound: threads make libraries and pipeline states instead of using them.
func compileBound(a *Analysis, f *facts) Finding {
	r := Finding{Cause: CompileBound, Confidence: policy.Recorded,
		Advice: "make libraries and pipeline states once, before the work begins, and keep them; a binary archive keeps them between runs"}
	seen := map[string]int{}
	late, repeated, made := 0, 0, 0
	var first analyze.Nanos
	for _, b := range a.Trace.CommandBuffers {
		if b.Committed.Known() && (first == 0 || b.Committed.Begin < first) {
			first = b.Committed.Begin
		}
	}
	for _, c := range a.Trace.Compilations {
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
	r.Lost = a.Sum(analyze.PartCompile)
	var all, windows, aside analyze.Nanos
	for _, t := range f.threads {
		if !f.submits[t.Thread] {
			aside += t.WorkTime[analyze.PartCompile]
		}
		all += t.Time[analyze.PartCompile]
		windows += t.Window
	}
	if share(all, windows) >= policy.Most.Value && made*policy.Outlier.Count() >= len(a.Trace.CommandBuffers) {
		r.Lost, r.explains = all, max(all, f.total)
	}
	r.aside = r.explains == 0 && policy.AtLeast(policy.NearlyAll, aside, r.Lost)
	switch {
	case len(a.Trace.Compilations) == 0:
		return r.not("nothing was compiled")
	case r.Lost == 0:
		return r.not("all was compiled before the threads' first command buffers")
	}
	r.Holds = true
	if r.explains > 0 {
		r.say("threads spent %s, %s of all their time, making libraries, functions and pipeline states", r.Lost, percent(share(all, windows)))
	} else {
		r.say("threads spent %s, %s of their time, making libraries, functions and pipeline states while they submitted work", r.Lost, percent(f.share(r.Lost)))
	}
	if late > 0 {
		r.say("%d libraries and pipeline states were made after the first commit, in the middle of the work", late)
	}
	if repeated > 0 {
		r.say("%d made again what had been made before", repeated)
	}
	return r
}
