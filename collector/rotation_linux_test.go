package collector

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func setOf(processors ...int) *unix.CPUSet {
	set := &unix.CPUSet{}
	for _, p := range processors {
		set.Set(p)
	}
	return set
}

// A program with as many busy threads as processors lost a fifth of its speed: the collector stayed on one processor
// and took the time of one thread.
func TestRotation(t *testing.T) {
	var moves []unix.CPUSet
	r := &rotation{processors: []int{1, 4, 6}, allowed: setOf(1, 4, 6)}
	r.move = func(_ int, to *unix.CPUSet) error {
		moves = append(moves, *to)
		return nil
	}
	round := func(late bool) []unix.CPUSet {
		moves = nil
		r.begin(late)
		r.end()
		r.shared = late // this test's own thread may be preempted at any time
		return moves
	}
	all := *setOf(1, 4, 6)
	for i, step := range []struct {
		late bool
		want []unix.CPUSet
	}{
		{false, nil}, {true, nil}, {true, []unix.CPUSet{*setOf(4), all}}, {false, []unix.CPUSet{*setOf(6), all}},
		{false, nil},
		{true, nil}, {false, []unix.CPUSet{*setOf(1), all}}, {false, nil},
	} {
		if got := round(step.late); !slices.Equal(got, step.want) {
			t.Errorf("round %d moved to %v, not to %v", i, got, step.want)
		}
	}

	calls := 0
	r.move = func(int, *unix.CPUSet) error {
		calls++
		return []error{nil, errors.New("forbidden")}[calls-1]
	}
	r.shared = true
	r.begin(true)
	r.end()
	r.begin(true)
	if calls != 2 {
		t.Errorf("%d moves, also after one that could not be undone", calls)
	}
	one := &rotation{processors: []int{3}, allowed: setOf(3), shared: true,
		move: func(int, *unix.CPUSet) error { t.Error("moved from the only processor"); return nil }}
	one.begin(true)
	one.end()
}

// A thread that is preempted by busy threads of the machine notices it, moves, and may still use all processors.
func TestRotationOnABusyMachine(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2 * runtime.NumCPU()))
	r := newRotation()
	if len(r.processors) < 2 {
		t.Skip("this process may use one processor only")
	}
	before := *r.allowed
	var stop atomic.Bool
	var busy sync.WaitGroup
	for range runtime.NumCPU() {
		busy.Go(func() {
			for !stop.Load() {
			}
		})
	}
	for began := time.Now(); !r.shared; r.end() {
		if time.Since(began) > time.Minute {
			t.Fatal("a thread that is never preempted although all processors are busy")
		}
		r.begin(false)
		for until := time.Now().Add(20 * time.Millisecond); time.Now().Before(until); {
		}
	}
	next := r.next
	r.begin(false)
	stop.Store(true)
	busy.Wait()
	if r.next == next {
		t.Error("it stayed on its processor")
	}
	var after unix.CPUSet
	if err := unix.SchedGetaffinity(0, &after); err != nil || after != before {
		t.Errorf("it may now use the processors %v, before %v (%v)", after, before, err)
	}
}
