package experiment

import (
	"math"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/replay"
	"mtrace/analyze/replay/change"
	"mtrace/fixtures/tracesim"
)

// Four threads that hold one lock from their first encoder to the end of their wait for the GPU also take turns at
// waiting for the GPU. The replay once added a second lock for these turns, although the trace has the waits for the
// real one. It predicted a sensitivity of 1.7 to 4.9 for delays under the lock of six threads. An experiment with a
// real program measured 6, which is right: each thread waits for all six delays.
func TestLockKeptDuringTheWait(t *testing.T) {
	const us, threads = 1000, 6
	s, lock := tracesim.NewSim(8, 1), &tracesim.Lock{Seen: true}
	for range threads {
		q := s.NewQueue("", 0)
		s.Thread(func(t *tracesim.Thread) {
			for range 150 {
				t.Lock(lock)
				b := t.CommandBuffer(q)
				t.Encode(b, "step", 600*us)
				t.Commit(b)
				t.Wait(b)
				t.Unlock(lock)
				t.Sleep(300 * us)
			}
		})
	}
	trace, err := analyze.Load(s.Run(t), analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	of := replay.New(evidence.Gather(trace, evidence.Options{Seed: 1}), evidence.ExternalGPUUse{}, 1)
	if names := of.Locks(); len(names) != 1 || !strings.Contains(names[0], "lock") {
		t.Fatalf("the replay has the locks %q, want the recorded one", names)
	}
	for _, at := range []change.DelayPoint{change.BeforeCommit, change.AfterWait, change.InLock} {
		got, why := of.Sensitivity(&replay.Added{At: at, By: 100 * us, Sleeps: true, Lock: 1}, threads)
		if got == nil || math.Abs(got.Estimate-threads) > 0.2 {
			t.Errorf("place %d: %+v %s, want %d", at, got, why, threads)
		}
	}
}
