package machine

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"mtrace/analyze"
)

// TestAgenda: an agenda returns the same as a heap, for any insertions and removals in between.
func TestAgenda(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 8))
	var a agenda
	var h taskHeap
	for n := range 20_000 {
		if a.empty() != (len(h) == 0) {
			t.Fatalf("after %d steps it is empty: %v, and %d events are in", n, a.empty(), len(h))
		}
		if random.IntN(2) == 0 || a.empty() {
			e := event{at: analyze.Nanos(random.IntN(20)), seq: n, what: action(n)}
			a.push(e)
			h.push(task{rank: float64(e.at), due: e.at, seq: n, what: e.what})
			continue
		}
		first := *a.first()
		got, task := a.pop(), h.pop()
		if want := (event{at: task.due, seq: task.seq, what: task.what}); got != want || first != want {
			t.Fatalf("step %d: it returned %v after first said %v, want %v", n, got, first, want)
		}
	}
}

// TestRegisters: events and tasks have at most four fields in 32 bytes. Go copies larger ones through memory, which
// made a run take twice as long.
func TestRegisters(t *testing.T) {
	if e, k := unsafe.Sizeof(event{}), unsafe.Sizeof(task{}); e > 32 || k > 32 {
		t.Errorf("an event has %d bytes and a task %d, want at most 32", e, k)
	}
	for _, id := range []int32{0, 1, 1 << 30, -1} {
		if a := actionOf(watched, id); a.kind() != watched || a.id() != id {
			t.Errorf("action of %d and %d is read as %d and %d", watched, id, a.kind(), a.id())
		}
	}
}

// TestFifo: a queue returns what was put in, in order, also after its buffer was used again.
func TestFifo(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 9))
	var f fifo
	var want []int32
	for n := range int32(20_000) {
		if f.empty() != (len(want) == 0) {
			t.Fatalf("step %d: it is empty: %v, want %d indices", n, f.empty(), len(want))
		}
		if random.IntN(2) == 0 || f.empty() {
			f.push(n)
			want = append(want, n)
			continue
		}
		if first, got := f.first(), f.pop(); first != want[0] || got != want[0] {
			t.Fatalf("step %d: it returned %d after first said %d, want %d", n, got, first, want[0])
		}
		want = want[1:]
	}
	if len(f.all) > 2000 {
		t.Errorf("the buffer has grown to %d indices for a queue of at most some hundred", len(f.all))
	}
}
