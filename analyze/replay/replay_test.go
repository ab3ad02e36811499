package replay

import (
	"math"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

const Us = analyze.Nanos(1000)

// loops is a program of threads that each compute, commit and wait for their own work, so many times.
func loops(threads, rounds int, compute, gpu analyze.Nanos) *program {
	p := &program{engines: []int{threads}, limited: []bool{false}, handed: 1}
	for t := range threads {
		p.queues = append(p.queues, queueOf{capacity: 64, most: 1})
		th := thread{lasts: true, paces: true, busy: 1, quiet: 1, free: 1, left: 1}
		for range rounds {
			job := int32(len(p.jobs))
			p.jobs = append(p.jobs, jobOf(t, gpu))
			th.jobs = append(th.jobs, job)
			th.ops = append(th.ops, op{kind: opAcquire, job: job, gap: compute, unlocked: compute}, op{kind: opCommit, job: job}, op{kind: opWait, job: job})
		}
		p.threads = append(p.threads, th)
	}
	return p
}

func jobOf(t int, gpu analyze.Nanos) job { return job{queue: int32(t), by: int32(t), duration: gpu} }

func rateOf(t *testing.T, p *program, c Change) float64 {
	t.Helper()
	rate, ends := p.run(c)
	if !ends {
		t.Fatal("the replay does not end")
	}
	return rate * 1e6 // in each millisecond
}

func wantRate(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got/want-1) > 0.02 {
		t.Errorf("%s: %.2f command buffers in a millisecond, want %.2f", what, got, want)
	}
}

// TestScattered: two bursts that come at the same time share no processor when there are two, unless they are put where they will.
func TestScattered(t *testing.T) {
	for _, scattered := range []float64{0, 1} {
		shared := 0
		c := newCores(2, scattered)
		for seq := range 1000 {
			at := analyze.Nanos(seq) * analyze.Nanos(1e9)
			for i := range 2 {
				c.begin(at, 100*Us, replayEvent{seq: 2*seq + i})
			}
			k, end, _ := firstDone(c.each)
			if c.each[k].end(end); end > at+100*Us {
				shared++
			}
			k, end, _ = firstDone(c.each)
			c.each[k].end(end)
		}
		if want := 500 * scattered; math.Abs(float64(shared)-want) > 100*scattered {
			t.Errorf("scattered %.0f: %d of 1000 pairs shared a processor, want %.0f", scattered, shared, want)
		}
	}
}

// The story: without their locks six threads were predicted to be 4.4 times as fast on two processors and were 3.3 times as fast,
// because they all wanted a processor then.
func TestReplayProcessors(t *testing.T) {
	p := loops(4, 200, 100*Us, 100*Us)
	wantRate(t, "with a processor for each", rateOf(t, p, Change{}), 4/0.2)
	p.processors = 1
	before := rateOf(t, p, Change{})
	wantRate(t, "on one processor, which four that want it at once share evenly", before, 4/0.5)
	wantRate(t, "with a processor for each again", rateOf(t, p, Change{Cores: true}), 4/0.2)
	for i := range p.threads {
		p.threads[i].busy = 0.5 // of the recorded 100 µs each waited for a processor in a part
	}
	before = rateOf(t, p, Change{})
	p.removeDelays()
	if got := rateOf(t, p, Change{}); got <= before {
		t.Errorf("on one processor, what was waited for it taken out: %.2f instead of %.2f", got, before)
	}
}

// The story: beside three busy loops on two processors the demo was predicted to be 2.5 times as fast without its needless waits, and was 1.4 times. Its
// GPU is made of processors, and was replayed as if its work took none, eight command buffers at a time where there were never more than two.
func TestGPUOfProcessors(t *testing.T) {
	p := loops(6, 200, 0, 300*Us)
	p.engines[0] = 2
	p.processors = 2
	wantRate(t, "a GPU with room", rateOf(t, p, Change{room: true}), 6/0.3)
	for i := range p.jobs {
		p.jobs[i].alone = 300 * Us
	}
	for i := range p.threads {
		p.threads[i].ops[0].gap = analyze.Nanos(i) * 90 * Us // so that they do not come all at once
	}
	if p.findOnProcessors(1e9); !p.onProcessors {
		t.Fatal("the GPU's work is not done on processors, though the process had enough of them")
	}
	wantRate(t, "one of two processors", rateOf(t, p, Change{room: true}), 2/0.3)
	wantRate(t, "one that runs everything at once, but for the processors", rateOf(t, p, Change{GPU: true}), 2/0.3)
	for i := range p.threads {
		for k := range p.threads[i].ops {
			if o := &p.threads[i].ops[k]; o.kind == opAcquire {
				o.gap = 300 * Us
			}
		}
	}
	wantRate(t, "and threads that want them as long", rateOf(t, p, Change{room: true}), 2/0.6)
	for i := range p.jobs {
		p.jobs[i].duration = 900 * Us // with what it waited for processors
	}
	p.scattered = 1
	if slow := rateOf(t, p, Change{}); slow > 0.95*2/0.9 {
		t.Errorf("nobody waits for processors, which tests nothing: %.2f command buffers in a millisecond", slow)
	}
	p.removeDelays()
	if got := rateOf(t, p, Change{}); got < 0.95*2/0.9 || got > 1.05*2/0.9 {
		t.Errorf("with what was waited for processors taken out %.2f command buffers in a millisecond, want %.2f", got, 2/0.9)
	}
	if p.findOnProcessors(0.9 * 1200 * 300e3); p.onProcessors {
		t.Error("the GPU's work is done on processors, of which the process had too few for that")
	}
	for i := range p.jobs {
		p.jobs[i].alone = 100 * Us
	}
	if p.findOnProcessors(1e9); p.onProcessors {
		t.Error("the GPU's work is done on processors, though the process may have had them to hand it over")
	}
}

