package change_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/replay/change"
	"mtrace/analyze/replay/machine"
	"mtrace/analyze/replay/program"
	"mtrace/fixtures/loops"
)

const us = loops.Us

// rate is how many command buffers a changed program does in a millisecond.
func rate(t *testing.T, p *program.Program, c change.Change) float64 {
	t.Helper()
	q := c.Apply(p, nil)
	r, ends := machine.Run(q)
	if !ends {
		t.Fatal("the program does not end")
	}
	return 1e6 * q.Rate(r.Progress)
}

func wantRate(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got/want-1) > 0.02 {
		t.Errorf("%s: %.2f command buffers in a millisecond, want %.2f", what, got, want)
	}
}

// everyChange has each intervention by itself.
func everyChange() map[string]change.Change {
	all := map[string]change.Change{}
	for i := range reflect.TypeFor[change.Change]().NumField() {
		var c change.Change
		if f := reflect.ValueOf(&c).Elem().Field(i); f.Kind() == reflect.Bool {
			f.SetBool(true)
			all[reflect.TypeFor[change.Change]().Field(i).Name] = c
		}
	}
	return all
}

// TestBoth: two changes together make what each makes. A new field that Both leaves out would be lost in silence.
func TestBoth(t *testing.T) {
	for name, c := range everyChange() {
		if c.Both(change.Change{}) != c || (change.Change{}).Both(c) != c {
			t.Errorf("Both loses %s", name)
		}
	}
}

// TestBounds tells of a deeper queue that was predicted to bring 11× to a program whose GPU was busy for 84% of the
// time, because commits counted whose work would never have been done. Whatever is changed in any program, the GPU does
// no more than its engines can, and the recorded program is not modified.
func TestBounds(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 11))
	for n := range 25 {
		p := loops.Drawn(random)
		before := p.Clone()
		for name, c := range everyChange() {
			if c.Apart { // nobody submits for others
				continue
			}
			q := c.Apply(p, nil)
			r, ends := machine.Run(q)
			if !ends {
				t.Errorf("program %d without %s does not end", n, name)
				continue
			}
			var worked, last analyze.Nanos
			for i := range q.Jobs {
				if end, done := r.End(i); done && end > 0 {
					worked, last = worked+q.Jobs[i].Duration, max(last, end)
				}
			}
			if most := float64(q.Devices[0].Engines); !c.GPU && float64(worked) > most*float64(last)*1.001 {
				t.Errorf("program %d without %s: the GPU did %v of work in %v on %.0f engines", n, name, worked, last, most)
			}
		}
		if !reflect.DeepEqual(p, before) {
			t.Fatalf("program %d was changed", n)
		}
	}
}

func TestProcessorForEach(t *testing.T) {
	p := loops.Of(4, 200, 100*us, 100*us)
	p.Processors.Count = 1
	wantRate(t, "on one processor", rate(t, p, change.Change{}), 4/0.5)
	wantRate(t, "with a processor for each", rate(t, p, change.Change{Cores: true}), 4/0.2)
	p = loops.Of(4, 200, 100*us, 0)
	p.Processors.Count, p.Framework.Time = 1, 40*us
	p.HandOffs.UsualNotify, p.HandOffs.FreeLatency, p.HandOffs.FreeNotify = 20*us, 20*us, 20*us
	for i := range p.Jobs {
		p.Jobs[i].Latency = 20 * us
	}
	loops.Edit(p, func(s *program.Step, _ *program.Detail) { s.Notify = 20 * us })
	p.ShareFramework()
	if got, most := rate(t, p, change.Change{Cores: true}), 1/0.04; got > most*1.01 || got < most*0.5 {
		t.Errorf("%.2f command buffers in a millisecond, want at most the %.2f that the framework can submit on the "+
			"machine's processor", got, most)
	}
}

// TestGPUOfProcessors tells of the demo with three busy loops on two processors. The prediction without its needless
// waits was 2.5×, and the real speed-up 1.4×. Processors executed its GPU's work, which the replay ran as if it took
// none.
func TestGPUOfProcessors(t *testing.T) {
	p := loops.Of(6, 200, 0, 300*us)
	p.Devices[0].Engines, p.Processors.Count = 2, 2
	wantRate(t, "a GPU with room", rate(t, p, change.Change{SpareCapacity: true}), 6/0.3)
	p.Processors.RunGPU = true
	for i := range p.Jobs {
		p.Jobs[i].ProcessorTime = 300 * us
	}
	for i := range p.Threads { // so that they do not come all at once
		p.Threads[i].Steps[0].Gap = analyze.Nanos(i) * 90 * us
	}
	wantRate(t, "on two processors", rate(t, p, change.Change{SpareCapacity: true}), 2/0.3)
	wantRate(t, "one that runs everything at once, but for the processors", rate(t, p, change.Change{GPU: true}), 2/0.3)
	loops.Edit(p, func(s *program.Step, _ *program.Detail) {
		if s.Kind == program.Acquire {
			s.Gap = 300 * us
		}
	})
	wantRate(t, "threads that want them as long", rate(t, p, change.Change{SpareCapacity: true}), 2/0.6)
}

func TestFreeLocks(t *testing.T) {
	wantRate(t, "without locks", rate(t, loops.Locked(), change.Change{Locks: true}), 4/0.05)
}

