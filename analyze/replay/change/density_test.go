package change

import (
	"slices"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/replay/machine"
	"mtrace/analyze/replay/program"
	"mtrace/fixtures/loops"
)

// TestAmong: in a run with k times as many hand-offs the share of slow ones is the kth power of what it was, and
// durations in between move in the same proportion.
func TestAmong(t *testing.T) {
	var twoKinds, all []analyze.Nanos
	for i := range 100 {
		twoKinds = append(twoKinds, 20*us, 220*us)
		all = append(all, analyze.Nanos(i)*us)
	}
	slices.Sort(twoKinds)
	for _, c := range []struct {
		what             string
		recorded         []analyze.Nanos
		denser, hindered float64
		took, want       analyze.Nanos
	}{
		{"as many", twoKinds, 1, 0, 220 * us, 220 * us},
		{"twice as many: a quarter are slow, where half were", twoKinds, 2, 0, 220 * us, 120 * us},
		{"three times as many: an eighth", twoKinds, 3, 0, 220 * us, 70 * us},
		{"half of it was waiting for processors, which none does now", twoKinds, 2, 0.5, 220 * us, 70 * us},
		{"a quick one", twoKinds, 3, 0, 20 * us, 20 * us},
		{"a little more than what was recorded", twoKinds, 2, 0, 230 * us, 130 * us},
		{"quicker than all that were recorded", twoKinds, 2, 0, 5 * us, 5 * us},
		{"twice as many: the middle one is as quick as one in 3.4 was", all, 2, 0, 50 * us, 29 * us},
		{"sixteen times as many: the slowest but one in ten as one in 7.5", all, 16, 0, 90 * us, 13 * us},
		{"none recorded", nil, 2, 0, 100 * us, 100 * us},
	} {
		h := program.HandOffs{Hindered: c.hindered, Notifies: c.recorded}
		d := NewDensity(&program.Program{HandOffs: h}, c.denser).With(1)
		if got := d.unhindered(&h, c.took, 20*us, &d.notifies); got/us != c.want/us {
			t.Errorf("%s: %v is left of %v, want %v", c.what, got, c.took, c.want)
		}
	}
}

// TestTurnaroundAmongMore tells of two threads on a GPU that fill their queues and wait for slow handlers: the GPU
// takes 65 µs from one command buffer to the next, and 300 if that wakes a processor. The prediction without the
// handlers was 2.37×, and the real speed-up is 3.32×.
func TestTurnaroundAmongMore(t *testing.T) {
	p := &program.Program{HandOffs: program.HandOffs{Turnarounds: []analyze.Nanos{65 * us, 65 * us, 65 * us, 305 * us}}}
	if got := NewDensity(p, 1).turnaround; got != 125*us {
		t.Errorf("%v as recorded, want 125 µs", got)
	}
	if got := NewDensity(p, 3).turnaround; got > 70*us {
		t.Errorf("%v among three times as many, want no more than 70 µs", got)
	}
}

// TestUnhindered: a cause's removal also removes the excess time of hand-offs, as far as threads waited for processors.
// The rest has another reason.
func TestUnhindered(t *testing.T) {
	for _, c := range []struct {
		what   string
		waited analyze.Nanos
		want   analyze.Nanos // of a hand-off that took 200 µs where 20 µs is usual
	}{
		{"all of it was waiting for processors", 10 * 360 * us, 20 * us},
		{"half of it was", 5 * 360 * us, 110 * us},
		{"none was, or it is not known", 0, 200 * us},
	} {
		p := loops.Of(1, 30, 0, 100*us)
		for i := range p.Jobs {
			if p.Jobs[i].Latency = 20 * us; i%3 == 0 {
				p.Jobs[i].Latency = 200 * us
			}
		}
		loops.Edit(p, func(s *program.Step, _ *program.Detail) {
			if s.Kind == program.Wait {
				if s.Notify = 20 * us; s.Job%3 == 0 {
					s.Notify = 200 * us
				}
			}
		})
		p.HandOffs.WaitedFor = c.waited
		p.MeasureHandOffs()
		h := &p.HandOffs
		if h.UsualLatency != 20*us || h.UsualNotify != 20*us {
			t.Fatalf("usual are %v and %v, want 20 µs", h.UsualLatency, h.UsualNotify)
		}
		d := (*Density)(nil).With(1)
		if got := d.unhindered(h, 200*us, h.UsualNotify, &d.notifies); got != c.want {
			t.Errorf("%s: %v is left of 200 µs, want %v", c.what, got, c.want)
		}
		if got := d.unhindered(h, 15*us, h.UsualNotify, &d.notifies); got != 15*us {
			t.Errorf("%s: %v is left of 15 µs", c.what, got)
		}
	}
}

