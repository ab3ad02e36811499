package cause

import (
	"math"
	"testing"

	"mtrace/analyze"
	"mtrace/fixtures/handmade"
)

// The story: one completion handler in four wrote to a file for six milliseconds, which took most of the threads' time.
// The verdict was none, because the median handler is quick. If threads wait for processors some handlers are late as
// well, and then the handlers are not the cause.
func TestSomeHandlersAreSlow(t *testing.T) {
	const period = 7_000_000
	for _, c := range []struct {
		name   string
		slow   analyze.Nanos // what every fourth handler takes
		wake   analyze.Nanos // what every fourth thread takes to wake
		behind bool          // the thread that waits for it has no handler itself
		want   string
		lost   analyze.Nanos
	}{
		{name: "every fourth", slow: 6_000_000, want: CompletionHandlers, lost: 15 * 6_000_000},
		{name: "none", slow: 20_000, want: None},
		{name: "as late as threads wake", slow: 3_000_000, wake: 3_000_000, want: None},
		{name: "before another's completion in its queue", slow: 6_000_000, behind: true, want: CompletionHandlers,
			lost: 2 * 15 * 6_000_000},
	} {
		w := handmade.New(60 * period)
		w.Trace.Threads = w.Trace.Threads[:2]
		for i := range analyze.Nanos(60) {
			begin, late, wake := i*period, analyze.Nanos(20_000), analyze.Nanos(10_000)
			if i%4 == 0 {
				late, wake = max(late, c.slow), max(wake, c.wake)
			}
			for k, by := range []*analyze.Thread{w.A, w.B} {
				b := w.Buffer(by, begin+1000+analyze.Nanos(k), handmade.At(begin+50_000, begin+500_000))
				b.Completed = handmade.At(b.GPU.End+20_000, b.GPU.End+20_010)
				if k == 0 || c.behind {
					b.Completed = handmade.At(b.GPU.End+late, b.GPU.End+late+10)
				}
				if k == 0 {
					b.Handlers = 1
				}
				w.Wait(by, handmade.At(begin+2000, b.Completed.End+wake), b)
			}
		}
		w.Trace.Finish()
		a := Analyze(w.Trace, Options{})
		if a.Verdict.Cause != c.want {
			t.Errorf("%s: %s, want %s: %s", c.name, a.Verdict.Cause, c.want, a.Verdict.Summary)
		}
		for _, f := range a.Verdict.Causes {
			if off := f.Lost - c.lost; f.Cause == CompletionHandlers && (off < -c.lost/20 || off > c.lost/20) {
				t.Errorf("%s: lost %v, want %v: %q", c.name, f.Lost, c.lost, f.Evidence)
			}
		}
	}
}

// The story: threads waited for a semaphore that the completion handler of their command buffer signalled after 300 µs
// of work. The verdict was none, because no thread waited for a command buffer. A handler that itself waits for another
// thread's item is not the slow part.
func TestThreadsWaitForSignalsOfHandlers(t *testing.T) {
	const period = 700_000
	for _, c := range []struct {
		name  string
		slow  analyze.Nanos // what the handler does before the signal
		waits bool          // for a signal, meanwhile
		want  string
		lost  analyze.Nanos
	}{
		{"slow before the signal", 300_000, false, CompletionHandlers, 60 * 300_000},
		{"the signal at once", 10_000, false, None, 60 * 10_000},
		{"waits before the signal", 300_000, true, None, 60 * 20_000},
	} {
		w := handmade.New(60 * period)
		for i := range analyze.Nanos(60) {
			begin := i * period
			b := w.Buffer(w.A, begin+1000, handmade.At(begin+50_000, begin+200_000))
			signalled := b.GPU.End + 20_000 + c.slow
			b.Completed, b.Handlers = handmade.At(signalled+2000, signalled+2010), 1
			if c.waits {
				w.SignalWait(w.B, handmade.At(b.GPU.End+20_000, signalled-20_000), 8, w.C, signalled-25_000, 0)
			}
			w.SignalWait(w.A, handmade.At(begin+2000, signalled+5000), 7, w.B, signalled, 0)
			quick := w.Buffer(w.A, begin+600_000, handmade.At(begin+610_000, begin+615_000)) // the usual case
			quick.Completed = handmade.At(quick.GPU.End+20_000, quick.GPU.End+20_010)
		}
		w.Trace.Finish()
		a := Analyze(w.Trace, Options{})
		if a.Verdict.Cause != c.want {
			t.Errorf("%s: %s, want %s: %s", c.name, a.Verdict.Cause, c.want, a.Verdict.Summary)
		}
		want := float64(period) / float64(period-c.slow)
		if of := a.Verdict.Causes; c.want != None && (len(of) == 0 || of[0].Speedup == nil ||
			math.Abs(of[0].Speedup.Estimate/want-1) > 0.1) {
			t.Errorf("%s: predicted %+v, want %.2f times as fast", c.name, of[0].Speedup, want)
		}
		for _, f := range a.Verdict.Causes {
			if off := f.Lost - c.lost; f.Cause == CompletionHandlers && (off < -c.lost/20 || off > c.lost/20) {
				t.Errorf("%s: lost %v, want %v: %q", c.name, f.Lost, c.lost, f.Evidence)
			}
		}
	}
}

// The story: completion handlers that took 560 µs and then committed the next command buffer were reported to cost
// nothing. The thread that runs them waits for the GPU in between, which was treated as a wait for a handler's signal.
// The thread that makes the items waits for the handlers to take them.
func TestHandlersThatCommit(t *testing.T) {
	const period = 1000 * us
	w := handmade.New(80 * period)
	for i := range analyze.Nanos(79) {
		begin := i*period + 10*us
		by := w.B
		if i == 0 {
			by = w.A
		}
		b := w.Buffer(by, begin, handmade.At(begin+20*us, begin+420*us))
		b.Completed, b.Handlers = handmade.At(begin+period+10*us, begin+period+11*us), 1
		w.SignalWait(w.B, handmade.At(begin+12*us, begin+440*us), 5, w.C, begin+435*us, 0)
		w.SignalWait(w.A, handmade.At(begin+50*us, begin+990*us), 6, w.B, begin+985*us, 0)
	}
	w.Trace.Finish()
	v := Analyze(w.Trace, Options{}).Verdict
	want := float64(period) / float64(period-560*us) // from the end of B's wait to the next commit
	if s := v.Causes[0].Speedup; v.Cause != CompletionHandlers || s == nil || s.Low > want || s.High < want {
		t.Errorf("%s (%s), %+v times as fast; want %.2f", v.Cause, v.Summary, s, want)
	}
}

// TestLoaderBesideHandlers tells of renderers that waited for the items of a loader, while completion handlers of their
// command buffers ran nearly all the time. The loader's signals counted as the handlers', so the verdict was
// completion-handlers.
func TestLoaderBesideHandlers(t *testing.T) {
	const period = 1000 * us
	w := handmade.New(60 * period)
	for i := range analyze.Nanos(59) {
		begin := 1*us + i*period
		b := w.Buffer(w.A, begin, handmade.At(begin+20*us, begin+220*us))
		b.Completed, b.Handlers, b.HandledBy = handmade.At(begin+900*us, begin+901*us), 1, w.B
		w.SignalWait(w.A, handmade.At(begin+10*us, begin+850*us), 6, w.C, begin+845*us, 0)
	}
	w.Trace.Finish()
	v := Analyze(w.Trace, Options{}).Verdict
	if f := v.finding(CompletionHandlers); f != nil || v.finding(Starvation) == nil {
		t.Errorf("%s: %s", v.Cause, v.Summary)
	}
}
