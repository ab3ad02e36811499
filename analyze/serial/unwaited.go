package serial

// kindInstruments is the source whose traces have neither waits nor locks: time that a thread is not seen encoding is not known
// to be its own work, and may as well have been a wait.
const kindInstruments = "xctrace"

// doingUnknown is what a thread did outside of encoding, in such a trace.
const doingUnknown = "doing something not recorded"

// waitless says whether the trace has no waits because none were recorded, not because there were none.
func (a *Analysis) waitless() bool { return a.Trace.Source.Kind == kindInstruments }

// decideWaitless judges a trace without waits: by the GPU alone, which is all it shows. Every other rule takes the absence of
// waits for evidence, so none is asked.
func (a *Analysis) decideWaitless(f *facts) {
	v := &a.Verdict
	v.Cause = None
	const unrecorded = "Instruments records neither waits nor locks; mtrace run does"
	if reason := a.tooLittle(f); reason != "" {
		v.Summary = "Not enough data for a verdict: " + reason + "."
		return
	}
	found := gpuSaturated(a, f)
	if !found.Holds {
		v.RuledOut = append(v.RuledOut, found)
		v.Summary = "What keeps the GPU from being busy cannot be told: " + unrecorded + "."
		return
	}
	found.Lost, found.explains, found.Evidence = 0, 0, nil
	found.say("the GPU was busy for %s of the time from the first commit to the last completion", percent(f.busy))
	found.say("for %s of that time, more work was ready for it and had to wait", percent(f.backlog))
	v.Cause, v.Confidence = GPUSaturated, a.trust(found.Confidence)
	v.Causes = []Finding{found}
	for _, cause := range []string{LaunchBound, CPUBound} {
		r := Finding{Cause: cause}
		v.RuledOut = append(v.RuledOut, r.not("the GPU had no idle time"))
	}
	v.Summary = "The GPU is the limit: it was busy for " + percent(f.busy) + " of the time. How long threads waited for it is not known: " + unrecorded + "."
}

// outside is what a thread did that was seen doing nothing else.
func (a *Analysis) outside() string {
	if a.waitless() {
		return doingUnknown
	}
	return doingOutside
}
