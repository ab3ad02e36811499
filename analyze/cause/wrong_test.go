package cause

import (
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/replay"
	"mtrace/fixtures/handmade"
)

// work lets threads A, B and C make a command buffer each millisecond, and wait for it.
func work(rounds int) *handmade.World {
	end := analyze.Nanos(rounds) * 1000 * us
	w := handmade.New(end)
	for i := range rounds {
		for n, th := range w.Trace.Threads {
			begin := analyze.Nanos(i)*1000*us + analyze.Nanos(n)*50*us
			w.Wait(th, handmade.At(begin+5*us, begin+120*us), w.Buffer(th, begin, handmade.At(begin+10*us, begin+100*us)))
		}
	}
	for _, th := range w.Trace.Threads {
		th.Working = th.Active
	}
	return w
}

func said(f Finding) string { return strings.Join(f.Evidence, "\n") }

// The story: three workers of a ThreadPoolExecutor were idle for 44% of their time. Each posts the semaphore of
// CPython's SimpleQueue when it has taken an item out, so a part of their waits was recorded as waits for a lock, and
// the verdict was lock-contention. Later the verdict was none, because these waits were left out. But the workers wait
// for the thread that puts work in, while the GPU is idle.
func TestIdleWorkersOfAnExecutor(t *testing.T) {
	for _, posted := range []bool{true, false} {
		w := work(60)
		for i := range 60 {
			begin := analyze.Nanos(i)*1000*us + 300*us
			for n, th := range []*analyze.Thread{w.A, w.B} {
				idle := handmade.At(begin, begin+600*us)
				if n == 0 && posted { // the thread that puts work in posts the semaphore
					w.SignalWait(th, idle, 99, w.C, idle.End-1, 0)
					continue
				}
				w.Trace.CPUWaits.Locks = append(w.Trace.CPUWaits.Locks, analyze.LockWait{Call: analyze.Call{Interval: idle,
					Thread: th},
					Selector: "sem_wait", Lock: 99,
					Name: "in PyThread_acquire_lock_timed", Holder: w.A, Exclusive: idle.Length()})
			}
		}
		w.A.Exclusive[analyze.PartLock], w.B.Exclusive[analyze.PartLock] = 60*600*us, 60*600*us
		w.A.WorkingExclusive, w.B.WorkingExclusive = w.A.Exclusive, w.B.Exclusive
		w.Trace.Finish()
		a := Analyze(w.Trace, Options{})
		want := LockContention
		if posted {
			want = Starvation
		}
		if a.Verdict.Cause != want {
			t.Errorf("posted by the producer %v: %s, want %s: %s", posted, a.Verdict.Cause, want, a.Verdict.Summary)
		}
		if locked := a.Evidence.Times.Threads[1].Time[analyze.PartLock]; posted == (locked > 0) {
			t.Errorf("posted by the producer %v: a worker waited %v for locks", posted, locked)
		}
	}
}

// The story: the evidence had two rows "the lock _PyRuntime".
func TestLocksOfOneName(t *testing.T) {
	w := work(60)
	for i := range 60 {
		for n, th := range []*analyze.Thread{w.A, w.B} {
			held := handmade.At(analyze.Nanos(i)*1000*us+300*us, analyze.Nanos(i)*1000*us+800*us)
			w.Trace.CPUWaits.Locks = append(w.Trace.CPUWaits.Locks, analyze.LockWait{Call: analyze.Call{Interval: held,
				Thread: th},
				Selector: "pthread_mutex_lock", Lock: uint64(10 + n),
				Name: "cache", Holder: w.C, Exclusive: held.Length()})
		}
	}
	w.Trace.Finish()
	v := Analyze(w.Trace, Options{}).Verdict
	if v.Cause != LockContention || strings.Count(said(v.Causes[0]), "the lock cache") != 1 ||
		!strings.Contains(said(v.Causes[0]), "the lock cache (2 of that name): 120 waits") {
		t.Errorf("%s:\n%s", v.Cause, said(v.Causes[0]))
	}
}

// The story: an empty trace ruled out fifteen causes.
func TestATinyTraceRulesNothingOut(t *testing.T) {
	for _, rounds := range []int{0, 2} {
		w := work(rounds)
		w.Trace.Finish()
		if v := Analyze(w.Trace, Options{}).Verdict; v.Cause != None || len(v.RuledOut) > 0 ||
			!strings.Contains(v.Summary, "Not enough data") {
			t.Errorf("%d rounds: %s, rules out %d: %s", rounds, v.Cause, len(v.RuledOut), v.Summary)
		}
	}
}

