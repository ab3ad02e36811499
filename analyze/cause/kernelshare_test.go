package cause

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/fixtures/handmade"
)

// Kernels that waited for another queue's kernel in 70 to 85% of their executions were the program's limit: gpu-bound.
// In the other executions the value that they poll for was there already, so they were short.
func TestKernelsThatWaitMostly(t *testing.T) {
	for name, c := range map[string]struct {
		share   float64                               // of the executions, which wait
		short   func(random *rand.Rand) analyze.Nanos // length of an execution that does not wait
		lag     func(random *rand.Rand) analyze.Nanos // from the end of the awaited kernel
		running float64                               // share of the waits for a kernel that began before
		waits   bool
	}{
		"in 90%":                   {0.9, upTo(5, 10), upTo(10, 20), 0, true},
		"in 85%":                   {0.85, upTo(5, 10), upTo(10, 20), 0, true},
		"in 70%":                   {0.7, upTo(5, 10), upTo(10, 20), 0, true},
		"in 40%":                   {0.4, upTo(5, 10), upTo(10, 20), 0, true},
		"then works":               {0.75, upTo(700, 20), upTo(700, 20), 0, true},
		"works before and after":   {0.75, upTo(1700, 20), upTo(700, 20), 0, true},
		"producer runs already":    {0.9, upTo(5, 10), upTo(10, 20), 0.15, true},
		"long, and waits for none": {0.7, upTo(4000, 2000), upTo(10, 20), 0, false},
		"ends at random":           {0.7, upTo(5, 10), upTo(10, 3000), 0, false},
		"producer runs always":     {0.8, upTo(5, 10), upTo(10, 20), 0.9, false},
	} {
		trace := someRounds(c.share, c.running, c.short, c.lag)
		found := slices.DeleteFunc(evidence.KernelWaits(trace), func(w evidence.KernelWait) bool { return w.Unproven })
		a := Analyze(trace, Options{})
		if (len(found) > 0) != c.waits || (a.Verdict.Cause == GPUBound) == c.waits {
			t.Errorf("%s: %d, verdict %s: %s", name, len(found), a.Verdict.Cause, a.Verdict.Summary)
		}
		if c.waits && !strings.Contains(a.Verdict.Summary, "Kernels wait on the GPU") {
			t.Errorf("%s: %s", name, a.Verdict.Summary)
		}
	}
}

// A kernel that signals an event was said to wait for the kernel that waits for this event, because under load that
// kernel ended before the signalling one.
func TestKernelThatSignals(t *testing.T) {
	trace := someRounds(0.8, 0, upTo(5, 10), upTo(10, 20))
	for b := range trace.Buffers() {
		if v := (analyze.EventValue{Event: 5, Value: 7}); b.Queue.ID == 2 {
			b.WaitsFor = []analyze.EventValue{v}
		} else {
			b.Signals = []analyze.EventValue{v}
		}
	}
	if found := evidence.KernelWaits(trace); len(found) > 0 {
		t.Errorf("%+v", found[0])
	}
}

// upTo draws a time from `least` to `least` and `more` microseconds.
func upTo(least, more int) func(*rand.Rand) analyze.Nanos {
	return func(random *rand.Rand) analyze.Nanos { return analyze.Nanos(least+random.IntN(more)) * microsecond }
}

// someRounds is a thread whose kernels wait for another thread's kernel in a share of the rounds. In the other rounds
// that kernel ended before, and the waiting kernel takes the time that `short` draws.
func someRounds(share, running float64, short, lag func(*rand.Rand) analyze.Nanos) *analyze.Trace {
	random := rand.New(rand.NewPCG(5, 6))
	w := handmade.New(1000 * 1000 * microsecond)
	second := &analyze.Queue{ID: 2, Process: w.A.Process, Device: w.Queue.Device, Label: "second"}
	w.Trace.Queues = append(w.Trace.Queues, second)
	at := analyze.Nanos(4000 * microsecond)
	for range 60 {
		begin, waits := at, random.Float64() < share
		if !waits {
			begin += 450 * microsecond
		}
		mine := handmade.At(begin, begin+upTo(4000, 2000)(random))
		other := handmade.At(begin-400*microsecond, begin-100*microsecond)
		if waits {
			other.End = mine.End - lag(random)
			other.Begin = other.End - 300*microsecond
			if random.Float64() < running {
				other.Begin = begin - upTo(100, 1000)(random)
			}
		} else {
			mine.End = begin + short(random)
		}
		b := w.Buffer(w.B, other.Begin-10*microsecond, other)
		b.Queue = second
		w.Wait(w.B, handmade.At(other.Begin-5*microsecond, other.End+10*microsecond), b)
		b = w.Buffer(w.A, begin-20*microsecond, mine)
		w.Wait(w.A, handmade.At(begin-10*microsecond, mine.End+10*microsecond), b)
		at = mine.End + 50*microsecond
	}
	w.Trace.TimeRange = handmade.At(0, at)
	w.A.Active, w.B.Active, w.C.Active = w.Trace.TimeRange, w.Trace.TimeRange, analyze.Interval{}
	w.A.Working, w.B.Working = w.Trace.TimeRange, w.Trace.TimeRange
	w.Trace.Finish()
	return w.Trace
}
