package replay

import (
	"math"
	"testing"

	"mtrace/analyze"
)

// served is a program whose first thread does for each of the others what they ask it for, and that is all they do.
func served(threads, rounds int, gpu analyze.Nanos) *program {
	p := &program{engines: []int{1}, limited: []bool{false}, handed: 1, queues: []queueOf{{capacity: 64, most: 1}}}
	p.threads = make([]thread, threads+1)
	p.recorded = make([]run, threads+1)
	p.submitter.thread = &analyze.Thread{}
	for t := range p.threads {
		p.threads[t].quiet, p.threads[t].free, p.threads[t].left = 1, 1, 1
		p.recorded[t].ended = analyze.Nanos(threads*rounds) * gpu
	}
	p.lasted = p.recorded[0].ended
	first := &p.threads[0]
	first.lasts, first.paces = true, true
	for range rounds {
		for t := 1; t <= threads; t++ {
			k, job := int32(p.submitter.pieces), int32(len(p.jobs))
			p.submitter.pieces++
			p.jobs = append(p.jobs, jobOf(0, gpu))
			first.jobs = append(first.jobs, job)
			first.ops = append(first.ops, op{kind: opTake, piece: k}, op{kind: opAcquire, job: job}, op{kind: opCommit, job: job}, op{kind: opWait, job: job}, op{kind: opAnswer, piece: k})
			p.threads[t].ops = append(p.threads[t].ops, op{kind: opAsk, piece: k, gap: 10 * Us})
		}
	}
	return p
}

// The story: nothing was predicted where one thread submits for all, though all that it does for each is in the trace.
func TestReplayApart(t *testing.T) {
	p := served(5, 100, 200*Us)
	wantRate(t, "one submits", rateOf(t, p, Change{}), 1/0.2)
	wantRate(t, "each submits", rateOf(t, p, Change{Apart: true, room: true}), 5/0.21)
	wantRate(t, "each submits, to a GPU that runs one at a time", rateOf(t, p, Change{Apart: true}), 1/0.2)
	if got := len(p.threads[0].jobs); got != 500 {
		t.Errorf("the program itself was changed: the first thread has %d jobs", got)
	}
}

// The story: a stream that encodes what several threads want, and commits when one asks it to, makes the command buffer for a thread
// that does not commit it.
func TestReplayApartSharesCommandBuffers(t *testing.T) {
	p := served(2, 100, 200*Us)
	first := &p.threads[0]
	var ops []op
	for i := 0; i < len(first.ops); i += 10 { // of two pieces, the first is only to make the command buffer
		piece := first.ops[i : i+10]
		work := []op{piece[0], piece[1], piece[4], piece[5], piece[7], piece[8], piece[9]}
		work[4].job, work[5].job = work[1].job, work[1].job
		work[1].gap = 30 * Us
		ops = append(ops, work...)
	}
	first.ops = ops
	wantRate(t, "one submits", rateOf(t, p, Change{}), 1/0.23)
	apart := p.apart()
	if n := len(apart.threads); n != 1 || len(apart.threads[0].jobs) != 100 {
		t.Fatalf("%d threads are left, want the one that commits, with all 100 command buffers", n)
	}
	wantRate(t, "each for itself", rateOf(t, p, Change{Apart: true, room: true}), 1/0.21)
}

// The story: threads whose work one submits were predicted to gain up to a fifth less than they do from submitting it themselves. When it has answered, that
// thread runs for long, to wake who asked; that went to each of them with its work, as if it were the work's.
func TestReplayApartAnswersNobody(t *testing.T) {
	p := served(5, 100, 100*Us)
	for i := range p.threads[0].ops {
		if o := &p.threads[0].ops[i]; o.kind == opAcquire {
			o.gap, o.unlocked = 100*Us, 100*Us
		}
	}
	p.threads[0].busy = 0.4
	wantRate(t, "one submits", rateOf(t, p, Change{}), 1/0.2)
	wantRate(t, "each submits, which takes 80 µs without the answer", rateOf(t, p, Change{Apart: true, room: true}), 5/0.19)
	if got := p.pieces().busy; math.Abs(got-0.25) > 0.01 {
		t.Errorf("of that it is on a processor for %.2f, want 0.25", got)
	}
}
