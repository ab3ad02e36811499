package change

import (
	"math"
	"testing"

	"mtrace/analyze/replay/program"
	"mtrace/fixtures/loops"
)

const us = loops.Us

// TestSubmitApart tells of programs in which one thread submits for all. Nothing was predicted, although all of its
// work for each thread is in the trace.
func TestSubmitApart(t *testing.T) {
	p := loops.Served(5, 100, 200*us)
	wantRate(t, "one submits", p, Change{}, 1/0.2)
	wantRate(t, "each submits", p, Change{Apart: true, SpareCapacity: true}, 5/0.21)
	wantRate(t, "each submits, to a GPU that runs one at a time", p, Change{Apart: true}, 1/0.2)
	if got := len(p.Threads[0].Jobs); got != 500 {
		t.Errorf("the program itself was changed: the first thread has %d command buffers", got)
	}
}

// TestSubmitApartOwnWork: a thread that comes after the serving one keeps the work that it submitted for itself.
func TestSubmitApartOwnWork(t *testing.T) {
	p := loops.Served(2, 100, 200*us)
	last := int32(len(p.Threads) - 1)
	th := &p.Threads[last]
	for range 100 {
		j := int32(len(p.Jobs))
		p.Jobs = append(p.Jobs, program.Job{By: last, Duration: us})
		th.Jobs = append(th.Jobs, j)
		th.Add(program.Step{Kind: program.Acquire, Job: j}, program.Detail{})
		th.Add(program.Step{Kind: program.Commit, Job: j}, program.Detail{})
	}
	q := Change{Apart: true}.Apply(p, nil)
	for i := range q.Threads {
		for _, j := range q.Threads[i].Jobs {
			if q.Jobs[j].By != int32(i) {
				t.Fatalf("command buffer %d of thread %d belongs to thread %d", j, i, q.Jobs[j].By)
			}
		}
	}
}

// TestSubmitApartSharedCommandBuffers tells of a stream that encodes work for several threads, and commits on request
// of one of them. The command buffer belongs to the thread that requested the commit.
func TestSubmitApartSharedCommandBuffers(t *testing.T) {
	p := loops.Served(2, 100, 200*us)
	first := &p.Threads[0]
	steps := first.Steps
	first.Steps, first.Details = nil, nil
	for i := 0; i < len(steps); i += 10 { // of two requests, the first is only to make the command buffer
		s := steps[i : i+10]
		work := []program.Step{s[0], s[1], s[4], s[5], s[7], s[8], s[9]}
		work[4].Job, work[5].Job = work[1].Job, work[1].Job
		work[1].Gap = 30 * us
		for _, w := range work {
			first.Add(w, program.Detail{})
		}
	}
	wantRate(t, "one submits", p, Change{}, 1/0.23)
	q := Change{Apart: true}.Apply(p, nil)
	if n := len(q.Threads); n != 1 || len(q.Threads[0].Jobs) != 100 {
		t.Fatalf("%d threads are left, want the one that commits, with all 100 command buffers", n)
	}
	wantRate(t, "each for itself", p, Change{Apart: true, SpareCapacity: true}, 1/0.21)
}

// TestSubmitApartAnswersNobody tells of threads whose work one thread submits. Their predicted gain from submitting it
// themselves was up to a fifth too low: the serving thread's time after an answer, to wake the threads that asked, was
// added to each of them with its work.
func TestSubmitApartAnswersNobody(t *testing.T) {
	p := loops.Served(5, 100, 100*us)
	loops.Edit(p, func(s *program.Step, d *program.Detail) {
		if s.Kind == program.Acquire {
			s.Gap, d.Unlocked = 100*us, 100*us
		}
	})
	p.Threads[0].Busy = 0.4
	wantRate(t, "one submits", p, Change{}, 1/0.2)
	wantRate(t, "each submits, which takes 80 µs without the answer", p, Change{Apart: true, SpareCapacity: true}, 5/0.19)
	if got := requests(p).busy; math.Abs(got-0.25) > 0.01 {
		t.Errorf("of that it is on a processor for %.2f, want 0.25", got)
	}
}

// TestSubmitApartKeepsOwnWork tells of eight clients that compute 130 µs for each request, on two processors. Half of
// that was mistaken for the cost of sending requests, and their gain from submitting themselves was predicted as 4.4
// where it was 2.7.
func TestSubmitApartKeepsOwnWork(t *testing.T) {
	p := loops.Served(8, 100, 100*us)
	p.Processors.Count, p.Framework.Time = 2, 40*us
	loops.Edit(p, func(s *program.Step, d *program.Detail) {
		if s.Kind == program.Request {
			s.Gap, d.Unlocked = 130*us, 130*us
		}
	})
	for i := range p.Threads {
		p.Threads[i].Busy = 1
	}
	q := Change{Apart: true}.Apply(p, nil)
	for i := range q.Threads {
		th := &q.Threads[i]
		if on := th.Busy * float64(th.OwnTime(len(th.Steps))/us) / 100; math.Abs(on-110) > 1 {
			t.Errorf("thread %d: %.0f µs on a processor for each request, want 110", i, on)
		}
	}
}

// TestSubmitApartClock tells of an analysis that crashed. The command buffers of a server waited for the next event of
// a timer, and after the server was removed they referred to a thread that did not exist.
func TestSubmitApartClock(t *testing.T) {
	p := loops.Served(2, 100, 200*us)
	timer := loops.Thread()
	for n := range int32(300) {
		timer.Add(program.Step{Kind: program.SetEvent, Number: n, Gap: 1000 * us}, program.Detail{})
	}
	p.Threads, p.Recorded = append(p.Threads, timer), append(p.Recorded, program.Progress{})
	p.Events = len(timer.Steps)
	for i := range p.Jobs {
		p.Jobs[i].Clock = int32(len(p.Threads))
	}
	wantRate(t, "one submits", p, Change{}, 1)
	wantRate(t, "each submits", p, Change{Apart: true, SpareCapacity: true}, 2)
}
