package cause_test

import (
	"math"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/fixtures/tracesim"
)

const us, ms = 1_000, 1_000_000

func scenario(t *testing.T, name string) *analyze.Trace {
	t.Helper()
	for _, s := range tracesim.Scenarios {
		if s.Name == name {
			return load(t, s.Build(1).Run(t))
		}
	}
	t.Fatalf("there is no scenario %q", name)
	return nil
}

// wantVerdict checks the verdict, and that a text is in its summary or evidence.
func wantVerdict(t *testing.T, trace *analyze.Trace, want, said string) {
	t.Helper()
	v := cause.Analyze(trace, cause.Options{}).Verdict
	all := v.Summary
	for _, c := range v.Causes {
		all += "\n" + c.Cause + ": " + strings.Join(c.Evidence, "; ")
	}
	if v.Cause != want || !strings.Contains(all, said) {
		t.Errorf("%s, want %s and %q in:\n%s", v.Cause, want, said, all)
	}
}

// The story: another program's work on the GPU was mistaken for the cost of launching. It is reported with its cost,
// and the verdict on this program is none.
func TestForeignLoadIsNoVerdict(t *testing.T) {
	trace := scenario(t, "another program on the GPU")
	wantVerdict(t, trace, cause.None, "Another program uses the GPU")
	if v := cause.Analyze(trace, cause.Options{}).Verdict; len(v.Causes) == 0 ||
		v.Causes[0].Cause != cause.ExternalGPULoad || v.Share < 0.3 {
		t.Errorf("share %.2f, causes %+v", v.Share, v.Causes)
	}
}

// The story: a program of nine threads shared the GPU with another program. Its threads, and the threads that simulate
// the GPU, had each waited for processors for a moment. The sum was more than the GPU's idle time, so external load was
// ruled out. Work that the other program interrupted made the GPU look busy, and the verdict was gpu-saturated.
func TestForeignLoadOfManyThreads(t *testing.T) {
	trace := scenario(t, "another program that interrupts the work of many threads")
	for _, waited := range []analyze.Nanos{0, 10, 100} { // thousandths of each thread's time, for processors
		p, w := trace.Processes[0], trace.TimeRange
		p.CPUSamples = []analyze.CPUSample{{At: w.Begin},
			{At: w.End, Ran: w.Length(), Waited: 8 * w.Length() * waited / 1000}}
		wantVerdict(t, trace, cause.None, "as long on the GPU as the same work usually does")
	}
	v := cause.Analyze(trace, cause.Options{}).Verdict
	if len(v.Causes) == 0 || v.Causes[0].Cause != cause.ExternalGPULoad || v.Share < 0.6 || v.Share > 0.9 {
		t.Errorf("share %.2f, causes %+v", v.Share, v.Causes)
	}
	// the thread notified of the end lacks a processor as well: so may the thread that begins the work
	for b := range trace.Buffers() {
		b.Completed.Begin += 3 * ms
		b.Completed.End += 3 * ms
	}
	if v := cause.Analyze(trace, cause.Options{}).Verdict; len(v.Causes) > 0 &&
		v.Causes[0].Cause == cause.ExternalGPULoad {
		t.Errorf("another program is blamed, though completions are late as well: %+v", v.Causes[0])
	}
}

// The story: a GPU saturated by nine threads left 46 µs between command buffers. A thread that waited behind eight of
// them saw the GPU idle for 370 µs, and another program was blamed.
func TestTurnaroundsAreNoForeignLoad(t *testing.T) {
	s := tracesim.NewSim(1, 1)
	for range 9 {
		q := s.NewQueue("", 0)
		s.Thread(func(t *tracesim.Thread) {
			for range 40 {
				b := t.CommandBuffer(q)
				t.Encode(b, "step", 300*us)
				t.Commit(b)
				t.Wait(b)
			}
		})
	}
	trace := load(t, s.Run(t))
	for b := range trace.Buffers() {
		b.GPU.End -= 46 * us
	}
	wantVerdict(t, trace, cause.GPUSaturated, "")
}

// The story: one of the threads that meet at a barrier sometimes had work of fifteen times the usual length. The other
// threads waited for it with nothing in flight, so no command buffer began or ended meanwhile, and the report said that
// another program had stopped the GPU. The same happened if all threads had such work at the same time.
func TestLongWorkIsNoForeignLoad(t *testing.T) {
	for _, long := range []int{1, 3} { // threads that have it
		s := tracesim.NewSim(4, 1)
		last := make([]*tracesim.Buffer, 3)
		for i := range last {
			q := s.NewQueue("", 0)
			s.Thread(func(t *tracesim.Thread) {
				for round := range 80 {
					took := int64(100 * us)
					if i < long && round%4 == 1 {
						took *= 15
					}
					if i == 0 && long == 1 { // it comes last
						t.Work(200 * us)
					}
					b := t.CommandBuffer(q)
					t.Encode(b, "step", took)
					t.Commit(b)
					last[i] = b
					t.Wait(b)
					for _, other := range last {
						if other != nil {
							t.Wait(other)
						}
					}
				}
			})
		}
		for _, c := range cause.Analyze(load(t, s.Run(t)), cause.Options{}).Verdict.Causes {
			if c.Cause == cause.ExternalGPULoad {
				t.Errorf("%d threads: another program is blamed: %q", long, c.Evidence)
			}
		}
	}
}

