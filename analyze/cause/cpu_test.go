package cause

import (
	"slices"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/fixtures/handmade"
)

// rounds makes a trace of a second in which two threads, on two processors, submit a command buffer every 50 ms and
// wait for it; before that each is outside of Metal. samples are their running times and waits for a processor.
func rounds(outside, scheduling, gpu analyze.Nanos, samples ...analyze.CPUSample) *analyze.Trace {
	const ms, second = 1_000_000, 1_000_000_000
	w := handmade.New(second)
	w.Trace.Source.Processors = 2
	w.Trace.Threads = w.Trace.Threads[:2]
	for i, t := range []*analyze.Thread{w.A, w.B} {
		t.CPU = slices.Clone(samples)
		for k := range analyze.Nanos(20) {
			commit := k*50*ms + outside*ms + analyze.Nanos(i)
			began := commit + scheduling*ms
			b := w.Buffer(t, commit, handmade.At(began, began+gpu*ms))
			w.Wait(t, handmade.At(commit+1, began+gpu*ms+1000), b)
		}
	}
	w.Trace.Finish()
	return w.Trace
}

// of returns the samples of a second in which a thread ran and waited for so many hundredths of the time; -1 is
// unknown.
func of(ran, waited analyze.Nanos) []analyze.CPUSample {
	const hundredth = 10_000_000
	first, last := analyze.CPUSample{Ran: 7}, analyze.CPUSample{At: 100 * hundredth, Ran: 7 + ran*hundredth,
		Waited: waited * hundredth}
	if waited < 0 {
		first.Waited, last.Waited = analyze.NotKnown, analyze.NotKnown
	}
	return []analyze.CPUSample{first, last}
}

// part keeps the samples' beginning.
func part(s []analyze.CPUSample, hundredths analyze.Nanos) []analyze.CPUSample {
	last := &s[len(s)-1]
	last.At, last.Ran, last.Waited = last.At*hundredths/100, last.Ran*hundredths/100, last.Waited*hundredths/100
	return s
}

// The story: threads that slept most of the time were called cpu-bound. Threads that waited for a processor were called
// launch-bound, because completion notifications are late when no processor is free.
func TestProcessors(t *testing.T) {
	for name, c := range map[string]struct {
		trace *analyze.Trace
		cause string  // the verdict
		lost  float64 // of the threads' time
		said  string  // of cpu-bound: evidence, or why not
	}{
		"they sleep": {rounds(40, 0, 4, of(2, 1)...), None, 0,
			"ran for 2.0% of their time, waited for a processor for 1.0%, and slept for the rest"},
		"they sleep on a busy machine": {rounds(40, 0, 4, of(3, 20)...), None, 0, "slept"},
		"they want processors": {rounds(40, 0, 4, of(15, 75)...), CPUBound, 0.75,
			"2 threads used 15% of the machine's 2 processors; other programs used the rest"},
		"others have processors": {beside(rounds(40, 0, 4, of(15, 75)...), 160), CPUBound, 0.75,
			"the machine's 2 processors; other programs used 80%"},
		"nobody else has processors": {beside(rounds(40, 0, 4, of(15, 75)...), 2), CPUBound, 0.75,
			"the machine's 2 processors; a CPU affinity or quota kept the threads from using the rest"},
		"they compute": {rounds(40, 0, 4, of(80, 2)...), CPUBound, 0.82, "ran for 80%"},
		"more compute than can": {rounds(40, 0, 4, of(66, 33)...), CPUBound, 0.99,
			"waited for a processor for 33%"},
		"nothing is known": {rounds(40, 0, 4), None, 0, "whether they computed there is not in the trace"},
		"waits are not known, computing": {rounds(40, 0, 4, of(85, -1)...), CPUBound, 0.92,
			"the program used 85% of the machine's 2 processors"},
		"waits are not known, asleep": {rounds(40, 0, 4, of(4, -1)...), None, 0, "used a processor in at most 4.3%"},
		"half of it is known": {rounds(40, 0, 4, part(of(15, 75), 60)...), CPUBound, 0.45,
			"the use of processors is known for 60%"},
		"too little is known": {rounds(40, 0, 4, part(of(15, 75), 30)...), None, 0,
			"whether they computed there is not in the trace"},
		"the GPU is busy":        {rounds(10, 0, 38, of(15, 75)...), GPUBound, 0, "the GPU was busy for"},
		"it takes long to begin": {rounds(10, 30, 1, of(3, 2)...), LaunchBound, 0, "slept"},
		"it takes long for want of a turn": {rounds(10, 30, 1, of(30, 60)...), CPUBound, 0.60,
			"waited for a processor for 60%"},
		"half of that for want of a turn": {rounds(10, 25, 1, of(3, 29)...), None, 0, "slept"},
	} {
		a := Analyze(c.trace, Options{})
		v := a.Verdict
		if v.Cause != c.cause {
			t.Errorf("%s: %s, not %s: %s", name, v.Cause, c.cause, v.Summary)
		}
		said := ""
		for _, f := range append(slices.Clone(v.Causes), v.RuledOut...) {
			if f.Cause != CPUBound {
				continue
			}
			said = f.Why + strings.Join(f.Evidence, "; ")
			if lost := evidence.Share(f.Lost, a.Evidence.Times.Working()); f.Present && (lost < c.lost-0.03 ||
				lost > c.lost+0.03) {
				t.Errorf("%s: lost %.2f of the time, not %.2f", name, lost, c.lost)
			}
		}
		if !strings.Contains(said, c.said) {
			t.Errorf("%s: %q is not in %q", name, c.said, said)
		}
	}
}

