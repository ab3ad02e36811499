package evidence

import (
	"testing"

	"mtrace/analyze"
)

// TestBarriersOfInputs: barriers are found in waits for signals alone, here without any trace.
func TestBarriersOfInputs(t *testing.T) {
	threads := []*analyze.Thread{{ID: 1}, {ID: 2}, {ID: 3}}
	submitters := &Submitters{Submits: map[*analyze.Thread]bool{}}
	for _, th := range threads {
		submitters.Submits[th] = true
	}
	// In each round two threads wait for the third, which comes 1 ms after them; the last thread changes.
	rounds := func(n int, waiting func(round int) []int) (waits []analyze.SignalWait) {
		for i := range n {
			at, last := analyze.Nanos(i)*10_000_000, threads[i%3]
			for _, k := range waiting(i) {
				waits = append(waits, analyze.SignalWait{
					Call:   analyze.Call{Interval: analyze.Interval{Begin: at, End: at + 1_001_000}, Thread: threads[k]},
					Object: 7, Signaller: last, Signalled: at + 1_000_000})
			}
		}
		return waits
	}
	others := func(i int) []int { return []int{(i + 1) % 3, (i + 2) % 3} }
	b := FindBarriers(&GPUWork{}, rounds(30, others), submitters, nil)
	switch {
	case b == nil || len(b.Rounds) != 30 || len(b.Threads) != 3:
		t.Fatalf("no barrier of three threads in 30 rounds: %+v", b)
	case b.Rounds[4].Last != threads[1] || b.Rounds[4].Lost != 2_000_000:
		t.Errorf("of round 4 the last is %d, and %v were lost", b.Rounds[4].Last.ID, b.Rounds[4].Lost)
	case !b.Rotates():
		t.Error("the last thread changes in a recurring order, and that is not seen")
	}
	if b := FindBarriers(&GPUWork{}, rounds(9, others), submitters, nil); b != nil {
		t.Errorf("nine rounds are chance, not a barrier: %+v", b)
	}
	one := func(i int) []int { return []int{(i + 1) % 3} }
	if b := FindBarriers(&GPUWork{}, rounds(30, one), submitters, nil); b != nil {
		t.Errorf("each releases one other: that is no barrier: %+v", b)
	}
}

// TestExecutionOfInputs: the GPU's work of a thread counts as executing also while the thread sleeps on a semaphore
// that
// its completion handler posts.
func TestExecutionOfInputs(t *testing.T) {
	th := &analyze.Thread{ID: 1, Active: analyze.Interval{Begin: 0, End: 1000}}
	times := &ThreadTimes{Threads: []*ThreadTime{{Thread: th, Working: 1000, CommandBuffers: 3}}}
	times.Threads[0].WorkTime[analyze.PartWaitExecuting] = 100
	times.Threads[0].WorkTime[analyze.PartOutside] = 700
	times.Threads[0].WorkTime[analyze.PartLock] = 200
	submitters := &Submitters{Participants: map[*analyze.Thread]bool{th: true}, Time: 1000}
	ran := NewBusy([]analyze.Interval{{Begin: 200, End: 600}})
	work := &GPUWork{Devices: []*Device{{all: ran, any: ran, byThread: map[*analyze.Thread]*Busy{th: ran}}}}
	asleep := []analyze.SignalWait{{Call: analyze.Call{Interval: analyze.Interval{Begin: 300, End: 800}, Thread: th}}}

	e := TimeOfExecution(work, times, submitters, nil, nil, nil, nil)
	if e.Waited != 100 || e.Outside != 700 || e.Other != 200 || e.Most() {
		t.Errorf("without sleep: %+v", e)
	}
	e = TimeOfExecution(work, times, submitters, nil, asleep, nil, nil)
	if e.Waited != 400 || e.Outside != 400 || e.Other != 200 || !e.Most() {
		t.Errorf("with sleep: %+v", e)
	}
}
