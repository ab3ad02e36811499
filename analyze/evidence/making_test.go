package evidence

import (
	"testing"

	"mtrace/analyze"
	"mtrace/fixtures/handmade"
)

// Memory that a thread allocates, or makes resident, while it has work in flight does not delay the GPU.
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
	// residency that changes before its work
	for k := range analyze.Nanos(10) {
		w.Trace.Memory.Residency = append(w.Trace.Memory.Residency,
			analyze.Call{Interval: handmade.At(1000*k+200, 1000*k+300), Thread: w.A})
	}
	// 1000 of the 4000 were spent on freeing memory.
	w.A.Exclusive[analyze.PartAllocate], w.A.WorkingExclusive[analyze.PartAllocate] = 4000, 4000
	w.Trace.Finish()
	got := FindMemoryMade(w.Trace, &Gather(w.Trace, Options{}).Submitters)
	if want := (MemoryMade{Calls: 20, Bytes: 1280, Changes: 10, Took: 4000, Residency: 1000, Unfed: 2667}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
