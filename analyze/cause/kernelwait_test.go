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

// twoQueues is a thread that waits for each of its command buffers of about 5 ms on the GPU, and another thread whose
// command buffers run concurrently with them; other returns when those run.
func twoQueues(other func(random *rand.Rand, mine analyze.Interval) []analyze.Interval) *analyze.Trace {
	random := rand.New(rand.NewPCG(5, 6))
	w := handmade.New(1000 * 1000 * microsecond)
	second := &analyze.Queue{ID: 2, Process: w.A.Process, Device: w.Queue.Device, Label: "second"}
	w.Trace.Queues = append(w.Trace.Queues, second)
	at := analyze.Nanos(100 * microsecond)
	for range 60 {
		mine := handmade.At(at, at+analyze.Nanos(4000+random.IntN(2000))*microsecond)
		for _, i := range other(random, mine) {
			b := w.Buffer(w.B, i.Begin-10*microsecond, i)
			b.Queue = second
			w.Wait(w.B, handmade.At(i.Begin-5*microsecond, i.End+10*microsecond), b)
		}
		b := w.Buffer(w.A, at-20*microsecond, mine)
		w.Wait(w.A, handmade.At(at-10*microsecond, mine.End+10*microsecond), b)
		at = mine.End + 50*microsecond
	}
	w.Trace.TimeRange = handmade.At(0, at)
	w.A.Active, w.B.Active, w.C.Active = w.Trace.TimeRange, w.Trace.TimeRange, analyze.Interval{}
	w.A.Working, w.B.Working = w.Trace.TimeRange, w.Trace.TimeRange
	w.Trace.Finish()
	return w.Trace
}

// A kernel that waits on the GPU for another queue's kernel was the program's limit: gpu-bound.
func TestKernelThatWaits(t *testing.T) {
	for name, c := range map[string]struct {
		other func(random *rand.Rand, mine analyze.Interval) []analyze.Interval
		waits bool
		says  string // the evidence of gpu-bound
	}{
		"it ends with the other": {func(random *rand.Rand, mine analyze.Interval) []analyze.Interval {
			end := mine.End - analyze.Nanos(5+random.IntN(20))*microsecond
			return []analyze.Interval{handmade.At(end-300*microsecond, end)}
		}, true, ""},
		"it works on after the other": {func(random *rand.Rand, mine analyze.Interval) []analyze.Interval {
			end := mine.End - analyze.Nanos(700+random.IntN(20))*microsecond
			return []analyze.Interval{handmade.At(end-300*microsecond, end)}
		}, true, ""},
		"work beside it": {func(random *rand.Rand, mine analyze.Interval) []analyze.Interval {
			begin := mine.Begin + analyze.Nanos(random.IntN(3000))*microsecond
			return []analyze.Interval{handmade.At(begin, begin+300*microsecond)}
		}, false, ""},
		"short work all the time": {func(random *rand.Rand, mine analyze.Interval) (list []analyze.Interval) {
			for at := mine.Begin + 20*microsecond; at+30*microsecond < mine.End; at += 40 * microsecond {
				list = append(list, handmade.At(at, at+30*microsecond))
			}
			return list
		}, false, ""},
		"work of another length at the same time": {func(random *rand.Rand, mine analyze.Interval) []analyze.Interval {
			return []analyze.Interval{handmade.At(mine.Begin+300*microsecond, mine.Begin+300*microsecond+
				mine.Length()*8/10)}
		}, false, ""},
		"the same work at the same time": {func(random *rand.Rand, mine analyze.Interval) []analyze.Interval {
			return []analyze.Interval{handmade.At(mine.Begin+10*microsecond, mine.End-5*microsecond)}
		}, false, "whether they poll memory until"},
	} {
		trace := twoQueues(c.other)
		found := slices.DeleteFunc(evidence.KernelWaits(trace), func(w evidence.KernelWait) bool { return w.Unproven })
		a := Analyze(trace, Options{})
		if (len(found) > 0) != c.waits || (a.Verdict.Cause == GPUBound) == c.waits {
			t.Errorf("%s: %d, verdict %s: %s", name, len(found), a.Verdict.Cause, a.Verdict.Summary)
		}
		if c.waits && !strings.Contains(a.Verdict.Summary, "Kernels wait on the GPU") {
			t.Errorf("%s: %s", name, a.Verdict.Summary)
		}
		if c.says != "" && !strings.Contains(strings.Join(a.Verdict.Causes[0].Evidence, "\n"), c.says) {
			t.Errorf("%s: the evidence is %q", name, a.Verdict.Causes[0].Evidence)
		}
	}
}

// A GPU that is full because kernels wait on it was only called busy.
func TestFullOfWaitingKernels(t *testing.T) {
	wait := evidence.KernelWait{Waiting: &analyze.Queue{Label: "consumers"}, Awaited: &analyze.Queue{Label: "producers"},
		Time: 400 * 1000 * microsecond}
	for name, c := range map[string]struct {
		busy     analyze.Nanos
		unproven bool
		says     string
	}{
		"most of it": {600 * 1000 * microsecond, false,
			`the GPU ran kernels of queue "consumers" that wait until work of queue ` +
				`"producers" has ended`},
		"little of it": {6000 * 1000 * microsecond, false, ""},
		"not proven":   {600 * 1000 * microsecond, true, ""},
	} {
		w := wait
		w.Unproven = c.unproven
		f := Finding{Advice: "give the GPU less to do"}
		f.tellWaitingKernels(&evidence.Evidence{GPU: evidence.GPU{Busy: c.busy},
			Execution: evidence.Execution{KernelWaits: []evidence.KernelWait{w}}})
		said := strings.Join(f.Evidence, "\n")
		if c.says == "" && said != "" || !strings.Contains(said, c.says) ||
			strings.Contains(f.Advice, "event") != (c.says != "") {
			t.Errorf("%s: %q, %q", name, said, f.Advice)
		}
	}
}
