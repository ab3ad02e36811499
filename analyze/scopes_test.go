package analyze

import (
	"slices"
	"testing"
)

// TestScopesAt: nested scopes, innermost first, per thread; marks are no scopes.
func TestScopesAt(t *testing.T) {
	a, b := &Thread{ID: 1}, &Thread{ID: 2}
	scope := func(th *Thread, begin, end Nanos, name string) Scope {
		return Scope{Call: Call{Interval: Interval{begin, end}, Thread: th}, Name: name}
	}
	s := NewScopesAt(&Trace{Scopes: []Scope{
		scope(a, 0, 100, "run"), scope(a, 0, 40, "epoch 1"), scope(b, 5, 95, "other"), scope(a, 10, 20, "step 1"),
		{Call: Call{Interval: Interval{15, 15}, Thread: a}, Name: "mark", Mark: true},
		scope(a, 20, 30, "step 2"), scope(a, 50, 90, "epoch 2"),
	}})
	for at, want := range map[Nanos][]string{
		5: {"epoch 1", "run"}, 15: {"step 1", "epoch 1", "run"}, 20: {"step 2", "epoch 1", "run"}, 35: {"epoch 1", "run"},
		45: {"run"}, 60: {"epoch 2", "run"}, 100: nil, 200: nil,
	} {
		if got := s.Names(a, at); !slices.Equal(got, want) {
			t.Errorf("at %d: %q, want %q", at, got, want)
		}
	}
	if got := s.Names(b, 50); !slices.Equal(got, []string{"other"}) {
		t.Errorf("of the other thread: %q", got)
	}
}
