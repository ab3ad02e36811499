package cause_test

import (
	"slices"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/fixtures/handmade"
)

// lockedRun is a run of a Python program: A and B wait for a lock of the name while C, which holds it, waits for its
// command buffer. A also waits for it in a second selector at the same line.
func lockedRun(name string) *analyze.Trace {
	const period = 1_000_000
	w := handmade.New(61 * period)
	at := func(frames ...*analyze.Frame) *analyze.Stack { return &analyze.Stack{Frames: frames} }
	python := func(name string, line int) *analyze.Frame {
		return &analyze.Frame{Name: name, File: "/src/render.py", Line: line, Python: true}
	}
	draw := at(python("draw_tiles", 25))
	rebuild := at(python("on_gpu", 18), python("rebuild_atlas", 33), python("refresh", 39))
	lock := &analyze.CallStat{Selector: "sem_wait", Part: analyze.PartLock}
	second := &analyze.CallStat{Selector: "sem_clockwait", Part: analyze.PartLock}
	for i := range analyze.Nanos(60) {
		begin := 1000 + i*period
		held := w.Buffer(w.C, begin+20_000, handmade.At(begin+30_000, begin+800_000))
		w.Wait(w.C, handmade.At(begin+25_000, begin+810_000), held).Stack = rebuild
		for n, th := range []*analyze.Thread{w.A, w.B} {
			after := begin + 850_000 + analyze.Nanos(n)*50_000
			short := w.Buffer(th, after, handmade.At(after+5000, after+30_000))
			w.Wait(th, handmade.At(after+1000, after+35_000), short)
			of := lock
			if i%3 == 0 {
				of = second
			}
			wait := handmade.At(begin+15_000, begin+820_000)
			of.From = append(of.From, analyze.CallsFrom{Thread: th, Stack: draw, Count: 1, Exclusive: wait.Length()})
			w.Trace.CPUWaits.Locks = append(w.Trace.CPUWaits.Locks, analyze.LockWait{
				Call: analyze.Call{Interval: wait, Thread: th, Stack: draw}, Selector: of.Selector, Lock: 0x70, Name: name,
				Exclusive: wait.Length(), Holder: w.C})
		}
	}
	w.Trace.Calls = append(w.Trace.Calls, lock, second)
	w.Trace.Finish()
	return w.Trace
}

// TestHolderIsNamed: the report once named only the line that waits for a lock, not the line in which the holder is,
// and named the lock by a function of CPython. It printed the line twice, because the line waits in two system
// functions.
func TestHolderIsNamed(t *testing.T) {
	for name, want := range map[string]struct{ cause, title string }{
		"in PyThread_acquire_lock_timed": {cause.LockContention,
			"the threading.Lock acquired at render.py:25 draw_tiles(): 120 waits"},
		"_PyRuntime": {cause.InterpreterLock, "the GIL: 120 waits"},
		"cache":      {cause.LockContention, "the lock cache: 120 waits"},
	} {
		run := lockedRun(name)
		for _, c := range cause.Analyze(run, cause.Options{}).Verdict.Causes {
			if c.Cause != want.cause {
				continue
			}
			said := strings.Join(c.Evidence, "; ")
			for _, part := range []string{
				want.title,
				"its holder was in render.py:18 on_gpu() (waitUntilCompleted), called from " +
					"render.py:33 rebuild_atlas() from render.py:39 refresh()",
				"2 threads wait for a lock in render.py:25 draw_tiles()",
			} {
				if !strings.Contains(said, part) {
					t.Errorf("%s: the evidence does not have %q: %s", name, part, said)
				}
			}
			if n := strings.Count(said, "wait for a lock in"); n != 1 {
				t.Errorf("%s: %d lines of code that wait, want one: %s", name, n, said)
			}
			if c.Site != "render.py:25 draw_tiles()" || c.HolderSite != "render.py:18 on_gpu()" || len(c.HolderCallers) != 2 {
				t.Errorf("%s: the place is %q, the holder's %q from %q", name, c.Site, c.HolderSite, c.HolderCallers)
			}
			held := c.HolderCall
			if held == nil || held.Thread != run.Threads[2] || !slices.ContainsFunc(run.CPUWaits.Locks,
				func(w analyze.LockWait) bool { return w.Begin < held.End && held.Begin < w.End }) {
				t.Errorf("%s: the holder's call is %+v, want one of C during a wait for the lock", name, held)
			}
			want.cause = ""
		}
		if want.cause != "" {
			t.Errorf("%s: no cause %s", name, want.cause)
		}
	}
}
