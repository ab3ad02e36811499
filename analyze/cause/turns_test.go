package cause

import (
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/tracesim"
)

// shortOfProcessors is a run of six threads on two processors, which each may lose its processor between making a command buffer and its commit. They
// take a lock around all of it, if there is one.
func shortOfProcessors(t *testing.T, take tracesim.Taking) *analyze.Trace {
	const us, ms = 1_000, 1_000_000
	s, lock := tracesim.NewSim(8, 3), &tracesim.Lock{}
	for range 6 {
		q := s.NewQueue("", 0)
		s.Thread(func(th *tracesim.Thread) {
			for range 25 {
				if take != nil {
					take(th, lock)
				}
				b := th.CommandBuffer(q)
				if th.Random() < 0.3 {
					th.Sleep(int64(th.Random() * 8 * ms))
				}
				th.Encode(b, "step", ms)
				th.Commit(b)
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
		th.CPU = []analyze.CPUSample{{At: th.Active.Begin}, {At: th.Active.End, Ran: length * 30 / 100, Waited: length * 60 / 100}}
	}
	return trace
}

// The story: threads that spun for a lock on too few processors were called cpu-bound. One of them waited for the GPU for 80 % of the time only, as who had
// the lock had lost its processor to one that wanted it.
func TestSpinLockWhereProcessorsAreShort(t *testing.T) {
	for name, c := range map[string]struct {
		take tracesim.Taking
		want string
	}{"a spin lock": {(*tracesim.Thread).Spin, LockContention}, "a ticket lock": {(*tracesim.Thread).Queue, LockContention}, "none": {nil, CPUBound}} {
		v := Analyze(shortOfProcessors(t, c.take), Options{}).Verdict
		if v.Cause != c.want {
			t.Errorf("%s: %s, not %s: %s", name, v.Cause, c.want, v.Summary)
		}
	}
}
