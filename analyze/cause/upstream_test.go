package cause

import (
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/collector/wire"
	"mtrace/fixtures/handmade"
)

// TestUpstream: a producer's activity while the GPU waits for its items is the cause, not the wait for it. A thread
// that copied each item into a new buffer was reported as starvation, and so was one that compiled, or read a pipe.
func TestUpstream(t *testing.T) {
	const period = 1000 * us
	for _, c := range []struct {
		name string
		does func(w *handmade.World, i analyze.Interval)
		want string
		said string
	}{
		{"allocates", func(w *handmade.World, i analyze.Interval) {
			w.Trace.Memory.Allocations = append(w.Trace.Memory.Allocations, analyze.Allocation{At: i.Begin, Thread: w.B,
				Took: i.Length(), Bytes: 1 << 20})
			if w.Trace.Calls == nil {
				w.Trace.Calls = []*analyze.CallStat{{Selector: "newBufferWithBytes:length:options:", Part: analyze.PartAllocate,
					Exclusive: map[*analyze.Thread]analyze.Nanos{}}}
			}
			w.Trace.Calls[0].Exclusive[w.B] += i.Length()
			w.B.Exclusive[analyze.PartAllocate] += i.Length()
			w.B.WorkingExclusive = w.B.Exclusive
		}, AllocationBound, "for threads that were allocating memory or making it resident"},
		{"compiles", func(w *handmade.World, i analyze.Interval) {
			w.Trace.Compilations = append(w.Trace.Compilations, analyze.Compilation{
				Call: analyze.Call{Interval: i, Thread: w.B}, Kind: "pipeline"})
			w.B.Exclusive[analyze.PartCompile] += i.Length()
			w.B.WorkingExclusive = w.B.Exclusive
		}, CompileBound, "for threads that were compiling"},
		{"reads a pipe", func(w *handmade.World, i analyze.Interval) {
			w.Blocked(w.B, i, analyze.BlockedPipe, wire.DescriptorPipe, "")
		}, Starvation, "a pipe from another process"},
		{"computes", func(*handmade.World, analyze.Interval) {}, Starvation, "for the signal of thread 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := handmade.New(60 * period)
			for i := range analyze.Nanos(59) {
				begin := 1000 + i*period
				c.does(w, handmade.At(begin+10*us, begin+600*us))
				w.SignalWait(w.A, handmade.At(begin, begin+640*us), 0x100, w.B, begin+620*us, 0)
				b := w.Buffer(w.A, begin+650*us, handmade.At(begin+660*us, begin+900*us))
				w.Wait(w.A, handmade.At(begin+652*us, begin+905*us), b)
			}
			w.Trace.Finish()
			v := Analyze(w.Trace, Options{}).Verdict
			if v.Cause != c.want || !strings.Contains(v.Summary+said(v.Causes[0]), c.said) {
				t.Errorf("%s (%s), want %s: %q", v.Cause, v.Summary, c.want, said(v.Causes[0]))
			}
		})
	}
}

// TestUpstreamIsNotAside: a completion handler commits the next command buffer for items of a thread that compiles for
// each item. The handlers' thread has work in flight for most of the time and compiles nothing, so that the
// compilation was treated as a cost of threads that submit next to nothing, and the smaller rest of the wait was the
// verdict.
func TestUpstreamIsNotAside(t *testing.T) {
	const period = 1000 * us
	w := handmade.New(60 * period)
	for i := range analyze.Nanos(59) {
		begin := 1000 + i*period
		compiling := handmade.At(begin+10*us, begin+200*us)
		w.Trace.Compilations = append(w.Trace.Compilations, analyze.Compilation{
			Call: analyze.Call{Interval: compiling, Thread: w.B}, Kind: "pipeline"})
		w.B.Exclusive[analyze.PartCompile] += compiling.Length()
		w.B.WorkingExclusive = w.B.Exclusive
		w.SignalWait(w.A, handmade.At(begin, begin+300*us), 0x100, w.B, begin+290*us, 0)
		b := w.Buffer(w.A, begin+310*us, handmade.At(begin+320*us, begin+990*us))
		w.Wait(w.A, handmade.At(begin+312*us, begin+995*us), b)
	}
	w.Trace.Finish()
	v := Analyze(w.Trace, Options{}).Verdict
	if f := v.finding(CompileBound); f == nil || f.Standing != Fault || v.Cause != CompileBound {
		t.Errorf("%s, and of compilation: %+v", v.Cause, f)
	}
}
