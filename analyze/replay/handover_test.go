package replay

import (
	"testing"

	"mtrace/analyze"
)

// TestUnhindered: what hand-overs took beyond the usual goes with a cause as far as threads waited for processors, and wait less without it; more of it
// had another reason.
func TestUnhindered(t *testing.T) {
	for _, c := range []struct {
		what   string
		waited analyze.Nanos
		want   analyze.Nanos // of what took 200 µs where 20 µs is usual
	}{
		{"all of it was waiting for processors", 10 * 360 * Us, 20 * Us},
		{"half of it was", 5 * 360 * Us, 110 * Us},
		{"none was, or it is not known", 0, 200 * Us},
	} {
		p := loops(1, 30, 0, 100*Us)
		for i := range p.jobs {
			if p.jobs[i].latency = 20 * Us; i%3 == 0 {
				p.jobs[i].latency = 200 * Us
			}
		}
		for i := range p.threads[0].ops {
			if o := &p.threads[0].ops[i]; o.kind == opWait {
				if o.notify = 20 * Us; o.job%3 == 0 {
					o.notify = 200 * Us
				}
			}
		}
		p.waitedFor, p.handOvers.relief = c.waited, 1
		p.findUsual()
		if p.usualLatency != 20*Us || p.usualNotify != 20*Us {
			t.Fatalf("usual are %v and %v, want 20 µs", p.usualLatency, p.usualNotify)
		}
		if got := p.unhindered(200*Us, p.usualNotify, &p.handOvers.notifies); got != c.want {
			t.Errorf("%s: %v is left of 200 µs, want %v", c.what, got, c.want)
		}
		if got := p.unhindered(15*Us, p.usualNotify, &p.handOvers.notifies); got != 15*Us {
			t.Errorf("%s: %v is left of 15 µs", c.what, got)
		}
	}
}

// The story: a lock that cost nothing was predicted to cost a tenth, and so were others too much. Without any cause whatever, hand-overs took no longer than
// usual, as far as threads had waited for processors, also where they would wait for them all the same.
func TestWaitingForProcessorsStays(t *testing.T) {
	p := loops(2, 200, 0, 100*Us)
	for i := range p.threads {
		for k := range p.threads[i].ops {
			if o := &p.threads[i].ops[k]; o.kind == opWait {
				if o.notify = 20 * Us; o.job%3 == 0 {
					o.notify = 200 * Us
				}
			}
		}
	}
	p.waitedFor = 1 << 40
	p.findUsual()
	base, _ := p.run(Change{})
	if s, why := p.speedup(nil, base, Change{Locks: true}, 0); s == nil || s.Estimate > 1.01 {
		t.Errorf("%+v %s without a lock that nobody takes", s, why)
	}
}

// The story: command buffers that an event lets go all at once were predicted to be as late without the event, though they wait for each
// other's processors only because they go at once.
func TestReplayEventsLetGoAtOnce(t *testing.T) {
	p := loops(2, 100, 0, 100*Us)
	for i := range p.jobs {
		if p.jobs[i].latency = 150 * Us; i%5 == 0 {
			p.jobs[i].latency = 50 * Us
		}
		p.jobs[i].signals = []int32{0}
	}
	p.signals = 1
	p.threads = append(p.threads, thread{quiet: 1, free: 1, left: 1, ops: []op{{kind: opSignal, job: unknown}}})
	p.findUsual()
	wantRate(t, "all come at once", rateOf(t, p, Change{}), 2/0.23)
	wantRate(t, "each when it will", rateOf(t, p, Change{Events: true}), 2/0.15)
}

// A turnaround that took longer than usual waited for a processor as other hand-overs do.
func TestTurnaroundsAreHindered(t *testing.T) {
	p := loops(1, 30, 0, 100*Us)
	for i := range p.jobs {
		p.jobs[i].latency = 20 * Us
	}
	p.handOvers.turnarounds = newHandOvers([]analyze.Nanos{30 * Us, 30 * Us, 230 * Us})
	p.waitedFor = 200 * Us
	p.findUsual()
	if p.hindered != 1 {
		t.Errorf("%.2f of what was not usual waited for processors, want all", p.hindered)
	}
}
