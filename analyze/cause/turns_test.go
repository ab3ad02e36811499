package cause

import (
	"testing"

	"mtrace/analyze"
	"mtrace/fixtures/tracesim"
)

// shortOfProcessors is a run of six threads on two processors. Each may lose its processor between creating a command
// buffer and its commit. With late it may instead lose it between taking the lock and creating the command buffer, and
// before waiting for it. The threads hold a lock around all of this, if there is one. For waited hundredths of their
// time they are counted as waiting for a processor.
func shortOfProcessors(t *testing.T, take tracesim.Taking, late bool, waited analyze.Nanos) *analyze.Trace {
	const us, ms = 1_000, 1_000_000
	s, lock := tracesim.NewSim(8, 3), &tracesim.Lock{}
	for range 6 {
		q := s.NewQueue("", 0)
		s.Thread(func(th *tracesim.Thread) {
			for range 25 {
				if take != nil {
					take(th, lock)
				}
				lose := func(here bool) {
					if here && th.Random() < 0.3 {
						th.Sleep(int64(th.Random() * 8 * ms))
					}
				}
				lose(late)
				b := th.CommandBuffer(q)
				lose(!late)
				th.Encode(b, "step", ms)
				th.Commit(b)
				lose(late)
				th.Wait(b)
				th.Unlock(lock)
				th.Sleep(50 * us)
			}
		})
	}
	trace, err := analyze.Load(s.Run(t), analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	trace.Source.Processors = 2
	for _, th := range trace.Threads {
		length := th.Active.Length()
		th.CPU = []analyze.CPUSample{{At: th.Active.Begin}, {At: th.Active.End, Ran: length * 30 / 100,
			Waited: length * waited / 100}}
	}
	return trace
}

// The story: threads that spun for a lock on too few processors were called cpu-bound. One of them waited for the GPU
// for only 80% of the time, because the holder of the lock had lost its processor to a spinning thread. The next owner
// of a ticket lock may be without a processor when its turn comes. All 14 drawn programs with a ticket lock were called
// cpu-bound: for up to half of the time no thread was between creating a command buffer and the end of the wait for it.
// A thread that had lost its processor before it waited found its work done, and seemed to continue into the next turn.
// On a virtual machine whose host takes processors away, a part of the threads' demand for processors is not counted:
// two more programs were cpu-bound because of that.
func TestSpinLockWhereProcessorsAreShort(t *testing.T) {
	for name, c := range map[string]struct {
		take   tracesim.Taking
		late   bool
		waited analyze.Nanos
		want   string
	}{
		"a spin lock":                     {(*tracesim.Thread).Spin, false, 60, LockContention},
		"a ticket lock":                   {(*tracesim.Thread).Queue, false, 60, LockContention},
		"none":                            {nil, false, 60, CPUBound},
		"a ticket lock, whose turn waits": {(*tracesim.Thread).Queue, true, 60, LockContention},
		"the same on a virtual machine":   {(*tracesim.Thread).Queue, true, 45, LockContention},
		"none, and threads are late":      {nil, true, 60, CPUBound},
	} {
		v := Analyze(shortOfProcessors(t, c.take, c.late, c.waited), Options{}).Verdict
		if v.Cause != c.want {
			t.Errorf("%s: %s, not %s: %s", name, v.Cause, c.want, v.Summary)
		}
	}
}

// Threads that compute for most of the time, and hold a lock with little contention while they wait for the GPU, never
// wait for the GPU at the same time either. Their computing in between needs no lock.
func TestComputingBesideAQuietLock(t *testing.T) {
	const ms = 1_000_000
	s, lock := tracesim.NewSim(8, 3), &tracesim.Lock{}
	for range 3 {
		q := s.NewQueue("", 0)
		s.Thread(func(th *tracesim.Thread) {
			for range 60 {
				th.Sleep(int64((8 + 4*th.Random()) * ms)) // it computes, and would need a processor for a third of that
				th.Spin(lock)
				b := th.CommandBuffer(q)
				th.Encode(b, "step", ms)
				th.Commit(b)
				th.Wait(b)
				th.Unlock(lock)
			}
		})
	}
	trace, err := analyze.Load(s.Run(t), analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	trace.Source.Processors = 1
	for _, th := range trace.Threads {
		length := th.Active.Length()
		th.CPU = []analyze.CPUSample{{At: th.Active.Begin}, {At: th.Active.End, Ran: length * 31 / 100,
			Waited: length * 60 / 100}}
	}
	a := Analyze(trace, Options{})
	if v := a.Verdict; v.Cause != CPUBound {
		t.Errorf("%s, not %s: %s", v.Cause, CPUBound, v.Summary)
	}
	if turns := a.Evidence.Turns.RoundTrips; turns != nil && a.Evidence.Submitters.Share(turns.Lost) > 0.4 {
		t.Errorf("%.2f of the time is laid on the lock", a.Evidence.Submitters.Share(turns.Lost))
	}
}