// The story: two threads alternated with a spin lock. Each spun while the other waited for the GPU, and the verdict was
// cpu-bound, since they ran for half of their time.
func TestSpinningIsNotComputing(t *testing.T) {
	trace := scenario(t, "a spin lock kept during the wait")
	for _, waited := range []analyze.Nanos{10, 30} { // on a machine that is busy, spinning threads lack processors as well
		for _, th := range trace.Threads {
			took := th.Active.Length()
			th.CPU = []analyze.CPUSample{{At: th.Active.Begin}, {At: th.Active.End, Ran: took * (58 - waited) / 100,
				Waited: took * waited / 100}}
		}
		wantVerdict(t, trace, cause.LockContention, "never wait for the GPU at the same time")
	}
}

// The story: nine threads spun on two processors, so that each waited for the GPU a dozen times in the whole trace.
// With fewer than twenty waits each, no thread was tested for running mutually exclusively, and the verdict was
// cpu-bound.
func TestManyThreadsThatSpin(t *testing.T) {
	trace := scenario(t, "a spin lock of nine threads kept during the wait")
	for _, th := range trace.Threads {
		took := th.Active.Length()
		th.CPU = []analyze.CPUSample{{At: th.Active.Begin}, {At: th.Active.End, Ran: took * 21 / 100,
			Waited: took * 70 / 100}}
	}
	wantVerdict(t, trace, cause.LockContention, "never wait for the GPU at the same time")
}

// The story: threads that compute under a ticket lock run mutually exclusively, so all wait for equally long each time.
// The verdict was cpu-bound. An unrecorded lock on which they sleep gives the same times, and so do threads that a
// timer wakes: only processor time distinguishes these cases.
func TestTicketLockAroundOwnWork(t *testing.T) {
	for _, c := range []struct {
		threads int
		take    func(*tracesim.Thread, *tracesim.Lock)
		runs    bool
		locked  bool
	}{
		{6, (*tracesim.Thread).Queue, true, true}, {3, (*tracesim.Thread).Queue, true, true},
		{6, (*tracesim.Thread).Queue, false, false}, {6, (*tracesim.Thread).Spin, false, false},
		{6, (*tracesim.Thread).Spin, true, true},
		{6, nil, true, false}, {3, nil, true, false},
	} {
		trace := load(t, tracesim.SpinsAtWork(c.take, c.threads, 80)(1).Run(t))
		for _, th := range trace.Threads {
			own := th.Active.Length()
			for i := range trace.Waits {
				if trace.Waits[i].Thread == th {
					own -= trace.Waits[i].Length()
				}
			}
			if th.CPU = []analyze.CPUSample{{At: th.Active.Begin}, {At: th.Active.End}}; c.runs {
				th.CPU[1].Ran = own
			}
		}
		v := cause.Analyze(trace, cause.Options{}).Verdict
		if (v.Cause == cause.LockContention) != c.locked {
			t.Errorf("%d threads, with a lock %v, on a processor %v: %s: %s", c.threads, c.take != nil, c.runs, v.Cause,
				v.Summary)
		}
		if c.locked && !strings.Contains(v.Summary, "one at a time") {
			t.Errorf("%d threads: %s", c.threads, v.Summary)
		}
	}
}

// The story: an unrecorded serial queue took 90% of the time of eight threads. It was not looked for, because of one
// recorded wait of 278 µs for a lock.
func TestShortLockDoesNotHideAnother(t *testing.T) {
	trace := scenario(t, "a lock kept during the wait")
	th := trace.CommandBuffers[0].Committed.Thread
	trace.CPUWaits.Locks = []analyze.LockWait{{Call: analyze.Call{Interval: analyze.Interval{Begin: th.Active.Begin,
		End: th.Active.Begin + 278*us}, Thread: th},
		Selector: "pthread_mutex_lock", Name: "malloc", Exclusive: 278 * us}}
	wantVerdict(t, trace, cause.LockContention, "Threads alternate")
	wantVerdict(t, trace, cause.LockContention, "the lock malloc: 1 wait,")
}

// The story: a thread compiles in the background, for others that have work in flight all the time. The verdict was
// compile-bound.
func TestCompilationBesideTheWork(t *testing.T) {
	s := tracesim.NewSim(8, 1)
	for i := range 3 {
		q := s.NewQueue("", 0)
		s.Thread(func(t *tracesim.Thread) {
			for round := range 150 {
				if i == 0 && round > 0 && round < 149 {
					t.Compile("step", ms)
					continue
				}
				b := t.CommandBuffer(q)
				t.Encode(b, "step", ms)
				t.Commit(b)
				t.Wait(b)
			}
		})
	}
	wantVerdict(t, load(t, s.Run(t)), cause.GPUBound, "compile-bound: while they submitted work, threads spent")
}

