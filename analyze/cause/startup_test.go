package cause_test

import (
	"slices"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/fixtures/tracesim"
)

// startedSlowly is a run of threads that wait for each other's work. A second earlier another thread of the process
// begins, which creates the GPU's context and keeps four processors busy meanwhile. Optionally it waits for a lock
// then, and compiles just before the threads begin.
func startedSlowly(t *testing.T, waited, compiled bool) *analyze.Trace {
	i := slices.IndexFunc(tracesim.Scenarios, func(s tracesim.Scenario) bool { return s.Name == "device-wide sync" })
	trace := load(t, tracesim.Scenarios[i].Build(3).Run(t))
	trace.Source.Processors = 16
	process := trace.Threads[0].Process
	run := analyze.Interval{Begin: 1 << 62}
	for b := range trace.Buffers() {
		run.Begin, run.End = min(run.Begin, b.Created.Begin), max(run.End, b.GPU.End)
	}
	for _, th := range trace.Threads {
		th.CPU = []analyze.CPUSample{{At: run.Begin}, {At: run.End, Ran: run.Length() / 10}}
	}
	start := run.Begin - 1_000_000_000
	process.CPUSamples = []analyze.CPUSample{{At: start}, {At: run.Begin, Ran: 4 * (run.Begin - start)},
		{At: run.End, Ran: 4*(run.Begin-start) + run.Length()}}
	helper := &analyze.Thread{Process: process, ID: 7777}
	trace.Threads = append(trace.Threads, helper)
	if waited {
		lock := analyze.LockWait{Call: analyze.Call{Interval: analyze.Interval{Begin: start, End: start + 200},
			Thread: helper}, Lock: 0x1000, Exclusive: 200}
		trace.CPUWaits.Locks = slices.Insert(trace.CPUWaits.Locks, 0, lock)
	}
	if compiled {
		call := analyze.Call{Interval: analyze.Interval{Begin: start + 1000, End: start + 500_000_000}, Thread: helper}
		trace.Compilations = slices.Insert(trace.Compilations, 0, analyze.Compilation{Call: call})
	}
	return trace
}

// TestStartIsNoPartOfTheRun tells of the lab's scenarios on a GPU. One of the driver's own threads had waited 200 ns
// for a lock while the context was created, half a second before the program's threads began. So no thread seemed to
// exist for half of the run, and in 46 of 265 runs nothing was predicted. In other runs the process's computing before
// that was mistaken for the framework's work per command buffer, which seemed four times as large.
func TestStartIsNoPartOfTheRun(t *testing.T) {
	want := cause.Analyze(startedSlowly(t, false, false), cause.Options{}).Verdict.Causes[0].Speedup
	if want == nil {
		t.Fatal("nothing is predicted of the run without what was before")
	}
	for name, trace := range map[string]*analyze.Trace{"a lock": startedSlowly(t, true, false),
		"a compilation": startedSlowly(t, false, true), "both": startedSlowly(t, true, true)} {
		c := cause.Analyze(trace, cause.Options{}).Verdict.Causes[0]
		if c.Speedup == nil {
			t.Errorf("%s before the run: nothing is predicted, as %s", name, c.Unpredicted)
		} else if off := c.Speedup.Estimate/want.Estimate - 1; off > 0.01 || off < -0.01 {
			t.Errorf("%s before the run: %+v, and %+v without", name, *c.Speedup, *want)
		}
	}
}
