package cause_test

import (
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/cause"
)

// takingTurns is a trace of Python threads that wait for the GPU one after the other; held is the known state of the
// GIL when they begin to wait.
func takingTurns(t *testing.T, held analyze.InterpreterLock) *analyze.Trace {
	t.Helper()
	trace := scenario(t, "a lock kept during the wait")
	for _, p := range trace.Processes {
		p.Program = "/usr/bin/python3.11"
	}
	for i := range trace.Waits {
		trace.Waits[i].Interpreter = held
	}
	return trace
}

// Threads of an interpreter that run mutually exclusively hold the GIL while they wait, or another lock; their waits
// record which.
func TestTurnsByInterpreterOrByAnotherLock(t *testing.T) {
	wantVerdict(t, takingTurns(t, analyze.InterpreterNotKnown), cause.InterpreterLock,
		"seems to hold it while it waits for the GPU")
	wantVerdict(t, takingTurns(t, analyze.InterpreterHeld), cause.InterpreterLock,
		"were entered holding the GIL")
	wantVerdict(t, takingTurns(t, analyze.InterpreterFree), cause.LockContention,
		"the trace does not show why they alternate")
}

// Waits for the GIL have two causes with two remedies: its holder waits for the GPU, or it runs code.
func TestWhyTheInterpretersLockIsHeld(t *testing.T) {
	for _, test := range []struct {
		held analyze.InterpreterLock
		kept analyze.Nanos
		said string
	}{
		{analyze.InterpreterHeld, 5 * ms,
			"for 100% of the time that threads waited for the GIL, its holder waited for the GPU"},
		{analyze.InterpreterFree, 0, "none of"},
		{analyze.InterpreterFree, 0, "its holder ran code and did not wait"},
		{analyze.InterpreterNotKnown, 0, "the GIL: "},
	} {
		trace := takingTurns(t, test.held)
		for _, th := range trace.Threads {
			at := th.Active.Begin
			trace.CPUWaits.Locks = append(trace.CPUWaits.Locks,
				analyze.LockWait{Call: analyze.Call{Interval: analyze.Interval{Begin: at,
					End: at + 5*ms}, Thread: th},
					Selector: "pthread_cond_timedwait", Name: "_PyRuntime", Exclusive: 5 * ms, HolderWaiting: test.kept})
		}
		evidence := ""
		for _, c := range cause.Analyze(trace, cause.Options{}).Verdict.Causes {
			if c.Cause == cause.InterpreterLock {
				evidence = strings.Join(c.Evidence, "; ")
			}
		}
		if !strings.Contains(evidence, test.said) {
			t.Errorf("%v: the evidence does not have %q: %s", test.held, test.said, evidence)
		}
	}
}
