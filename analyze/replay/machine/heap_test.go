package machine

import (
	"math/rand/v2"
	"testing"

	"mtrace/analyze"
)

// TestAgenda: an agenda returns the same as a heap, for any insertions and removals in between.
func TestAgenda(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 8))
	var a agenda
	var h binaryHeap[event]
	for n := range 20_000 {
		if a.empty() != (len(h) == 0) {
			t.Fatalf("after %d steps it is empty: %v, and %d events are in", n, a.empty(), len(h))
		}
		if random.IntN(2) == 0 || a.empty() {
			e := event{at: analyze.Nanos(random.IntN(20)), seq: n}
			a.push(e)
			h.push(ranked[event]{float64(e.at), n, e})
			continue
		}
		first := *a.first()
		if got, want := a.pop(), h.pop(); got != want || first != want {
			t.Fatalf("step %d: it returned %v after first said %v, want %v", n, got, first, want)
		}
	}
}