// The story: 23 command buffers were launch-bound with a confidence of 0.80.
func TestFewCommandBuffersAreLessSure(t *testing.T) {
	judged := func(rounds int) Verdict {
		w := handmade.New(analyze.Nanos(rounds) * 200 * us)
		for i := range rounds {
			begin := analyze.Nanos(i) * 200 * us
			w.Wait(w.A, handmade.At(begin+10*us, begin+190*us),
				w.Buffer(w.A, begin+5*us, handmade.At(begin+100*us, begin+110*us)))
		}
		w.A.Working, w.Trace.Threads = w.A.Active, w.Trace.Threads[:1]
		w.Trace.Finish()
		return Analyze(w.Trace, Options{}).Verdict
	}
	few, many := judged(23), judged(200)
	if few.Cause != LaunchBound || many.Cause != LaunchBound || few.Confidence > 0.7 || few.Confidence >= many.Confidence {
		t.Errorf("of 23 command buffers %s with %.2f, of 200 %s with %.2f", few.Cause, few.Confidence, many.Cause,
			many.Confidence)
	}
}

// The story: a thread submitted for other threads, which waited for it in std::future's futexes that are not recorded.
// The verdict was that the GPU is saturated, and that more threads cannot help. One thread does not show that: no more
// of its work was pending. The report may give the gain from a faster GPU, and must say what is unknown.
func TestOneThreadDoesNotShowWhatMoreWouldBring(t *testing.T) {
	w := handmade.New(100 * 1000 * us)
	for i := range 100 {
		begin := analyze.Nanos(i) * 1000 * us
		w.Wait(w.A, handmade.At(begin+5*us, begin+995*us), w.Buffer(w.A, begin+2*us, handmade.At(begin+10*us, begin+985*us)))
	}
	w.A.Working, w.Trace.Threads = w.A.Active, w.Trace.Threads[:1]
	w.Trace.Finish()
	v := Analyze(w.Trace, Options{}).Verdict
	if v.Cause != GPUBound || strings.Contains(v.Causes[0].Advice, "cannot help") || !strings.Contains(said(v.Causes[0]),
		"other threads wait for this thread") {
		t.Errorf("%s: %s\n%s", v.Cause, v.Causes[0].Advice, said(v.Causes[0]))
	}
}

// The story: a run without GPU times gives no program to replay. Asking for a prediction without a cause made the
// report panic.
func TestAskWithoutAProgram(t *testing.T) {
	w := handmade.New(60 * 1000 * us)
	for i := range 60 {
		begin := analyze.Nanos(i) * 1000 * us
		b := w.Buffer(w.C, begin+2*us, analyze.Interval{})
		w.Wait(w.A, handmade.At(begin+5*us, begin+900*us), b)
		w.Wait(w.B, handmade.At(begin+5*us, begin+900*us), b)
	}
	for _, th := range w.Trace.Threads {
		th.Working = th.Active
	}
	w.Trace.Finish()
	a := Analyze(w.Trace, Options{})
	if a.Verdict.Cause != SingleSubmitter {
		t.Fatalf("%s: %s", a.Verdict.Cause, a.Verdict.Summary)
	}
	if _, why, err := a.Predict([]replay.Wanted{{Kind: KindCause, Pattern: SingleSubmitter}}); why == "" || err != nil {
		t.Errorf("%q, %v", why, err)
	}
}

// The story: the threads of a program waited for the GPU's work for 37 to 64% of their time. The verdict was gpu-bound
// or none, depending on which side of a half the share was. The share is now compared with the largest of the other
// shares.
func TestWhatTakesTheMostOfTheTimeDependsOnWhatThereIs(t *testing.T) {
	for _, c := range []struct {
		running, notify analyze.Nanos // of each millisecond; the rest is outside of Metal
		want            string
	}{{450, 200, GPUBound}, {450, 10, None}, {600, 10, GPUBound}} {
		w := handmade.New(100 * 1000 * us)
		w.Trace.Threads = w.Trace.Threads[:2]
		for i := range 100 {
			for n, th := range w.Trace.Threads {
				begin := analyze.Nanos(i)*1000*us + analyze.Nanos(n)*50*us
				done := begin + 10*us + c.running*us
				w.Wait(th, handmade.At(begin+9*us, done+c.notify*us), w.Buffer(th, begin+5*us, handmade.At(begin+10*us, done)))
			}
		}
		for _, th := range w.Trace.Threads {
			th.Working = th.Active
		}
		w.Trace.Finish()
		if v := Analyze(w.Trace, Options{Unpredicted: true}).Verdict; v.Cause != c.want {
			t.Errorf("%d µs of work on the GPU, %d until its completion is noticed: %s, want %s: %s", c.running,
				c.notify, v.Cause, c.want,
				v.Summary)
		}
	}
}