// TestCores: two that want one processor take twice as long, and the third that comes later its share.
func TestCores(t *testing.T) {
	c := newCores(1, 0)
	c.begin(0, 100*Us, replayEvent{seq: 1})
	c.begin(50*Us, 50*Us, replayEvent{seq: 2})
	var ends []analyze.Nanos
	for {
		k, at, any := firstDone(c.each)
		if !any {
			break
		}
		c.each[k].end(at)
		ends = append(ends, at)
	}
	if len(ends) != 2 || ends[0] != 150*Us || ends[1] != 150*Us {
		t.Errorf("they end at %v, want both at 150 µs", ends)
	}
}

// The story: a lock was taken out of a program whose threads wait for the first one's newest work, and they were predicted to be no
// faster, because the replay had them wait for the work that they had waited for when they were slow.
func TestReplayWaitsForTheNewest(t *testing.T) {
	p := loops(2, 100, 100*Us, 200*Us)
	slow, fast := &p.threads[0], &p.threads[1]
	for i := range slow.ops {
		if slow.ops[i].kind == opAcquire {
			slow.ops[i].gap = 700 * Us
		}
	}
	var ops []op
	for i, o := range fast.ops { // after its own work, that of the other: in the recorded run one each
		if ops = append(ops, o); o.kind == opWait {
			ops = append(ops, op{kind: opForeign, job: slow.jobs[i/3]})
		}
	}
	fast.ops = ops
	wantRate(t, "the recorded work", rateOf(t, p, Change{}), 2/0.9)
	p.newest = newest{known: true}
	if got := rateOf(t, p, Change{}); got < 1.3*2/0.9 {
		t.Errorf("the newest work: %.2f command buffers in a millisecond", got)
	}
}

// The story: without a lock workers were predicted to need 1 µs between two calls where they sleep for 400, because another thread,
// which does not sleep there, never waited for the lock.
func TestAloneIsEachThreadsOwn(t *testing.T) {
	p := &program{threads: make([]thread, 2)}
	for range 30 {
		p.threads[0].ops = append(p.threads[0].ops, op{kind: opWait, gap: Us})
		p.threads[1].ops = append(p.threads[1].ops, op{kind: opLock, gap: Us}, op{kind: opWait, gap: 400 * Us})
	}
	p.findUnlocked()
	if got := p.threads[1].ops[3].unlocked; got != 400*Us {
		t.Errorf("the second thread takes %v without the lock, want 400 µs", got)
	}
	for i := range 20 { // it does not always wait: then it takes 300
		p.threads[1].ops = append(p.threads[1].ops, op{kind: opWait, gap: 300*Us + analyze.Nanos(i)})
	}
	p.findUnlocked()
	if got := p.threads[1].ops[2].unlocked + p.threads[1].ops[3].unlocked; got < 295*Us || got > 305*Us {
		t.Errorf("it takes %v without the lock, want the 300 µs of when it did not wait", got)
	}
}

// lockedLoops are four loops that take a lock for each command buffer and have it longer than all else takes.
func lockedLoops() *program {
	p := loops(4, 100, 0, 50*Us)
	p.handed = 2
	for i := range p.threads {
		var ops []op
		for _, o := range p.threads[i].ops {
			if o.kind == opAcquire {
				ops = append(ops, op{kind: opLock, handed: 1, hold: 100 * Us, cost: Us})
			}
			ops = append(ops, o)
		}
		p.threads[i].ops = ops
	}
	return p
}

// The story: what waits behind a lock that only one cause hides waits for it when that cause is gone.
func TestReplayHandsLocksOver(t *testing.T) {
	p := lockedLoops()
	wantRate(t, "one has the lock at a time", rateOf(t, p, Change{}), 10)
	wantRate(t, "without locks", rateOf(t, p, Change{Locks: true}), 4/0.05)
}

// A thread that makes memory for a half of its own time is without that as if it computed half as long.
func TestReplayWithoutMakingMemory(t *testing.T) {
	p := loops(4, 200, 200*Us, 100*Us)
	wantRate(t, "as recorded", rateOf(t, p, Change{}), 4/0.3)
	for i := range p.threads {
		p.threads[i].makes = 0.5
	}
	wantRate(t, "without making memory", rateOf(t, p, Change{Allocate: true}), 4/0.2)
}

// TestBelievesHowProcessorsAreShared tells of the lab's threads that compute on 4 to 16 processors. The replay put half of their bursts on any processor, took
// 15 to 24 % longer than the run, and nothing was predicted. The system had shared the processors out better.
func TestBelievesHowProcessorsAreShared(t *testing.T) {
	for _, ran := range []float64{policy.Scattered, 0} {
		p := loops(4, 200, 1000*Us, 50*Us)
		p.processors, p.scattered = 4, ran
		as, ends := p.play(Change{})
		if !ends {
			t.Fatal("the replay does not end")
		}
		p.recorded, p.scattered = as.done, policy.Scattered
		if off := p.rate(p.recorded)/rateOf(t, p, Change{})*1e6 - 1; (off > policy.Faith.Value) != (ran != policy.Scattered) {
			t.Fatalf("with %.1f scattered it is off by %.2f", ran, off)
		}
		best, base := p.believed()
		if off := p.rate(p.recorded)/base - 1; best.scattered != ran || math.Abs(off) > policy.Alike.Value {
			t.Errorf("a run with %.1f scattered is believed to have %.1f, and off by %.2f", ran, best.scattered, off)
		}
	}
}
