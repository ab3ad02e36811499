package replay

import (
	"math/rand/v2"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// drawn is a program of any shape: threads that work, hand over, wait for their own or others' work or for nothing, compile and take locks,
// on queues of their own or shared ones.
func drawn(random *rand.Rand) *program {
	threads := 1 + random.IntN(6)
	p := &program{engines: []int{1 + random.IntN(3)}, limited: []bool{random.IntN(2) == 0}, handed: 2, processors: random.IntN(3), scattered: policy.Scattered,
		waking: random.Float64(), interrupting: policy.Interrupting, framework: analyze.Nanos(random.IntN(60)) * Us}
	queues, waits, locks, compiles, others := 1+random.IntN(threads), random.IntN(4), random.IntN(3) == 0, random.IntN(4) == 0, random.IntN(3) == 0
	for range queues {
		p.queues = append(p.queues, queueOf{capacity: 2 + random.IntN(63), most: 1 + random.IntN(2), limited: random.IntN(2) == 0})
	}
	draw := func(n int) analyze.Nanos { return analyze.Nanos(random.IntN(n+1)) * Us }
	think, gpu := 1+random.IntN(400), 1+random.IntN(400)
	for t := range threads {
		th := thread{lasts: true, busy: random.Float64(), quiet: 1, free: 1, left: 1}
		for n := range 60 {
			id := int32(len(p.jobs))
			p.jobs = append(p.jobs, job{queue: int32(t % queues), by: int32(t), duration: 1 + draw(gpu), latency: draw(40), handlers: 0, complete: draw(100)})
			th.jobs = append(th.jobs, id)
			gap := draw(think)
			if compiles && n%4 == 0 {
				th.ops = append(th.ops, op{kind: opCompile, job: unknown, cost: draw(2000)})
			}
			if locks {
				th.ops = append(th.ops, op{kind: opLock, job: unknown, handed: 1, cost: draw(100), hold: 1 + draw(100)})
			}
			commit := draw(20)
			th.ops = append(th.ops, op{kind: opAcquire, job: id, gap: gap, unlocked: gap}, op{kind: opCommit, job: id, cost: commit, solo: commit})
			if waits > 0 && n%waits == 0 {
				th.ops = append(th.ops, op{kind: opWait, job: id, notify: 1 + draw(40)})
			}
			if others && t > 0 && n > 0 {
				th.ops = append(th.ops, op{kind: opForeign, job: p.threads[t-1].jobs[n-1], notify: 1 + draw(40)})
			}
		}
		p.threads = append(p.threads, th)
	}
	p.findPace()
	p.findUsual()
	return p
}

// The story: a deeper queue was predicted to make a program 11 times as fast whose GPU was busy for 84 % of the time, because command
// buffers counted that were committed and would never have been run. Whatever is left out of any program, the GPU does no more than its
// engines can, and nothing gets slower by being held up less.
func TestBounds(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 11))
	for n := range 25 {
		p := drawn(random)
		base, ends := p.run(Change{})
		if !ends || base == 0 {
			t.Fatalf("program %d: the replay does not end", n)
		}
		for cause, c := range everyChange {
			for _, room := range []bool{false, true} {
				c.room = room
				r, ends := p.play(c)
				if !ends {
					t.Errorf("program %d without %s: the replay does not end", n, cause)
					continue
				}
				var worked analyze.Nanos
				last := analyze.Nanos(0)
				for i := range r.jobs {
					if s := &r.jobs[i]; s.done {
						worked, last = worked+p.jobs[i].duration, max(last, s.end)
					}
				}
				if most := float64(r.enginesOf(0)); !c.GPU && float64(worked) > most*float64(last)*1.001 {
					t.Errorf("program %d without %s: the GPU did %v of work in %v on %.0f engines", n, cause, worked, last, most)
				}
			}
			if s, _ := p.speedup(nil, base, c, 0); s != nil && (s.Estimate < 1 || s.High < s.Estimate || s.Low > s.Estimate) {
				t.Errorf("program %d without %s: %+v", n, cause, s)
			}
		}
	}
}

// TestBoundOfQueueDepth: a queue of any depth makes a GPU that is busy for most of the time no faster than that leaves room for.
func TestBoundOfQueueDepth(t *testing.T) {
	p := loops(4, 400, 20*Us, 100*Us)
	p.limited, p.engines, p.queues = []bool{true}, []int{1}, []queueOf{{capacity: 1, most: 1, limited: true}}
	for i := range p.jobs {
		p.jobs[i].queue, p.jobs[i].complete = 0, 0
	}
	for i := range p.threads { // nobody waits
		var ops []op
		for _, o := range p.threads[i].ops {
			if o.kind != opWait {
				ops = append(ops, o)
			}
		}
		p.threads[i].ops = ops
	}
	base := rateOf(t, p, Change{})
	if got := rateOf(t, p, Change{Depth: true, room: true}); got > 10.1 || got < 9.5 || base > got {
		t.Errorf("%.2f command buffers in a millisecond with a deeper queue, after %.2f, want the 10 that the GPU can do", got, base)
	}
}

// everyChange is each thing that can be left out of a program.
var everyChange = map[string]Change{
	"waits for others": {Foreign: true}, "a limited GPU": {GPU: true}, "limited queues": {Depth: true}, "compilation": {Compile: true}, "events": {Events: true},
	"early enqueues": {Head: true}, "handlers": {Handlers: true}, "launches": {Launch: true}, "locks": {Locks: true}, "want of processors": {Cores: true},
	"starving": {Fed: true}, "turns": {Turns: true}, "lines": {Lines: true}, "another program": {Alone: true},
}
