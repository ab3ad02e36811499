package cause_test

import (
	"testing"

	"mtrace/analyze/cause"
	"mtrace/analyze/replay"
	"mtrace/fixtures/tracesim"
)

// staged is a pipeline of two stages with room for two items between them. The first stage submits each item in several
// command buffers and waits for each, the second one longer command buffer for which it polls.
func staged(each int, wait func(t *tracesim.Thread, b *tracesim.Buffer), between int64) *tracesim.Sim {
	const items = 150
	s := tracesim.NewSim(4, 1)
	ready, room := &tracesim.Shelf{}, &tracesim.Shelf{}
	s.Thread(func(t *tracesim.Thread) {
		q := s.NewQueue("first", 64)
		for i := range items {
			if i < 2 {
				room.Put(t)
			}
			room.Take(t)
			t.Work(between)
			for range each {
				b := t.CommandBuffer(q)
				t.Encode(b, "short", 5_000)
				t.Commit(b)
				t.Wait(b)
			}
			ready.Put(t)
		}
		ready.Close()
	})
	s.Thread(func(t *tracesim.Thread) {
		q := s.NewQueue("second", 64)
		for ready.Take(t) {
			t.Work(100_000)
			b := t.CommandBuffer(q)
			t.Encode(b, "long", 400_000)
			t.Commit(b)
			wait(t, b)
			room.Put(t)
		}
	})
	return s
}

func poll(t *tracesim.Thread, b *tracesim.Buffer) { t.Poll(b, 350_000) }

// TestSlowestStage replays pipelines with one stage made faster. The replay once let a stage run ahead of the others
// and counted its command buffers as the speed of the pipeline. Or the other stage waited as long as in the recorded
// run, although it waited for the stage that had become faster.
func TestSlowestStage(t *testing.T) {
	wait := (*tracesim.Thread).Wait
	for _, c := range []struct {
		name          string
		before, after *tracesim.Sim
		of            string
	}{
		{"the first submits less often, and the second becomes the slowest", staged(12, wait, 250_000),
			staged(1, wait, 250_000), cause.LaunchBound},
		{"the second, which is the slowest, polls", staged(2, poll, 100_000), staged(2, wait, 100_000), cause.Polling},
		{"the second polls, and the first is the slowest", staged(2, poll, 900_000), staged(2, wait, 900_000),
			cause.Polling},
	} {
		t.Run(c.name, func(t *testing.T) {
			trace := load(t, c.before.Run(t))
			real := float64(trace.TimeRange.Length()) / float64(load(t, c.after.Run(t)).TimeRange.Length())
			a := cause.Analyze(trace, cause.Options{})
			g, why, err := a.Predict([]replay.Wanted{{Kind: cause.KindCause, Pattern: c.of}})
			if err != nil || why != "" || g.Low > real || g.High < real {
				t.Errorf("predicted %s (%s, %v), and it is %.2f times as fast", g.InWords(), why, err, real)
			}
		})
	}
}
