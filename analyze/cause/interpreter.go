package cause

import (
	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// interpreterLock holds if threads wait for the lock of a language interpreter (GIL). The advice depends on what the
// holder of the lock does: it waits for the GPU, or it runs code.
func interpreterLock(ev *evidence.Evidence) Finding {
	r, _ := findInterpreterLock(ev)
	return r
}

// findInterpreterLock applies the rule. `byTurns` is true if the trace has no waits for the lock: then only the
// threads' turns at using the GPU reveal it.
func findInterpreterLock(ev *evidence.Evidence) (r Finding, byTurns bool) {
	r = Finding{Cause: InterpreterLock, Confidence: policy.ConfidenceRecorded,
		Advice: "release the GIL while waiting for the GPU, or use processes instead of threads"}
	waits := evidence.InterpreterWaitsOf(ev.Trace)
	if seen := lockFinding(r, ev, (*analyze.LockWait).OfInterpreter); seen.Present {
		explain(waits, &seen, evidence.KeptInterpreter(&ev.Submitters, ev.ThreadWaits.Locks))
		return seen, false
	}
	if !ev.Processors.OneAtATime && waits.Held == 0 {
		return r.reject("the program is not an interpreter with a GIL"), false
	}
	if waits.Held == 0 && waits.Free > 0 {
		return r.reject("all %d waits for the GPU were entered without the GIL", waits.Free), false
	}
	turns := ev.Turns.Waits
	if p := ev.Turns.Passed; p != nil {
		return r.reject("Python threads take turns because each waits for the signal of the thread before it, %d times",
			p.Waits), false
	}
	if turns == nil {
		return r.reject("Python threads wait for the GPU at the same time"), false
	}
	r.Confidence = policy.ConfidenceGuessed
	r.takeTurns(turns, ev)
	r.summarize(
		"Threads wait %s of their time for the GIL, the global interpreter lock, which lets one of them run at a time.",
		percent(ev.Submitters.Share(r.Lost)))
	if waits.Held > 0 {
		r.Confidence = policy.ConfidenceRecorded
		r.explain("%d of %d waits for the GPU were entered holding the GIL: no other Python thread runs meanwhile",
			waits.Held, waits.Held+waits.Free)
	} else {
		r.explain("the program is an interpreter with a GIL, and seems to hold it while it waits for the GPU")
	}
	return r, true
}

// explain adds evidence and advice about what the GIL's holders did while other threads waited for the GIL. `kept` is
// the part of that time in which the holders themselves waited for the GPU.
func explain(w evidence.InterpreterWaits, r *Finding, kept analyze.Nanos) {
	if w.Held+w.Free == 0 {
		return // not recorded
	}
	if w.Held > 0 {
		r.explain("%d of %d waits for the GPU, %s, were entered holding the GIL", w.Held, w.Held+w.Free, w.HeldFor)
	} else {
		r.explain("none of %d waits for the GPU was entered holding the GIL", w.Free)
	}
	if policy.AtLeast(policy.Majority, kept, r.Lost) {
		r.Confidence = policy.ConfidenceRecorded
		r.explain("for %s of the time that threads waited for the GIL, its holder waited for the GPU",
			percent(evidence.Share(kept, r.Lost)))
		r.Advice = "release the GIL while waiting for the GPU (ctypes.CDLL does, ctypes.PyDLL does not; " +
			"Py_BEGIN_ALLOW_THREADS in an extension)"
		return
	}
	r.explain("for %s of the time that threads waited for the GIL, its holder ran code and did not wait",
		percent(1-evidence.Share(kept, r.Lost)))
	r.Advice = "the threads run Python code, one at a time: " +
		"do more work per command buffer or in native code, or use processes instead of threads"
}
