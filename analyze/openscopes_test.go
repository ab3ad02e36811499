package analyze

import (
	"slices"
	"testing"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// Scopes without an end record, because the process was killed inside them, end with its trace. A scope whose end
// record was lost is no longer treated as open once another scope at its depth begins or ends.
func TestOpenScopes(t *testing.T) {
	process := newProcessLoader(&tracefile.Process{}, 0)
	s := newStreamLoader(&loader{trace: &Trace{}, window: Interval{-1 << 62, 1 << 62}}, process, 0)
	s.at.thread = s.at.loader.threadOf(process, 1)
	begins := func(at wire.Ticks, depth wire.ObjectID) {
		s.scopes.begin(&wire.Record{Begin: at, End: at, Object: depth, Call: wire.CallScopeBegins})
	}
	ends := func(begin, end wire.Ticks) {
		s.scopes.mark(&wire.Record{Begin: begin, End: end, Call: wire.MustLookup(wire.FamilyTracer, "scope")}, false)
	}
	begins(10, 0)
	begins(20, 1)
	ends(20, 30)
	begins(40, 1) // its end is lost
	begins(50, 1)
	begins(60, 2)
	s.scopes.endAll(process.clock.at(100))
	var got [][3]Nanos
	for _, scope := range s.at.trace.Scopes {
		unfinished := Nanos(0)
		if scope.Unfinished {
			unfinished = 1
		}
		got = append(got, [3]Nanos{scope.Begin, scope.End, unfinished})
	}
	at := process.clock.at
	want := [][3]Nanos{{at(20), at(30), 0}, {at(10), at(100), 1}, {at(50), at(100), 1}, {at(60), at(100), 1}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
