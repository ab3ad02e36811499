package serial

import "testing"

// The story: eight threads multiply large matrices, each waits for the work of all, and the GPU is busy for 97 % of the time, with more
// ready for it in 42 % of that. The verdict was device-wide-sync, for 45 % of the threads' time; without it the program is as fast.
func TestThreadsThatWouldWaitForTheGPUInstead(t *testing.T) {
	f := facts{busy: 0.97, backlog: 0.42, steady: 8}
	for name, c := range map[string]struct {
		cause   string
		speedup *Speedup
		change  func(*facts)
		want    bool
	}{
		"next to nothing is gained":      {DeviceWideSync, &Speedup{1.1, 0.7, 1.24}, nil, true},
		"much is gained":                 {DeviceWideSync, &Speedup{1.5, 1.3, 1.7}, nil, false},
		"it is not known":                {DeviceWideSync, nil, nil, false},
		"another cause":                  {LockContention, &Speedup{1.1, 0.7, 1.24}, nil, false},
		"the GPU rests":                  {DeviceWideSync, &Speedup{1.1, 0.7, 1.24}, func(f *facts) { f.busy = 0.8 }, false},
		"the GPU has nothing else to do": {DeviceWideSync, &Speedup{1.1, 0.7, 1.24}, func(f *facts) { f.backlog = 0.1 }, false},
	} {
		now := f
		if c.change != nil {
			c.change(&now)
		}
		a := &Analysis{Verdict: Verdict{Cause: c.cause, Causes: []Finding{{Cause: c.cause, Speedup: c.speedup}}}}
		if got := a.wouldWaitForTheGPU(&now) != nil; got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
