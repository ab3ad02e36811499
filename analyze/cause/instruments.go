package cause

import (
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// waitlessVerdict judges a trace without waits: by the GPU alone, which is all it shows. Every other rule takes the absence of
// waits for evidence, so none is asked.
func waitlessVerdict(ev *evidence.Evidence) (v Verdict) {
	v.Cause = None
	const unrecorded = "Instruments records neither waits nor locks; mtrace run does"
	if reason := v.tooLittle(ev); reason != "" {
		v.Summary = "Not enough data for a verdict: " + reason + "."
		return v
	}
	found := gpuSaturated(ev)
	if !found.Holds && policy.Saturated(ev.Busy) { // it is what the run takes, though no more was ready
		v.RuledOut = append(v.RuledOut, found)
		found = Finding{Cause: GPUBound, Holds: true, Standing: Limit, Advice: gpuBoundAdvice, Confidence: policy.Inferred}
	}
	if !found.Holds {
		v.RuledOut = append(v.RuledOut, found)
		v.Summary = "What keeps the GPU from being busy cannot be told: " + unrecorded + "."
		return v
	}
	found.Lost, found.Explains, found.Evidence = 0, 0, nil
	found.say("the GPU was busy for %s of the time from the first commit to the last completion", percent(ev.Busy))
	found.say("for %s of that time, more work was ready for it and had to wait", percent(ev.Pending))
	v.Cause, v.Confidence = found.Cause, trust(ev.Trace, found.Confidence)
	v.Causes = []Finding{found}
	for _, cause := range []string{LaunchBound, CPUBound} {
		r := Finding{Cause: cause}
		v.RuledOut = append(v.RuledOut, r.not("the GPU had no idle time"))
	}
	v.Summary = "The GPU is the limit: it was busy for " + percent(ev.Busy) + " of the time. How long threads waited for it is not known: " + unrecorded + "."
	return v
}
