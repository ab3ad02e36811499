package report

import "testing"

// TestFirstClauses: the notes of the first screen ended in the middle of a word.
func TestFirstClauses(t *testing.T) {
	for _, c := range []struct {
		text  string
		least int
		n     int
		want  string
	}{
		{"the GPU idles: commit earlier", 13, 40, "the GPU idles: commit earlier"},
		{"the GPU idles: commit earlier: encode the next one while this one runs", 13, 40, "the GPU idles: commit earlier"},
		{"iterations differ much: report medians, not means; look for other work", 22, 55,
			"iterations differ much: report medians, not means"},
		{"no names: set label on queues, buffers and encoders of all kinds", 8, 40, "no names: set label on queues"},
		{"the GPU idles: commit the work that follows earlier", 13, 30, "the GPU idles: commit the..."},
	} {
		if got := firstClauses(c.text, c.least, c.n); got != c.want {
			t.Errorf("firstClauses(%q, %d, %d) = %q, want %q", c.text, c.least, c.n, got, c.want)
		}
	}
}
