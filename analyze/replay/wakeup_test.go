package replay

import (
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// TestWaking: commits that need not wake anyone show what waking takes.
func TestWaking(t *testing.T) {
	for _, c := range []struct{ quick, slow, want float64 }{{2, 10, 0.762}, {10, 10, 0}, {0, 10, policy.MostWaking}, {0, 0, 0}} {
		p := loops(2, 100, 0, 0)
		for i := range p.threads {
			for k := range p.threads[i].ops {
				if o := &p.threads[i].ops[k]; o.kind == opCommit {
					if o.solo = analyze.Nanos(c.slow * 1000); o.job%5 == 0 {
						o.solo = analyze.Nanos(c.quick * 1000)
					}
				}
			}
		}
		if got := p.findWaking(); got < c.want-0.01 || got > c.want+0.01 {
			t.Errorf("commits of %v µs and some of %v µs: %.3f goes into waking, want %.3f", c.slow, c.quick, got, c.want)
		}
	}
}

// The story: a framework's threads are in the trace when they wait for locks, and what they ran was replayed as work of the program that
// goes on at the same pace whatever its threads do, not as what each command buffer takes.
func TestHelps(t *testing.T) {
	if th := (thread{ops: []op{{kind: opLock}, {kind: opLock}}}); !th.helps() {
		t.Error("who waits for locks only is taken to work for itself")
	}
	if th := (thread{ops: []op{{kind: opLock}, {kind: opCommit}}}); th.helps() {
		t.Error("who commits is taken to work for others")
	}
}

// The story: that a queue runs one at a time was seen of two queues and not of five, which had their work ready only when the GPU was
// full, and those were replayed as if they ran any number at once: faster than the GPU's work takes.
func TestQueuesAlike(t *testing.T) {
	p := &program{engines: []int{4, 4}, queues: []queueOf{{most: 1, limited: true}, {most: 1}, {most: 2, device: 1}, {most: 1, device: 1, limited: true}}}
	p.queuesAlike()
	if q := p.queues[1]; !q.limited || q.most != 1 {
		t.Errorf("%+v beside one that is limited to one", q)
	}
	if q := p.queues[2]; q.limited {
		t.Errorf("%+v is taken to be limited, though it ran more than the one that is", q)
	}
}

// TestReplayCores: with a processor for everyone's own work the framework's still shares those that there are.
func TestReplayCores(t *testing.T) {
	p := loops(4, 200, 100*Us, 0)
	p.processors, p.framework = 1, 40*Us
	for i := range p.jobs {
		p.jobs[i].latency = 20 * Us
	}
	p.usualNotify, p.freeLatency = 20*Us, 20*Us
	for i := range p.threads {
		for k := range p.threads[i].ops {
			p.threads[i].ops[k].notify = 20 * Us
		}
	}
	got := rateOf(t, p, Change{Cores: true})
	if most := 1 / 0.04; got > most*1.01 || got < most*0.5 {
		t.Errorf("%.2f command buffers in a millisecond, want at most the %.2f that the framework can hand over", got, most)
	}
}

// The story: six threads on a GPU that runs one command buffer at a time were predicted to be 4.1 times as fast on one that runs all at once, and are 3.2
// times. What stands behind other work is handed to the GPU by nobody; without the cause each command buffer is, and that takes the processors twice as
// much for it.
func TestBehindOthersNobodyHandsOver(t *testing.T) {
	p := loops(4, 200, 0, 50*Us)
	p.engines, p.limited = []int{1}, []bool{true}
	p.processors, p.framework, p.usualNotify = 1, 80*Us, 40*Us
	for i := range p.jobs {
		p.jobs[i].latency = 40 * Us
	}
	wantRate(t, "one behind the other", rateOf(t, p, Change{}), 1/0.05)
	wantRate(t, "all at once, handed over and heard of by one processor", rateOf(t, p, Change{GPU: true}), 4/(4*0.04+0.05+4*0.04))
}

// The story: threads that compute, on fewer processors, were predicted to gain a tenth more from a processor for each than they do. Of what they handed over
// a fifth had begun before the commit returned, for want of a processor, and was the measure of how quickly that goes.
func TestUnhampered(t *testing.T) {
	var all []analyze.Nanos
	for range 30 {
		all = append(all, 0, 0, 12*Us, 25*Us, 31*Us, 700*Us, 1100*Us, 2000*Us)
	}
	if got := unhampered(all, 0); got != 25*Us {
		t.Errorf("%v with a processor, want 25 µs", got)
	}
	if got := unhampered(all[:40], 7*Us); got != 7*Us {
		t.Errorf("%v where too few found a processor, want what the quickest take, 7 µs", got)
	}
}
