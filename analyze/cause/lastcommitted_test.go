package cause_test

import (
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/fixtures/tracesim"
)

// lastCommitted is a run of threads that each work on the CPU after a commit and then wait for one command buffer:
// their own, or with global the last one that any of the threads has committed. The command buffers of the last thread
// are long, the other threads' command buffers are short.
func lastCommitted(t *testing.T, threads int, global, oneQueue bool, seed uint64) *analyze.Trace {
	const us = 1_000
	s := tracesim.NewSim(8, seed)
	shared := s.NewQueue("stream", 0)
	var last *tracesim.Buffer
	for i := range threads {
		q, work := shared, int64(100*us)
		if !oneQueue {
			q = s.NewQueue("", 0)
		}
		if i == threads-1 {
			work = 900 * us
		}
		s.Thread(func(th *tracesim.Thread) {
			for range 120 {
				th.Work(int64(40+30*i) * us)
				b := th.CommandBuffer(q)
				th.Encode(b, "layer", work)
				th.Commit(b)
				last = b
				th.Work(int64(th.Random() * 200 * us))
				if global {
					th.Wait(last)
				} else {
					th.Wait(b)
				}
			}
		})
	}
	return load(t, s.Run(t))
}

// Threads that keep the last committed command buffer in one variable of the process, and wait for it, wait for
// whichever thread committed last: device-wide-sync.
func TestLastCommitted(t *testing.T) {
	for _, c := range []struct {
		name             string
		threads          int
		global, oneQueue bool
	}{
		{"three threads", 3, true, false},
		{"two threads", 2, true, false},
		{"three threads, one queue", 3, true, true},
		{"own command buffers", 3, false, false},
		{"own command buffers, one queue", 3, false, true},
	} {
		for seed := range uint64(3) {
			v := cause.Analyze(lastCommitted(t, c.threads, c.global, c.oneQueue, seed+1), cause.Options{}).Verdict
			if (v.Cause == cause.DeviceWideSync) != c.global {
				t.Errorf("%s, seed %d: verdict %s: %s", c.name, seed+1, v.Cause, v.Summary)
			}
		}
	}
}