// TestSleepersAreWokenSooner tells of threads that sleep for 100 µs by the clock, and wait 2 ms for a place in a queue.
// The prediction without that wait was 15.6×, and the speed-up on a quiet machine 18.7×: its processors then sleep less
// deeply, and a timer's wake-up becomes as much quicker as another thread's.
func TestSleepersAreWokenSooner(t *testing.T) {
	var half []analyze.Nanos // 60 µs on average, and 40 among twice as many
	for range 100 {
		half = append(half, 20*us, 100*us)
	}
	slices.Sort(half)
	for _, c := range []struct {
		what       string
		busy, used float64
		processors int
		sooner     analyze.Nanos
	}{
		{"processors are free", 0.3, 0, 8, 20 * us},
		{"half of them will be", 0.3, 2, 8, 10 * us},
		{"none will be", 0.3, 4, 8, 0},
		{"the use of processors is not known", 0.3, 0, 0, 0},
		{"the thread does not sleep", 1, 0, 8, 0},
	} {
		p := loops.Of(1, 200, 140*us, 0)
		p.Threads[0].Busy, p.Processors.Used, p.Processors.Count = c.busy, c.used, c.processors
		p.HandOffs.Latencies = half
		as, _ := machine.Run(p)
		q := Change{}.Apply(p, &Density{Times: 2, sooner: NewDensity(p, 2).sooner})
		sooner, _ := machine.Run(q)
		if got, want := q.Rate(sooner.Progress)/p.Rate(as.Progress),
			140.0/float64((140*us-c.sooner)/us); got < want*0.99 || got > want*1.01 {
			t.Errorf("%s: %.3f times as fast, want %.3f", c.what, got, want)
		}
	}
}

// TestReliefLeavesHandingOver tells of eleven programs of threads that allocate, whose predicted gain was a tenth to a
// quarter too high. Without the cause a hand-off was assumed to take the time of the quickest tenth, measured when all
// lacked processors; a hand-off with a free processor takes longer than these.
func TestReliefLeavesHandingOver(t *testing.T) {
	p := loops.Of(2, 100, 100*us, 100*us)
	for i := range p.Jobs {
		p.Jobs[i].Latency = []analyze.Nanos{0, 20 * us, 30 * us, 40 * us, 900 * us}[i%5]
	}
	i := 0
	loops.Edit(p, func(s *program.Step, d *program.Detail) {
		if s.Kind == program.Commit {
			d.Solo = []analyze.Nanos{5 * us, 20 * us, 30 * us, 40 * us, 700 * us}[i%5]
			s.Cost = d.Solo
			i++
		}
	})
	p.MeasureHandOffs()
	p.HandOffs.Unexplained = 1
	q := Change{Allocate: true}.Apply(p, (*Density)(nil).With(1))
	if got := q.Jobs[4].Latency; got != 30*us {
		t.Errorf("a hand-off takes %v with all waiting for processors gone, want 30 µs", got)
	}
	if got := q.Threads[0].Steps[3*4+1].Cost; got != 20*us && got != 30*us {
		t.Errorf("a commit takes %v with all waiting for processors gone, want the 20 or 30 µs that it usually takes "+
			"with one", got)
	}
}
