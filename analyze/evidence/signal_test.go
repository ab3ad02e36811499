package evidence

import (
	"testing"

	"mtrace/analyze"
	"mtrace/fixtures/handmade"
)

// The story: a command buffer waits for a value or any larger one, but only command buffers that signal exactly that
// value were considered. And a program that resets its event to 0 uses each value again.
func TestFirstSignal(t *testing.T) {
	w := handmade.New(1000)
	waiter := func(began analyze.Nanos) *analyze.CommandBuffer {
		return w.Buffer(w.B, 5, handmade.At(began, began+10))
	}
	for _, c := range []struct {
		name  string
		list  []signal
		value uint64
		began analyze.Nanos
		want  analyze.Nanos // of the signal; -1: none
	}{
		{"exactly", []signal{{value: 1, at: 100}, {value: 2, at: 200}}, 1, 300, 100},
		{"a larger one", []signal{{value: 5, at: 100}, {value: 9, at: 200}}, 3, 300, 100},
		{"a larger one came first", []signal{{value: 4, at: 100}, {value: 3, at: 200}}, 3, 300, 100},
		{"too small", []signal{{value: 1, at: 100}}, 2, 300, -1},
		{"after it began", []signal{{value: 1, at: 900_000}}, 1, 300, -1},
		{"set back: of the second round", []signal{{value: 1, at: 100}, {value: 0, at: 150}, {value: 1, at: 200}}, 1, 300,
			200},
		{"set back: of the first round", []signal{{value: 1, at: 100}, {value: 0, at: 350}, {value: 1, at: 400}}, 1, 300,
			100},
	} {
		for i := range c.list {
			c.list[i].thread = w.A
			if c.name == "a larger one came first" {
				c.list[i].buffer = w.Buffer(w.A, 3, handmade.At(10, c.list[i].at))
			}
		}
		got := analyze.Nanos(-1)
		if s := split(c.list).first(waiter(c.began), c.value); s != nil {
			got = s.at
		}
		if got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