// The story: threads that only write a log wait for each other's lock for most of their time. The verdict was
// lock-contention, with a speed-up of 1.01× without it, because two other threads wait for their work all the time. If
// that work takes half of the time, it is the verdict.
func TestLockBesideTheWork(t *testing.T) {
	wantVerdict(t, lockBeside(t, 0), cause.GPUBound, "kernel step: if it took half of its time, the run would be 1.9")
	wantVerdict(t, lockBeside(t, ms*2/3), cause.None, "Threads that submit next to nothing")
}

// lockBeside is a program of five threads. Two submit work of a millisecond, wait for it and then pause; three others
// write the log.
func lockBeside(t *testing.T, pause int64) *analyze.Trace {
	s := tracesim.NewSim(8, 1)
	for i := range 5 {
		q := s.NewQueue("", 0)
		s.Thread(func(t *tracesim.Thread) {
			submit := func() {
				b := t.CommandBuffer(q)
				t.Encode(b, "step", ms)
				t.Commit(b)
				t.Wait(b)
			}
			if i < 2 {
				for range 150 * ms / (ms + pause) {
					submit()
					t.Sleep(pause)
				}
				return
			}
			submit()
			t.Sleep(148 * ms)
			submit()
		})
	}
	trace := load(t, s.Run(t))
	for _, th := range trace.Threads {
		if th.Active.Length() == 0 || countBuffers(trace, th) > 10 {
			continue
		}
		for at := th.Active.Begin + 2*ms; at < th.Active.Begin+145*ms; at += 3 * ms {
			trace.CPUWaits.Locks = append(trace.CPUWaits.Locks,
				analyze.LockWait{Call: analyze.Call{Interval: analyze.Interval{Begin: at,
					End: at + 2*ms}, Thread: th}, Name: "log", Exclusive: 2 * ms})
			th.Exclusive[analyze.PartLock] += 2 * ms
			th.WorkingExclusive[analyze.PartLock] += 2 * ms
		}
	}
	return trace
}

func countBuffers(t *analyze.Trace, th *analyze.Thread) (n int) {
	for b := range t.Buffers() {
		if b.Committed.Thread == th {
			n++
		}
	}
	return n
}

// The story: a program dispatched faster than it can be traced, and five of six calls were lost. Command buffers whose
// encoders were lost looked like barriers, and there was a verdict nevertheless.
func TestNoVerdictFromATraceWithHoles(t *testing.T) {
	trace := scenario(t, "device-wide sync")
	trace.Recording.Lost.Records = trace.Events
	if v := cause.Analyze(trace, cause.Options{}).Verdict; v.Cause != cause.None ||
		!strings.Contains(v.Summary, "calls were lost") {
		t.Errorf("%s: %s", v.Cause, v.Summary)
	}
	trace.Recording.Lost.Records = trace.Events / 10
	if v := cause.Analyze(trace, cause.Options{}).Verdict; v.Cause != cause.DeviceWideSync || v.Confidence > 0.7 {
		t.Errorf("%s with confidence %.2f: %s", v.Cause, v.Confidence, v.Summary)
	}
}

// The story: a thread that keeps three command buffers in flight, and waits for them outside of any recorded call, was
// replayed as one that waits for nothing, so nothing could be predicted for its program.
func TestWaitsThatNoCallShows(t *testing.T) {
	a := cause.Analyze(scenario(t, "GPU saturated, three in flight"), cause.Options{})
	if math.Abs(a.ReplayError) > 0.05 {
		t.Errorf("the replay is off by %.0f%%", 100*a.ReplayError)
	}
	if c := a.Verdict.Causes[0]; c.Speedup != nil || c.Unpredicted == "" {
		t.Errorf("%+v, %q: want nothing predicted, since the one queue has the GPU all the time", c.Speedup, c.Unpredicted)
	}
}

// TestSaysWhyNothingIsPredicted: a spin lock makes waiting look like the threads' own computing.
func TestSaysWhyNothingIsPredicted(t *testing.T) {
	trace := scenario(t, "a spin lock kept during the wait")
	for _, th := range trace.Threads {
		took := th.Active.Length()
		th.CPU = []analyze.CPUSample{{At: th.Active.Begin}, {At: th.Active.End, Ran: took / 2}}
	}
	a := cause.Analyze(trace, cause.Options{})
	if c := a.Verdict.Causes[0]; c.Speedup != nil || !strings.Contains(c.Unpredicted, "how much of that is work") {
		t.Errorf("%s: %+v, %q", c.Cause, c.Speedup, c.Unpredicted)
	}
}
