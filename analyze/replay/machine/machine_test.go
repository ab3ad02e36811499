package machine_test

import (
	"math"
	"testing"

	"mtrace/analyze/replay/machine"
	"mtrace/analyze/replay/program"
	"mtrace/fixtures/loops"
)

const us = loops.Us

// rate is how many command buffers a program does in a millisecond.
func rate(t *testing.T, p *program.Program) float64 {
	t.Helper()
	r, ends := machine.Run(p)
	if !ends {
		t.Fatal("the program does not end")
	}
	return 1e6 * p.Rate(r.Progress)
}

func wantRate(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got/want-1) > 0.02 {
		t.Errorf("%s: %.2f command buffers in a millisecond, want %.2f", what, got, want)
	}
}

// TestProcessors: threads that want a processor at the same time share it.
func TestProcessors(t *testing.T) {
	p := loops.Of(4, 200, 100*us, 100*us)
	wantRate(t, "nothing waits for a processor", rate(t, p), 4/0.2)
	p.Processors.Count = 1
	wantRate(t, "four threads share one", rate(t, p), 4/0.5)
}

// TestLocks: a lock is held by one thread at a time.
func TestLocks(t *testing.T) {
	wantRate(t, "each holds the lock for 100 µs", rate(t, loops.Locked()), 10)
}

// TestNewest tells of threads that wait for another thread's newest work. The replay had them wait for the work that
// they had waited for when that thread was slow, and predicted no gain from a faster thread.
func TestNewest(t *testing.T) {
	p := loops.Of(2, 100, 100*us, 200*us)
	slow, fast := &p.Threads[0], &p.Threads[1]
	for i := range slow.Steps {
		if slow.Steps[i].Kind == program.Acquire {
			slow.Steps[i].Gap = 700 * us
		}
	}
	steps, details := fast.Steps, fast.Details
	fast.Steps, fast.Details = nil, nil
	for i, s := range steps { // after its own work, the other's: one each in the recorded run
		if fast.Add(s, details[i]); s.Kind == program.Wait {
			fast.Add(program.Step{Kind: program.WaitOther, Job: slow.Jobs[i/3]}, program.Detail{})
		}
	}
	wantRate(t, "the recorded work", rate(t, p), 2/0.9)
	p.Newest = program.Newest{Known: true}
	if got := rate(t, p); got < 1.3*2/0.9 {
		t.Errorf("the newest work: %.2f command buffers in a millisecond", got)
	}
}

// TestFrameworkOnSeveralProcessors tells of four threads on 16 processors that also run the kernels: the framework uses
// 790 µs of processor time for each command buffer of 100 µs. That was assumed to be sequential, so that each
// completion was noticed late, and the replay was off by 45%.
func TestFrameworkOnSeveralProcessors(t *testing.T) {
	p := loops.Of(4, 100, 100*us, 100*us)
	want := rate(t, p)
	p.Processors.Count, p.Framework.Time = 64, 790*us
	wantRate(t, "the framework has the processors it needs", rate(t, p), want)
	p.Processors.Count = 2
	if got := rate(t, p); got > want/2 {
		t.Errorf("%.2f command buffers in a millisecond on two processors, and %.2f on 64", got, want)
	}
}

// TestBehindOthersNobodyHandsOver tells of six threads on a GPU that runs one command buffer at a time. The predicted
// speed-up on a GPU that runs all at once was 4.1×, and the real one is 3.2×. A command buffer that is queued behind
// other work costs no hand-off to the GPU. On the wider GPU every command buffer does, which takes twice the processor
// time.
func TestBehindOthersNobodyHandsOver(t *testing.T) {
	p := loops.Of(4, 200, 0, 50*us)
	p.Devices[0].Engines = 1
	p.Processors.Count, p.Framework.Time, p.HandOffs.UsualNotify = 1, 80*us, 40*us
	for i := range p.Jobs {
		p.Jobs[i].Latency = 40 * us
	}
	p.ShareFramework()
	wantRate(t, "one behind the other", rate(t, p), 1/0.05)
	p.Devices[0].Engines = program.Unlimited
	wantRate(t, "all at once, submitted and notified of by one processor", rate(t, p), 4/(4*0.04+0.05+4*0.04))
}

// TestDepth: threads that never wait are limited by their queue, and by the GPU if the queue is deep.
func TestDepth(t *testing.T) {
	p := loops.Of(4, 400, 20*us, 100*us)
	p.Devices[0].Engines, p.Queues = 1, []program.Queue{{Capacity: 1, AtOnce: 1}}
	for i := range p.Jobs {
		p.Jobs[i].Queue = 0
	}
	loops.Edit(p, func(s *program.Step, _ *program.Detail) {
		if s.Kind == program.Wait {
			s.Kind = program.Nothing
		}
	})
	shallow := rate(t, p)
	p.Queues[0].Capacity = program.Unlimited
	if got := rate(t, p); got > 10.1 || got < 9.5 || shallow > got {
		t.Errorf("%.2f command buffers in a millisecond with a deeper queue, after %.2f, want the 10 that the GPU can do",
			got, shallow)
	}
}
