package diff

import "testing"

// TestAnswer: a comparison begins with who is faster, by how much, and why.
func TestAnswer(t *testing.T) {
	at := func(x float64) *float64 { return &x }
	change := func(kind Kind, name string, status Status, ratio, low, high, impact float64) Change {
		return Change{Kind: kind, Name: name, Status: status, Ratio: at(ratio), Low: at(low), High: at(high), Impact: impact}
	}
	minor := change(KindCall, "setBuffer", Faster, 0.5, 0.4, 0.6, -1e9)
	minor.Minor = true
	for want, changes := range map[string][]Change{
		"B is 1.25x faster (1.11x to 1.43x): kernel matmul -22%, call waitUntilCompleted -60%": {
			change(KindRun, wholeRun, Faster, 0.8, 0.7, 0.9, -5), change(KindThread, "worker", Faster, 0.8, 0.7, 0.9, -9),
			change(KindCall, "waitUntilCompleted", Faster, 0.4, 0.3, 0.5, -2),
			change(KindKernel, "matmul", Faster, 0.78, 0.7, 0.8, -3),
			change(KindCall, "commit", Slower, 1.5, 1.4, 1.6, 1), minor},
		"B is 2.00x slower (1.50x to 2.50x): call commit +50%": {change(KindRun, wholeRun, Slower, 2, 1.5, 2.5, 5),
			change(KindCall, "commit", Slower, 1.5, 1.4, 1.6, 1)},
		"B is as fast as A: 1.02x its time (0.97x to 1.07x); changes under 10% count as none: call commit +50%": {
			change(KindRun, wholeRun, Same, 1.02, 0.97, 1.07, 0), change(KindCall, "commit", Slower, 1.5, 1.4, 1.6, 1)},
		"Whether B is faster than A cannot be told: too few command buffers": {
			{Kind: KindRun, Name: wholeRun, Status: Untested}},
	} {
		if got := (&Document{Changes: changes, Least: 0.1}).Answer(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
