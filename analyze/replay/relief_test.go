package replay

import (
	"testing"

	"mtrace/analyze"
)

// TestRelief tells of seven threads that make memory on two processors: for half of their time they wait for one, and a commit takes 700 µs, as does what passes from the GPU's
// end to the return of a wait. The replay lets bursts of work share a processor, with which a short one waits for little, and took the rest for how long a hand-over
// takes: without making memory they were predicted to be 3.3 times as fast, and are 8.7 times. What threads were seen to wait goes as what the replay adds does.
func TestRelief(t *testing.T) {
	for _, c := range []struct {
		what   string
		waited analyze.Nanos
		change Change
		from   float64 // command buffers in a millisecond
		to     float64
	}{
		{"all of it was waiting for processors, which nobody does without the memory", 1 << 40, Change{Allocate: true}, 6 / 0.2, 6 / 0.13},
		{"nobody waited for processors", 0, Change{Allocate: true}, 6 / 0.8, 6 / 0.4},
		{"they wait for them all the same without events", 1 << 40, Change{Events: true}, 2, 2.4},
	} {
		p := loops(6, 100, 1000*Us, 100*Us)
		p.processors, p.waitedFor = 2, c.waited
		for i := range p.threads {
			th := &p.threads[i]
			th.makes = 1
			for k := range th.ops {
				o := &th.ops[k]
				quick := k/3%5 == 4
				switch {
				case o.kind == opCommit && quick:
					o.cost, o.solo = 10*Us, 10*Us
				case o.kind == opCommit:
					o.cost, o.solo = 250*Us, 250*Us
				case o.kind == opWait && quick:
					o.notify = 20 * Us
				case o.kind == opWait:
					o.notify = 500 * Us
				}
			}
			th.busy = 0.5
		}
		p.findUsual()
		r, ends := p.play(Change{})
		if !ends {
			t.Fatal("the replay does not end")
		}
		p.findUnexplained(r)
		rate, d, ends := p.settled(c.change, r.rateOfAll())
		if !ends {
			t.Fatal("the replay does not end")
		}
		if got := 1e6 * rate; got < c.from || got > c.to {
			t.Errorf("%s: %.2f command buffers in a millisecond, want from %.2f to %.2f; %.2f of the waiting is gone", c.what, got, c.from, c.to, d.relief)
		}
	}
}

// The story: eleven programs of threads that make memory were predicted to gain a tenth to a quarter too much. Without it a hand-over took what the quickest
// tenth had taken where processors were what all lacked; one that finds a processor takes longer than these. Then a commit still did.
func TestReliefLeavesHandingOver(t *testing.T) {
	p := loops(2, 100, 100*Us, 100*Us)
	for i := range p.jobs {
		p.jobs[i].latency = []analyze.Nanos{0, 20 * Us, 30 * Us, 40 * Us, 900 * Us}[i%5]
	}
	p.findUsual()
	p.unexplained, p.handOvers.relief = 1, 1
	if got := p.relieved(900*Us, p.freeLatency); got != 30*Us {
		t.Errorf("%v with all waiting for processors gone, want 30 µs", got)
	}
	r := &playing{program: p, Change: Change{Allocate: true}}
	if got := r.latencyOf(&p.jobs[4]); got != 30*Us {
		t.Errorf("a hand-over takes %v with all waiting for processors gone, want 30 µs", got)
	}
	for i := range p.threads {
		for k := range p.threads[i].ops {
			if o := &p.threads[i].ops[k]; o.kind == opCommit {
				o.solo = []analyze.Nanos{5 * Us, 20 * Us, 30 * Us, 40 * Us, 700 * Us}[o.job%5]
			}
		}
	}
	p.findUsual()
	if got := r.committing(700 * Us); got != 20*Us && got != 30*Us {
		t.Errorf("a commit takes %v with all waiting for processors gone, want the 20 or 30 µs that it usually takes with one", got)
	}
}
