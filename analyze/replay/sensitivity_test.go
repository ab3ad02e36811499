package replay

import (
	"math"
	"testing"

	"mtrace/analyze/replay/change"
	"mtrace/analyze/replay/program"
	"mtrace/fixtures/loops"
)

// The cost of a delay is known for simple programs: the delay itself if a thread waits for everything, nothing if the
// GPU is the limit, and once for each thread if they all wait for one lock.
func TestSensitivity(t *testing.T) {
	full := func() *program.Program {
		p := loops.Of(6, 100, 100*us, 300*us)
		p.Devices[0].Engines = 1
		return p
	}
	unlocks := func() *program.Program {
		p := loops.Of(4, 100, 0, 50*us)
		p.Locks = 2
		loops.Insert(p, program.Acquire, program.Step{Kind: program.Lock, Job: program.Unknown, Lock: 1, Unlocks: true})
		loops.Insert(p, program.Acquire, program.Step{Kind: program.Unlock, Job: program.Unknown, Lock: 1, Gap: 100 * us})
		p.Tied = true
		return p
	}
	one := func() *program.Program { return loops.Of(1, 200, 100*us, 100*us) }
	three := func() *program.Program { return loops.Of(3, 200, 100*us, 100*us) }
	for _, c := range []struct {
		name    string
		program func() *program.Program
		added   Added
		threads int
		want    float64
	}{
		{"before each commit of one thread", one, Added{At: change.BeforeCommit}, 1, 1},
		{"before it makes a command buffer", one, Added{At: change.BeforeAcquire}, 1, 1},
		{"after each wait", one, Added{At: change.AfterWait}, 1, 1},
		{"in completion handlers", one, Added{At: change.InHandler}, 1, 1},
		{"threads that do not wait for each other", three, Added{At: change.BeforeCommit}, 3, 1},
		{"one of them, per command buffer of all", three, Added{At: change.BeforeCommit, Threads: []int32{1}}, 3, 1},
		{"a full GPU", full, Added{At: change.BeforeCommit}, 6, 0},
		{"a full GPU, after waits", full, Added{At: change.AfterWait}, 6, 0},
		{"a lock that all wait for", loops.Locked, Added{At: change.InLock}, 4, 4},
		{"a lock that is released by a step", unlocks, Added{At: change.InLock}, 4, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := replayOf(t, c.program())
			r.readings, r.tied = newReadings(r.program, [2]uint64{1, 2}), r
			c.added.By = 10 * us
			s, why := r.Sensitivity(&c.added, c.threads)
			if s == nil {
				t.Fatal(why)
			}
			if math.Abs(s.Estimate-c.want) > 0.1*max(1, c.want) || s.Low > s.Estimate || s.High < s.Estimate {
				t.Errorf("%+v, want %v", s, c.want)
			}
		})
	}
	r := replayOf(t, one())
	r.tied = r
	if s, why := r.Sensitivity(&Added{At: change.InLock, By: us}, 1); s != nil || why == "" {
		t.Errorf("%+v for a lock that the program does not have", s)
	}
}
