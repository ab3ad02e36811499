package machine

import (
	"math/rand/v2"
	"testing"
)

// TestAgenda: an agenda returns what a heap returns, whatever is inserted and removed in between.
func TestAgenda(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 8))
	var a agenda[int]
	var h binaryHeap[int]
	for n := range 20_000 {
		if a.empty() != (len(h) == 0) {
			t.Fatalf("after %d steps it is empty: %v, and %d things are in", n, a.empty(), len(h))
		}
		if random.IntN(2) == 0 || a.empty() {
			x := ranked[int]{float64(random.IntN(20)), n, n}
			a.push(x)
			h.push(x)
			continue
		}
		first := *a.first()
		if got, want := a.pop(), h.pop(); got != want || first != want {
			t.Fatalf("step %d: it returned %d after first said %d, want %d", n, got, first, want)
		}
	}
}
