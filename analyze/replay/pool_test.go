package replay

import (
	"testing"

	"mtrace/analyze"
)

// poolOf is a pool of threads that wait for each piece of work, and get so many of them.
func poolOf(pieces ...int) *program {
	p := loops(len(pieces), 0, 0, 0)
	pool := make([]int32, len(pieces))
	for t, n := range pieces {
		pool[t] = int32(t)
		p.recorded = append(p.recorded, run{})
		th := &p.threads[t]
		for i := range n {
			job := int32(len(p.jobs))
			p.jobs = append(p.jobs, jobOf(t, 100*Us))
			th.jobs = append(th.jobs, job)
			th.ops = append(th.ops, op{kind: opAcquire, job: job, gap: 1010 * Us, starved: 1000 * Us}, op{kind: opCommit, job: job}, op{kind: opWait, job: job})
			p.recorded[t].commits = append(p.recorded[t].commits, analyze.Nanos(i)*1000*Us)
		}
	}
	p.pools = [][]int32{pool}
	return p
}

// TestPoolSharesOut tells of a pool of nine threads, drawn at random, of which three got next to nothing to do: fed, the program was predicted to be eight times as
// fast, and is seventeen times. While there is too little, who waits last may be woken first; that says nothing of what all do when there is enough.
func TestPoolSharesOut(t *testing.T) {
	p := poolOf(100, 60, 30, 10)
	p.threads[3].lasts = false
	p.findPace()
	wantRate(t, "fed, all four work all the time", rateOf(t, p, Change{Fed: true}), 4/0.11)
	q := p.dealt()
	for i := range q.threads {
		if n := len(q.threads[i].jobs); n != 50 {
			t.Errorf("thread %d gets %d of 200 pieces, want 50", i, n)
		}
		for _, j := range q.threads[i].jobs {
			if q.jobs[j].queue != int32(i) || q.jobs[j].by != int32(i) {
				t.Fatalf("what thread %d does is thread %d's, on queue %d", i, q.jobs[j].by, q.jobs[j].queue)
			}
		}
	}
	if len(p.threads[0].jobs) != 100 {
		t.Error("the recorded program changed")
	}
}

// TestSleepTakesNoProcessor tells of the same pool: a share of its threads' time was taken to be at work, and as they slept for most of it, next to none of what
// they do was left on a processor when they did not.
func TestSleepTakesNoProcessor(t *testing.T) {
	p := poolOf(100, 100)
	p.processors = 1
	for i := range p.jobs {
		p.jobs[i].duration = Us
	}
	p.engines[0] = 2
	wantRate(t, "asleep, they do not hinder each other", rateOf(t, p, Change{}), 2/1.016)
	wantRate(t, "fed, both want the processor for all of their own time", rateOf(t, p, Change{Fed: true}), 2/0.021)
}
