package evidence

import (
	"testing"

	"mtrace/analyze"
	"mtrace/fixtures/handmade"
)

// Memory that a thread allocates while it has work in flight does not delay the GPU.
func TestFindMemoryMade(t *testing.T) {
	w := handmade.New(10_000)
	for k := range analyze.Nanos(10) {
		at := 1000 * k
		w.Wait(w.A, handmade.At(at+500, at+900), w.Buffer(w.A, at+400, handmade.At(at+410, at+900)))
		for _, begin := range []analyze.Nanos{at, at + 600} { // before its work, and concurrently with it
			w.Trace.Memory.Allocations = append(w.Trace.Memory.Allocations, analyze.Allocation{Thread: w.A, At: begin,
				Took: 100, Bytes: 64})
		}
		// which takes no part
		w.Trace.Memory.Allocations = append(w.Trace.Memory.Allocations, analyze.Allocation{Thread: w.C, At: at, Took: 900,
			Bytes: 1})
	}
	w.A.Working = w.A.Active
	// 1000 of the 3000 were spent on freeing memory.
	w.A.Exclusive[analyze.PartAllocate], w.A.WorkingExclusive[analyze.PartAllocate] = 3000, 3000
	w.Trace.Finish()
	got := FindMemoryMade(w.Trace, &Gather(w.Trace, Options{}).Submitters)
	if want := (MemoryMade{Calls: 20, Bytes: 1280, Took: 3000, Unfed: 1500}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
