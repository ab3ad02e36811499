package serial

import (
	"path"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// interpreterLock: threads wait for the lock of a language interpreter. Why they do, and what to do about it, depends on what its
// holder does meanwhile: it waits for the GPU, or it runs code of the language.
func interpreterLock(a *Analysis, f *facts) Finding {
	r := Finding{Cause: InterpreterLock, Confidence: policy.Recorded,
		Advice: "release the interpreter's lock while waiting for the GPU, or use processes instead of threads"}
	waits := a.interpreterWaits()
	if seen := lockFinding(r, a, f, (*analyze.LockWait).OfInterpreter); seen.Holds {
		waits.explain(&seen, a.keptInterpreter(f))
		return seen
	}
	if !f.oneAtATime && waits.held == 0 {
		return r.not("the program is not an interpreter that runs one thread at a time")
	}
	if waits.held == 0 && waits.free > 0 {
		return r.not("all %d waits for the GPU were entered without the interpreter's lock", waits.free)
	}
	if turns := a.turns(f); turns != nil {
		r.Confidence = policy.Guessed
		turns.tell(&r, f)
		f.turnsLost = r.Lost
		if waits.held > 0 {
			r.Confidence = policy.Recorded
			r.say("%d of %d waits for the GPU were entered holding the interpreter's lock: no other thread of the interpreter runs meanwhile", waits.held, waits.held+waits.free)
			return r
		}
		r.say("the program is an interpreter that runs one thread at a time; it seems to keep its lock while it waits for the GPU")
		return r
	}
	return r.not("threads of the interpreter wait for the GPU at the same time")
}

// interpreterWaits counts the waits for the GPU by whether the thread held its interpreter's lock when it began to wait.
type interpreterWaits struct {
	held, free int
	heldFor    analyze.Nanos
}

func (a *Analysis) interpreterWaits() (w interpreterWaits) {
	for i := range a.Trace.Waits {
		switch wait := &a.Trace.Waits[i]; wait.Interpreter {
		case analyze.InterpreterHeld:
			w.held++
			w.heldFor += wait.Length()
		case analyze.InterpreterFree:
			w.free++
		}
	}
	return w
}

// turnsAreInterpreters says that threads which take turns do so for their interpreter's lock: they are known to keep it while they
// wait for the GPU; or that is not known, and if it was another lock, waits for the interpreter's would show.
func (a *Analysis) turnsAreInterpreters(f *facts) bool {
	if w := a.interpreterWaits(); w.held+w.free > 0 {
		return w.held >= w.free
	}
	return f.oneAtATime && !a.showsInterpreterLock()
}

// keptInterpreter is how long threads that take part waited for an interpreter's lock which one that waited for something else kept.
func (a *Analysis) keptInterpreter(f *facts) (kept analyze.Nanos) {
	takesPart := map[*analyze.Thread]bool{}
	for _, t := range f.threads {
		takesPart[t.Thread] = true
	}
	for i := range a.Trace.Locks {
		if l := &a.Trace.Locks[i]; takesPart[l.Thread] && l.OfInterpreter() {
			kept += l.Kept
		}
	}
	return kept
}

// explain says what the holders of the lock did while others waited for it.
func (w interpreterWaits) explain(r *Finding, kept analyze.Nanos) {
	if w.held+w.free == 0 {
		return // not recorded
	}
	if w.held > 0 {
		r.say("%d of %d waits for the GPU, %s, were entered holding the interpreter's lock", w.held, w.held+w.free, w.heldFor)
	} else {
		r.say("none of %d waits for the GPU was entered holding the interpreter's lock", w.free)
	}
	if policy.AtLeast(policy.Most, kept, r.Lost) {
		r.Confidence = policy.Recorded
		r.say("threads that waited for the GPU kept it for %s of the time that others waited for it", percent(share(kept, r.Lost)))
		r.Advice = "release the interpreter's lock while waiting for the GPU (ctypes.CDLL does, ctypes.PyDLL does not; Py_BEGIN_ALLOW_THREADS in an extension)"
		return
	}
	r.say("for %s of the time that threads waited for it, it was held to run code, not to wait", percent(1-share(kept, r.Lost)))
	r.Advice = "the threads run code of the interpreter, one at a time: do more work per command buffer or in native code, or use processes instead of threads"
}

// showsInterpreterLock says whether waits for an interpreter's lock are in the trace, so that it would show if it cost much.
func (a *Analysis) showsInterpreterLock() bool {
	return slices.ContainsFunc(a.Trace.Locks, func(l analyze.LockWait) bool { return l.OfInterpreter() })
}

// isInterpreter says whether a process is a language interpreter that runs one thread at a time.
func isInterpreter(p *analyze.Process) bool {
	name := strings.ToLower(path.Base(p.Program))
	return strings.HasPrefix(name, "python") || strings.HasPrefix(name, "pypy") || strings.HasPrefix(name, "ruby")
}
