package replay

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"mtrace/analyze"
)

// The story: jobs that waited for a value that a thread gives an event were predicted to begin at once in the replay of the unchanged
// program too, so that nothing was predicted.
func TestReplaySignalsOfThreads(t *testing.T) {
	p := loops(3, 50, 0, 100*Us)
	clock := thread{quiet: 1, free: 1, left: 1}
	for n := range 50 {
		clock.ops = append(clock.ops, op{kind: opSignal, job: unknown, gap: 1000 * Us, given: int32(n)})
		for i := range 3 {
			p.jobs[i*50+n].signals = []int32{int32(n)}
		}
	}
	p.signals, p.threads = 50, append(p.threads, clock)
	wantRate(t, "as signals come", rateOf(t, p, Change{}), 3)
	wantRate(t, "without events", rateOf(t, p, Change{Events: true}), 3/0.1)
}

// TestInterval: what is predicted of a program that always does the same is sure, but for what the replay itself may be off by; what
// hangs on how much a GPU runs at once is not.
func TestInterval(t *testing.T) {
	p := lockedLoops()
	p.engines = []int{4}
	base, _ := p.run(Change{})
	readings := p.readings(rand.New(rand.NewPCG(1, 2)))
	s, why := p.speedup(readings, base, Change{Locks: true}, 0)
	if s == nil {
		t.Fatal(why)
	}
	if math.Abs(s.Estimate-8) > 0.1 || s.Low < 6.5 || s.High > 9.5 {
		t.Errorf("%+v, want 8 times, more or less", s)
	}
	p.engines = []int{1} // seen to run one at a time: without the lock it may run four
	base, _ = p.run(Change{})
	if s, why := p.speedup(p.readings(rand.New(rand.NewPCG(1, 2))), base, Change{Locks: true}, 0); s == nil || s.Low > 2 || s.High < 8 {
		t.Errorf("%+v (%s), want from 2 to 8 times", s, why)
	}
	p.engines = []int{1}
	for i := range p.jobs {
		p.jobs[i].duration = 10 * Us
	}
	base, _ = p.run(Change{})
	if s, why := p.speedup(p.readings(rand.New(rand.NewPCG(1, 2))), base, Change{Locks: true, Launch: true}, 0); s != nil && s.High > 4*1.5*s.Low || s == nil && !strings.Contains(why, "times as fast") {
		t.Errorf("%+v (%s), want no interval that is wider than four times", s, why)
	}
}

// TestResampled: the times drawn are the thread's own, in runs of what came one after another, and the program stays as it was.
func TestResampled(t *testing.T) {
	p := loops(2, 120, 0, 0)
	for i := range p.threads {
		for k := range p.threads[i].ops {
			p.threads[i].ops[k].gap = analyze.Nanos(1000*i + k)
		}
	}
	s := p.resampled(rand.New(rand.NewPCG(1, 2)))
	moved, follows, acquires := 0, 0, 0
	for i := range s.threads {
		last := analyze.Nanos(-1)
		for k := range s.threads[i].ops {
			a, b := &s.threads[i].ops[k], &p.threads[i].ops[k]
			if a.kind != b.kind || a.job != b.job || b.gap != analyze.Nanos(1000*i+k) {
				t.Fatalf("thread %d, call %d: %+v where %+v was", i, k, a, b)
			}
			if from := int(a.gap) - 1000*i; from < 0 || from >= len(p.threads[i].ops) || p.threads[i].ops[from].kind != a.kind {
				t.Fatalf("thread %d, call %d: %d is no time of such a call", i, k, a.gap)
			}
			if a.kind == opAcquire {
				if acquires++; a.gap != b.gap {
					moved++
				}
				if last >= 0 && a.gap == last+3 {
					follows++
				}
				last = a.gap
			}
		}
	}
	if moved*2 < acquires || follows*10 < acquires*8 {
		t.Errorf("of %d times, %d are others and %d follow what they followed", acquires, moved, follows)
	}
}

// TestResampledLeavesFewCallsAlone tells of the demo's main thread: it warms up, with 12 command buffers, and then sleeps for the run. Where the sleep was
// not drawn the thread was done at once, and counted as if it had gone on so: the program seemed seven times as fast, and predictions from 0.20 to 2.12
// times as fast were none.
func TestResampledLeavesFewCallsAlone(t *testing.T) {
	p := loops(3, 200, 100*Us, 100*Us)
	few := &p.threads[2]
	few.ops, few.jobs = few.ops[:3*12], few.jobs[:12]
	few.ops[3*6].gap = 39_000 * Us
	p.findPace()
	if few.paces {
		t.Fatal("who commits 12 of 412 sets the pace")
	}
	base, _ := p.run(Change{})
	random := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		if again, _ := p.resampled(random).run(Change{}); again > 1.1*base {
			t.Fatalf("%.1f times as fast with times drawn anew", again/base)
		}
	}
}

// TestFrameworkOnSeveralProcessors tells of the demo with four threads on 16 processors, where the kernels run on processors: the framework uses 790 µs of
// them for each command buffer of 100 µs. That was taken to go on one after the other, so that the end was heard of late each time, and the replay was off
// by 45 %.
func TestFrameworkOnSeveralProcessors(t *testing.T) {
	p := loops(4, 100, 100*Us, 100*Us)
	want := rateOf(t, p, Change{})
	p.processors, p.framework = 64, 790*Us
	wantRate(t, "with a framework that has the processors it needs", rateOf(t, p, Change{}), want)
	p.processors = 2
	if got := rateOf(t, p, Change{}); got > want/2 {
		t.Errorf("%.2f command buffers in a millisecond on two processors, and %.2f on 64", got, want)
	}
}

// The story: the interval of a third of all predictions reached to what the program would gain if nobody waited for a processor, which all threads were seen
// to do. What hangs on that altogether is not told all the same.
func TestNobodyWaitsForProcessors(t *testing.T) {
	for _, c := range []struct {
		what    string
		waited  analyze.Nanos
		threads int
		high    float64 // of the interval, at most; 0 when nothing is told
		least   float64 // and at least
	}{
		{"threads waited", Us, 6, 2.2, 1.5},
		{"it is not known", 0, 6, 5, 3},
		{"threads waited, and all hangs on how long", Us, 30, 0, 0},
	} {
		p := loops(c.threads, 100, 100*Us, 100*Us)
		p.processors, p.waitedFor = 2, c.waited
		base := 1.0 / float64(100*Us) // as fast as two processors are with half of their time
		readings := p.readings(rand.New(rand.NewPCG(1, 1)))
		for i := range readings {
			readings[i].base = base
		}
		s, _ := p.speedup(readings, base, Change{Depth: true}, 0)
		switch {
		case c.high == 0:
			if s != nil {
				t.Errorf("%s: %+v, want nothing", c.what, *s)
			}
		case s == nil:
			t.Errorf("%s: nothing is told", c.what)
		case s.High > c.high || s.High < c.least:
			t.Errorf("%s: %+v, want it to end between %.1f and %.1f", c.what, *s, c.least, c.high)
		}
	}
}