// Without its allocations, a thread that allocates for half of its own time takes as long as with half of its
// computing.
func TestAllocateNothing(t *testing.T) {
	p := loops.Of(4, 200, 200*us, 100*us)
	loops.Edit(p, func(_ *program.Step, d *program.Detail) { d.Allocates = 0.5 })
	wantRate(t, "without allocating", rate(t, p, change.Change{Allocate: true}), 4/0.2)
}

// TestBeginWithoutCompiling: threads that compile first begin earlier if they do not.
func TestBeginWithoutCompiling(t *testing.T) {
	p := loops.Of(2, 100, 100*us, 100*us)
	for i := range p.Threads {
		p.Threads[i].Begin = analyze.Nanos(i) * 20_000 * us
	}
	if with, without := rate(t, p, change.Change{}), rate(t, p, change.Change{Compile: true}); with > 8 || without < 9.9 {
		t.Errorf("%.2f command buffers in a millisecond, and %.2f without compilation, want under 8 and 10", with, without)
	}
}

// TestSkipFences tells of threads that waited for empty command buffers behind all threads' work. The prediction
// without these waits was no gain: the empty command buffers kept their places in the queue, and counted as work.
func TestSkipFences(t *testing.T) {
	p := loops.Of(3, 100, 100*us, 50*us)
	p.Queues = p.Queues[:1] // one for all, one command buffer at a time
	for i := range p.Threads {
		th := &p.Threads[i]
		steps, details := th.Steps, th.Details
		th.Steps, th.Details, th.Jobs = nil, nil, nil
		for k, s := range steps {
			if th.Add(s, details[k]); s.Kind == program.Commit {
				th.Jobs = append(th.Jobs, s.Job)
			}
			if s.Kind != program.Wait {
				continue
			}
			fence := int32(len(p.Jobs))
			p.Jobs = append(p.Jobs, program.Job{By: int32(i), Duration: 100 * us, Fence: true})
			th.Jobs = append(th.Jobs, fence)
			th.Add(program.Step{Kind: program.Acquire, Job: fence, Gap: 20 * us}, program.Detail{Unlocked: 20 * us})
			th.Add(program.Step{Kind: program.Commit, Job: fence}, program.Detail{})
			th.Add(program.Step{Kind: program.Wait, Job: fence, Barrier: true}, program.Detail{})
		}
	}
	for i := range p.Jobs {
		p.Jobs[i].Queue = 0
	}
	wantRate(t, "with fences, which are no work", rate(t, p, change.Change{}), 1/0.15)
	wantRate(t, "without", rate(t, p, change.Change{CrossThread: true}), 3/0.17)
}

// TestEventsOfThreads tells of command buffers that waited for an event's value that a thread sets. They were replayed
// as if they began at once, in the unchanged program too, so nothing was predicted.
func TestEventsOfThreads(t *testing.T) {
	p := loops.Of(3, 50, 0, 100*us)
	clock := loops.Thread()
	for n := range 50 {
		clock.Add(program.Step{Kind: program.SetEvent, Job: program.Unknown, Gap: 1000 * us, Number: int32(n)},
			program.Detail{})
		for i := range 3 {
			p.Jobs[i*50+n].Events = []int32{int32(n)}
		}
	}
	p.Events, p.Threads = 50, append(p.Threads, clock)
	p.HandOffs.QuickLatency = 1000 * us
	wantRate(t, "as values come", rate(t, p, change.Change{}), 3)
	wantRate(t, "without events", rate(t, p, change.Change{Events: true}), 3/0.1)
}

// TestEventsUnblockAtOnce tells of command buffers that an event unblocks all at once. They were predicted to be as
// late without the event, although they compete for processors only because they begin together.
func TestEventsUnblockAtOnce(t *testing.T) {
	p := loops.Of(2, 100, 0, 100*us)
	for i := range p.Jobs {
		if p.Jobs[i].Latency = 150 * us; i%5 == 0 {
			p.Jobs[i].Latency = 50 * us
		}
		p.Jobs[i].Events = []int32{0}
	}
	once := loops.Thread()
	once.Add(program.Step{Kind: program.SetEvent, Job: program.Unknown}, program.Detail{})
	p.Events, p.Threads = 1, append(p.Threads, once)
	p.MeasureHandOffs()
	wantRate(t, "all come at once", rate(t, p, change.Change{}), 2/0.23)
	wantRate(t, "each when it can", rate(t, p, change.Change{Events: true}), 2/0.15)
}

// TestOverlapRounds: with two rounds in flight a thread computes while the GPU works.
func TestOverlapRounds(t *testing.T) {
	p := loops.Of(1, 200, 100*us, 100*us)
	wantRate(t, "one in flight", rate(t, p, change.Change{}), 1/0.2)
	wantRate(t, "two in flight", rate(t, p, change.Change{Scale: &change.Scale{InFlight: 2}}), 1/0.1)
}

// TestScaleLock: a lock that is held for half as long admits twice as many threads.
func TestScaleLock(t *testing.T) {
	p := loops.Locked()
	loops.Edit(p, func(s *program.Step, d *program.Detail) {
		if s.Kind == program.Lock {
			d.NamedLock = 1
		}
	})
	wantRate(t, "half", rate(t, p, change.Change{Scale: &change.Scale{Locks: []float64{0.5}}}), 20)
	wantRate(t, "free", rate(t, p, change.Change{Scale: &change.Scale{Locks: []float64{0}}}), 4/0.05)
}
