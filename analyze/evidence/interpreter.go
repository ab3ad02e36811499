package evidence

import (
	"path"
	"slices"
	"strings"

	"mtrace/analyze"
)

// InterpreterWaits counts the waits for the GPU by whether the thread held its interpreter's lock when it began to wait.
type InterpreterWaits struct {
	Held, Free int
	HeldFor    analyze.Nanos
}

// InterpreterWaits are those of the trace.
func (ev *Evidence) InterpreterWaits() (w InterpreterWaits) {
	for wait := range analyze.Each(ev.Trace.Waits) {
		switch wait.Interpreter {
		case analyze.InterpreterHeld:
			w.Held++
			w.HeldFor += wait.Length()
		case analyze.InterpreterFree:
			w.Free++
		}
	}
	return w
}

// TurnsAreInterpreters says that threads which take turns do so for their interpreter's lock: they are known to keep it while they
// wait for the GPU; or that is not known, and if it was another lock, waits for the interpreter's would show.
func (ev *Evidence) TurnsAreInterpreters() bool {
	if w := ev.InterpreterWaits(); w.Held+w.Free > 0 {
		return w.Held >= w.Free
	}
	return ev.OneAtATime && !slices.ContainsFunc(ev.Locks, func(l analyze.LockWait) bool { return l.OfInterpreter() })
}

// KeptInterpreter is how long threads that take part waited for an interpreter's lock which one that waited for something else kept.
func (ev *Evidence) KeptInterpreter() (kept analyze.Nanos) {
	for l := range analyze.Each(ev.Locks) {
		if ev.TakesPart[l.Thread] && l.OfInterpreter() {
			kept += l.Kept
		}
	}
	return kept
}

// isInterpreter says whether a process is a language interpreter that runs one thread at a time.
func isInterpreter(p *analyze.Process) bool {
	name := strings.ToLower(path.Base(p.Program))
	return strings.HasPrefix(name, "python") || strings.HasPrefix(name, "pypy") || strings.HasPrefix(name, "ruby")
}