// beside returns the trace with other programs that used so many hundredths of a processor.
func beside(trace *analyze.Trace, others analyze.Nanos) *analyze.Trace {
	process := trace.Threads[0].Process
	trace.Processes = []*analyze.Process{process}
	end := trace.TimeRange.End
	process.CPUSamples = []analyze.CPUSample{{}, {At: end, Ran: end * 30 / 100, Waited: end * 150 / 100}}
	process.OfMachine = []analyze.CPUSample{{}, {At: end, Ran: end * (30 + others) / 100, Waited: end * 2}}
	return trace
}

// The story: two other programs computed on the machine. Four Python threads that compute waited for the GIL for 42% of
// their time and for a processor for 36%. Their own computing was counted as demand for processors, and the verdict was
// that processors are lacking.
func TestInterpreterOnABusyMachine(t *testing.T) {
	trace := rounds(40, 0, 4, of(22, 36)...)
	for _, th := range trace.Threads {
		th.Process.Program = "/usr/bin/python3.11"
		for k := range analyze.Nanos(20) {
			begin := k * 50_000_000
			trace.CPUWaits.Locks = append(trace.CPUWaits.Locks, analyze.LockWait{Call: analyze.Call{Interval: handmade.At(begin,
				begin+22_000_000), Thread: th}, Selector: "pthread_cond_timedwait", Name: "_PyRuntime", Exclusive: 22_000_000})
		}
	}
	if v := Analyze(trace, Options{}).Verdict; v.Cause != InterpreterLock ||
		!slices.ContainsFunc(v.Causes, func(f Finding) bool { return f.Cause == CPUBound }) {
		t.Errorf("%s: %s %+v", v.Cause, v.Summary, v.Causes)
	}
}

// The story: four threads that were confined to one of a machine's 16 processors saturated it. Each waited for it for a
// quarter of its time, no more than on any busy machine. Completion notifications were late, so the verdict was
// launch-bound.
func TestConfinedToOneProcessor(t *testing.T) {
	for _, c := range []struct {
		used  analyze.Nanos // hundredths of a processor
		cause string
		count int           // processors that a replay may use
		other analyze.Nanos // hundredths of processors that other programs have; the others are idle
	}{{98, CPUBound, 1, 0}, {150, LaunchBound, 16, 0}, {98, CPUBound, 1, 30}, {98, LaunchBound, 16, 1500}} {
		trace := beside(rounds(10, 25, 1, of(25, 20)...), c.other-30+c.used)
		trace.Source.Processors = 16
		process := trace.Threads[0].Process
		process.CPUSamples = []analyze.CPUSample{{}, {At: 1_000_000_000, Ran: c.used * 10_000_000, Waited: 2_500_000_000}}
		a := Analyze(trace, Options{})
		if v := a.Verdict; v.Cause != c.cause {
			t.Errorf("%d%% of a processor used: %s, want %s: %s", c.used, v.Cause, c.cause, v.Summary)
		}
		if a.Evidence.Processors.Count != c.count {
			t.Errorf("%d%% of a processor used: the program has %d", c.used, a.Evidence.Processors.Count)
		}
	}
}
