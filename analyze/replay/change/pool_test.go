package change

import (
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/replay/machine"
	"mtrace/analyze/replay/program"
	"mtrace/fixtures/loops"
)

// poolOf is a pool of threads that wait for each item of work; pieces has the number of items of each thread.
func poolOf(pieces ...int) *program.Program {
	p := loops.Of(len(pieces), 0, 0, 0)
	pool := make([]int32, len(pieces))
	for t, n := range pieces {
		pool[t] = int32(t)
		p.Recorded = append(p.Recorded, program.Progress{})
		th := &p.Threads[t]
		for i := range n {
			job := int32(len(p.Jobs))
			p.Jobs = append(p.Jobs, loops.Job(t, 100*loops.Us))
			th.Jobs = append(th.Jobs, job)
			th.Add(program.Step{Kind: program.Acquire, Job: job, Gap: 1010 * loops.Us, Asleep: 1000 * loops.Us},
				program.Detail{})
			th.Add(program.Step{Kind: program.Commit, Job: job}, program.Detail{})
			th.Add(program.Step{Kind: program.Wait, Job: job}, program.Detail{})
			p.Recorded[t].Commits = append(p.Recorded[t].Commits, analyze.Nanos(i)*1000*loops.Us)
		}
	}
	p.Pools = [][]int32{pool}
	return p
}

func wantRate(t *testing.T, what string, p *program.Program, c Change, want float64) {
	t.Helper()
	q := c.Apply(p, nil)
	r, ends := machine.Run(q)
	if got := 1e6 * q.Rate(r.Progress); !ends || got/want < 0.98 || got/want > 1.02 {
		t.Errorf("%s: %.2f command buffers in a millisecond, want %.2f", what, got, want)
	}
}

// TestDeal tells of a pool of nine threads, chosen at random; three of them had almost no work. The predicted speed-up
// with more work was 8×, and the real one is 17×. With too little work the thread that waited last may be woken first.
// That does not determine how work is distributed when there is enough.
func TestDeal(t *testing.T) {
	p := poolOf(100, 60, 30, 10)
	p.Threads[3].Lasts = false
	p.FindPace()
	wantRate(t, "fed, all four work all the time", p, Change{Fed: true}, 4/0.11)
	q := Change{Fed: true}.Apply(p, nil)
	for i := range q.Threads {
		if n := len(q.Threads[i].Jobs); n != 50 {
			t.Errorf("thread %d gets %d of 200 pieces, want 50", i, n)
		}
		for _, j := range q.Threads[i].Jobs {
			if q.Jobs[j].Queue != int32(i) || q.Jobs[j].By != int32(i) {
				t.Fatalf("thread %d has a command buffer of thread %d, on queue %d", i, q.Jobs[j].By, q.Jobs[j].Queue)
			}
		}
	}
	if len(p.Threads[0].Jobs) != 100 {
		t.Error("the recorded program changed")
	}
}

// TestSleepTakesNoProcessor tells of the same pool. A share of its threads' time was treated as work. Since they slept
// for most of it, almost none of their computing was left on a processor when they did not sleep.
func TestSleepTakesNoProcessor(t *testing.T) {
	p := poolOf(100, 100)
	p.Processors.Count = 1
	for i := range p.Jobs {
		p.Jobs[i].Duration = loops.Us
	}
	p.Devices[0].Engines = 2
	wantRate(t, "asleep, they do not hinder each other", p, Change{}, 2/1.016)
	wantRate(t, "fed, both want the processor for all of their own time", p, Change{Fed: true}, 2/0.021)
}

// TestStarvedBehindLocks: without the locks and with enough work, a thread's waits for work do not return.
func TestStarvedBehindLocks(t *testing.T) {
	p := poolOf(100, 100)
	loops.Edit(p, func(s *program.Step, d *program.Detail) { d.Unlocked = s.Gap })
	wantRate(t, "fed, without locks", p, Change{Fed: true, Locks: true}, 2/0.11)
}
