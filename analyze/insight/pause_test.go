package insight

import (
	"strings"
	"testing"

	"mtrace/fixtures/tracesim"
)

// The same work of the processor took three times as long after each sleep, and was not reported, or only as "first
// iterations are slower".
func TestSlowAfterPause(t *testing.T) {
	// each fourth of 100 steps begins with a pause; slow is how many times as long its work takes
	program := func(slow int64, unseen bool) func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
		return func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
			for i := range 100 {
				times := int64(1)
				if i%4 == 3 {
					th.Nanosleep(20 * ms)
					times = slow
				}
				if unseen {
					th.Sleep(times * ms)
				} else {
					th.Work(times * ms)
				}
				th.Wait(iterate(th, q, 300*us, "step"))
			}
		}
	}
	encoding := func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
		for i := range 100 {
			th.Work(5 * ms)
			times := int64(1)
			if i%4 == 3 {
				th.Nanosleep(20 * ms)
				times = 3
			}
			b := th.CommandBuffer(q)
			th.Work(times * 500 * us)
			th.Encode(b, "step", 300*us)
			th.Commit(b)
			th.Wait(b)
		}
	}
	for _, c := range []struct {
		name   string
		script func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread)
		says   string // empty: nothing is reported
	}{
		{"three times as long", program(3, false), "the next step from commit to commit took 3.0 times as long"},
		{"encoding three times as long", encoding, "the next encoding and commit took 3.0 times as long"},
		{"as long as ever", program(1, false), ""},
		{"it waits for something that is not recorded", program(3, true), ""},
		{"pauses of all lengths, and work of all lengths", func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
			for range 100 {
				th.Nanosleep(int64(20 * ms * th.Random()))
				th.Work(int64(3 * ms * th.Random()))
				th.Wait(iterate(th, q, 300*us, "step"))
			}
		}, ""},
	} {
		s := tracesim.NewSim(1, 1)
		s.Processors.Count = 2
		i, found := lookIn(t, s, c.script)["slow-after-pause"]
		if found != (c.says != "") || !strings.Contains(i.Evidence, c.says) {
			t.Errorf("%s: %+v", c.name, i)
		}
	}
}
