package replay

import (
	"testing"

	"mtrace/analyze"
)

// TestHandOversAmongMore: in a run with k times as many the share of slow ones is the kth power of what it was, and what lies between moves as far.
func TestHandOversAmongMore(t *testing.T) {
	var twoKinds, all []analyze.Nanos
	for i := range 100 {
		twoKinds = append(twoKinds, 20*Us, 220*Us)
		all = append(all, analyze.Nanos(i)*Us)
	}
	for _, c := range []struct {
		what             string
		recorded         []analyze.Nanos
		denser, hindered float64
		took, want       analyze.Nanos
	}{
		{"as many", twoKinds, 1, 0, 220 * Us, 220 * Us},
		{"twice as many: a quarter are slow, where half were", twoKinds, 2, 0, 220 * Us, 120 * Us},
		{"three times as many: an eighth", twoKinds, 3, 0, 220 * Us, 70 * Us},
		{"half of it was waiting for processors, which nobody does", twoKinds, 2, 0.5, 220 * Us, 70 * Us},
		{"a quick one", twoKinds, 3, 0, 20 * Us, 20 * Us},
		{"a little more than what was recorded", twoKinds, 2, 0, 230 * Us, 130 * Us},
		{"quicker than all that were recorded", twoKinds, 2, 0, 5 * Us, 5 * Us},
		{"twice as many: the middle one is as quick as one in 3.4 was", all, 2, 0, 50 * Us, 29 * Us},
		{"sixteen times as many: the slowest but one in ten as one in 7.5", all, 16, 0, 90 * Us, 13 * Us},
		{"none recorded", nil, 2, 0, 100 * Us, 100 * Us},
	} {
		p := &program{hindered: c.hindered, handOvers: density{notifies: newHandOvers(c.recorded), relief: 1}}
		d := p.denser(c.denser)
		if got := p.unhindered(c.took, 20*Us, &d.notifies); got/Us != c.want/Us {
			t.Errorf("%s: %v is left of %v, want %v", c.what, got, c.took, c.want)
		}
	}
}

// TestTurnaroundAmongMore tells of two threads on a GPU of the lab that fill their queues and wait for slow handlers: the GPU takes 65 µs from one command
// buffer to the next, and 300 where that wakes a processor. Without the handlers they were predicted to be 2.37 times as fast, and are 3.32.
func TestTurnaroundAmongMore(t *testing.T) {
	p := &program{handOvers: density{turnarounds: newHandOvers([]analyze.Nanos{65 * Us, 65 * Us, 65 * Us, 305 * Us})}}
	if got := p.denser(1).turnaround; got != 125*Us {
		t.Errorf("%v as recorded, want 125 µs", got)
	}
	if got := p.denser(3).turnaround; got > 70*Us {
		t.Errorf("%v among three times as many, want no more than 70 µs", got)
	}
}

// TestSleepIsLessWithoutTheCause tells of a machine of 16 processors on which waking one that sleeps takes 250 µs. Programs on it were predicted to gain
// too little, by 15 % in the middle, and 13 of 31 measured gains were inside their intervals: without its cause a program wakes processors so often
// that they hardly sleep. That is the estimate now, and the interval holds both.
func TestSleepIsLessWithoutTheCause(t *testing.T) {
	p := loops(2, 200, 0, 100*Us)
	for i := range p.jobs {
		if p.jobs[i].latency = 20 * Us; i%2 == 0 {
			p.jobs[i].latency = 270 * Us
		}
	}
	for i := range p.threads {
		var ops []op
		for _, o := range p.threads[i].ops {
			if o.kind == opAcquire {
				ops = append(ops, op{kind: opCompile, job: unknown, cost: 2000 * Us})
			}
			ops = append(ops, o)
		}
		p.threads[i].ops = ops
	}
	p.findUsual()
	base, _ := p.run(Change{})
	change := Change{Compile: true}
	asDeep, _ := p.run(change)
	s, why := p.speedup(nil, base, change, 0)
	if s == nil {
		t.Fatal(why)
	}
	if hardly := 1.5 * asDeep / base; s.Estimate < hardly {
		t.Errorf("%.2f times as fast, want more than %.2f: processors hardly sleep", s.Estimate, hardly)
	}
	if s.Low > asDeep/base {
		t.Errorf("the interval, from %.2f, leaves out processors that sleep as they did: %.2f", s.Low, asDeep/base)
	}
	p.hindered = 1 // a wait for a processor begins when the thread is woken, though the processor sleeps
	if all, _ := p.speedup(nil, base, change, 0); all == nil || all.Estimate != s.Estimate {
		t.Errorf("%+v where all of it counts as waiting for processors, want %.2f", all, s.Estimate)
	}
}

// TestSleepersAreWokenSooner tells of threads that sleep for 100 µs by the clock, and wait 2 ms for a place in a queue: without that they were predicted to be 15.6 times as
// fast, and were 18.7 times on a quiet machine. Its processors sleep less deeply then, and a clock's wake-up is as much quicker as another thread's.
func TestSleepersAreWokenSooner(t *testing.T) {
	var half []analyze.Nanos // of them 60 µs on average, 40 among twice as many
	for range 100 {
		half = append(half, 20*Us, 100*Us)
	}
	for _, c := range []struct {
		what       string
		busy, used float64
		processors int
		sooner     analyze.Nanos
	}{
		{"processors are free", 0.3, 0, 8, 20 * Us},
		{"half of them will be", 0.3, 2, 8, 10 * Us},
		{"none will be", 0.3, 4, 8, 0},
		{"what is used is not known", 0.3, 0, 0, 0},
		{"the thread does not sleep", 1, 0, 8, 0},
	} {
		p := loops(1, 200, 140*Us, 0)
		p.threads[0].busy, p.used, p.processors = c.busy, c.used, c.processors
		p.handOvers = density{latencies: newHandOvers(half)}
		as, _ := p.run(Change{})
		denser, _ := p.as(density{sooner: p.denser(2).sooner}).run(Change{})
		if got, want := denser/as, 140.0/float64((140*Us-c.sooner)/Us); got < want*0.99 || got > want*1.01 {
			t.Errorf("%s: %.3f times as fast, want %.3f", c.what, got, want)
		}
	}
}
