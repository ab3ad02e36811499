package cause_test

import (
	"testing"

	"mtrace/analyze/cause"
	"mtrace/fixtures/tracesim"
)

// watched is a program in which one thread submits, and another one waits for the command buffers and then signals the
// first. The watcher asks for their status at intervals; if polls is 0, it waits in a call.
func watched(polls, gpu int64) *tracesim.Sim {
	s := tracesim.NewSim(4, 7)
	given, done := &tracesim.Shelf{}, &tracesim.Shelf{}
	q := s.NewQueue("", 0)
	var last *tracesim.Buffer
	s.Thread(func(t *tracesim.Thread) {
		for range 150 {
			b := t.CommandBuffer(q)
			t.Encode(b, "step", gpu)
			t.Commit(b)
			last = b
			given.Put(t)
			done.Take(t)
		}
		given.Close()
	})
	s.Thread(func(t *tracesim.Thread) {
		for given.Take(t) {
			if polls > 0 {
				t.Poll(last, polls)
			} else {
				t.Wait(last)
			}
			done.Put(t)
		}
	})
	return s
}

// TestWatcherThatPolls tells of a thread that asks for the status of command buffers at intervals for the thread that
// submits them. The submitting thread's wait on the idle GPU counted as starvation, and no gain was predicted: the
// verdict was none.
func TestWatcherThatPolls(t *testing.T) {
	for _, c := range []struct{ polls, gpu int64 }{{2 * ms, 1500 * us}, {ms, 300 * us}, {ms, 2200 * us}} {
		trace := load(t, watched(c.polls, c.gpu).Run(t))
		real := rate(load(t, watched(0, c.gpu).Run(t))) / rate(trace)
		v := cause.Analyze(trace, cause.Options{}).Verdict
		if v.Cause != cause.Polling {
			t.Errorf("%+v: %s: %s", c, v.Cause, v.Summary)
			for _, f := range v.Causes {
				t.Log(f.Cause, f.Lost, f.Speedup, f.Summary)
			}
			continue
		}
		if s := v.Causes[0].Speedup; s == nil || s.Estimate > 1.15*real || s.Estimate < real/1.25 {
			t.Errorf("%+v: predicted %v, and with a watcher that is woken it is %.2f times as fast", c, s, real)
		}
	}
}
