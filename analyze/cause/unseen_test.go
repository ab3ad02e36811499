package cause

import (
	"strings"
	"testing"

	"mtrace/analyze"
)

// TestUnseenWaits: if no wait for a lock or a signal could be recorded, causes that such waits would show are not ruled
// out, and causes that need none of them are.
func TestUnseenWaits(t *testing.T) {
	verdict := func() Verdict {
		return Verdict{Summary: "The GPU is busy.", RuledOut: []Finding{
			{Cause: LockContention}, {Cause: QueueDepth}, {Cause: InterpreterLock}, {Cause: CompileBound}}}
	}
	causes := func(v Verdict) string {
		var names []string
		for _, f := range v.RuledOut {
			names = append(names, f.Cause)
		}
		return strings.Join(names, " ")
	}
	all, some := verdict(), verdict()
	all.hedge(&analyze.Trace{})
	some.hedge(&analyze.Trace{Source: analyze.Source{WaitsUnseen: 1}})
	if got, want := causes(all), "lock-contention queue-depth interpreter-lock compile-bound"; got != want ||
		all.Summary != "The GPU is busy." {
		t.Errorf("with all waits %q are ruled out, want %q: %s", got, want, all.Summary)
	}
	if got, want := causes(some), "queue-depth compile-bound"; got != want ||
		!strings.Contains(some.Summary, "waits for locks and signals are not recorded") {
		t.Errorf("without waits %q are ruled out, want %q: %s", got, want, some.Summary)
	}
}
