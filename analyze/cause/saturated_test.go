package cause

import (
	"mtrace/analyze/evidence"
	"mtrace/analyze/replay"
	"testing"
)

// The story: eight threads multiply large matrices, each waits for the work of all, and the GPU is busy for 97% of the
// time, with more work pending in 42% of that. The verdict was device-wide-sync, for 45% of the threads' time; without
// the waits the program is only as fast.
func TestThreadsThatWouldWaitForTheGPUInstead(t *testing.T) {
	shows := evidence.Evidence{Occupancy: evidence.Occupancy{Busy: 0.97, Pending: 0.42},
		Submitters: evidence.Submitters{Steady: 8}}
	for name, c := range map[string]struct {
		cause   string
		speedup *replay.Speedup
		change  func(*evidence.Evidence)
		want    bool
	}{
		"next to nothing is gained": {DeviceWideSync, &replay.Speedup{Estimate: 1.1, Low: 0.7, High: 1.24}, nil, true},
		"much is gained":            {DeviceWideSync, &replay.Speedup{Estimate: 1.5, Low: 1.3, High: 1.7}, nil, false},
		"it is not known":           {DeviceWideSync, nil, nil, false},
		"another cause":             {LockContention, &replay.Speedup{Estimate: 1.1, Low: 0.7, High: 1.24}, nil, false},
		"the GPU rests": {DeviceWideSync, &replay.Speedup{Estimate: 1.1, Low: 0.7, High: 1.24},
			func(ev *evidence.Evidence) { ev.Occupancy.Busy = 0.8 }, false},
		"the GPU has nothing else to do": {DeviceWideSync, &replay.Speedup{Estimate: 1.1, Low: 0.7, High: 1.24},
			func(ev *evidence.Evidence) { ev.Occupancy.Pending = 0.1 }, false},
	} {
		now := shows
		if c.change != nil {
			c.change(&now)
		}
		a := &Analysis{Evidence: &now, Verdict: Verdict{Cause: c.cause,
			Causes: []Finding{{Cause: c.cause, Speedup: c.speedup}}}}
		if got := a.wouldWaitForTheGPU() != nil; got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
