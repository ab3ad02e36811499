package analyze_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/compile"
	"mtrace/analyze/report"
	"mtrace/collector/wire"
	"mtrace/fixtures/tracetest"
)

const ms = 1_000_000

// compiles has the service compile a source for so many milliseconds.
func compiles(th *tracetest.Thread, source string, lasts int64) {
	th.Call(wire.FamilyFunction, "MTLCodeGenServiceBuildRequest", 0, 0, lasts*ms, &wire.More{X0: th.Text(source), X1: 100})
}

// A program that compiles in child processes, as tinygrad's pool and programs that call a compiler do, was reported to
// be outside of Metal, or to wait for a signal, and its children's compilations had no waiting thread. A wait that
// mostly overlaps with the children's compilation counts as compilation, whatever call the thread waits in. A wait that
// mostly overlaps with something else does not, nor one of a thread that only ever waits, or that computes meanwhile.
func TestWaitsForChildrenThatCompile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.mtrace")
	f := tracetest.Create(t, path)
	p := f.Process(100, "train")
	main, idle, busy := p.Thread(100, "main"), p.Thread(101, "idle"), p.Thread(102, "busy")
	main.NewQueue("work")
	kernel := main.NewPipeline("k")
	step := func(th *tracetest.Thread) {
		th.Run(tracetest.Step{Pipeline: kernel, Encode: 300, Commit: 1000, GPU: ms, Notify: 1000})
	}
	step(main)
	busy.Now = main.Now
	step(busy)

	main.Now = 10 * ms
	main.ProcessWait("waitpid", "worker", 200, 20*ms) // compiles from 12 to 28
	main.Now = 40 * ms
	main.ProcessWait("waitpid", "worker", 200, 20*ms) // it compiles from 41 to 43: mostly something else
	main.Now = 70 * ms
	main.SignalWait("pool", 0x70, 103, 20*ms, 0) // from 72 to 88
	main.Now = 100 * ms
	main.ProcessWait("waitpid", "metal", 77, 20*ms) // of Apple's, which is not traced
	main.Now = 130 * ms
	step(main)
	main.Ran(5 * ms)
	main.Now = 160 * ms // reads from a pipe; from 140 to 158
	main.Ran(6 * ms)
	step(main)
	main.Ran(7 * ms)
	idle.Now = 65 * ms
	idle.SignalWait("jobs", 0x71, 100, 30*ms, 0)
	busy.Now = 130 * ms
	step(busy)
	busy.Ran(5 * ms)
	busy.Now = 160 * ms
	busy.Ran(33 * ms)
	step(busy)
	busy.Ran(34 * ms)
	p.End()

	worker := f.Child(100, 200, "worker")
	th := worker.Thread(200, "main")
	for i, at := range [][2]int64{{12, 28}, {41, 43}, {72, 88}, {140, 158}} {
		th.Now = at[0] * ms
		compiles(th, fmt.Sprint("source ", i), at[1]-at[0])
	}
	worker.End()
	other := f.Process(300, "somebody else") // no child: no thread here waits for its compilations
	th = other.Thread(300, "main")
	th.Now = 165 * ms
	compiles(th, "another", 10)
	other.End()
	f.Close()

	trace, err := analyze.Load(path, analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range trace.CPUWaits.Children {
		got = append(got, fmt.Sprintf("%d %s %s %d %d %v", w.Thread.ID, w.How, w.Program, w.Begin/ms-1000, w.Compiled/ms,
			w.Mostly))
	}
	want := []string{"100 waitpid worker 10 16 true", "100 waitpid worker 40 2 false",
		"100 pthread_cond_wait  70 16 true", "100 waitpid metal 100 20 true",
		"100 blocked outside of Metal  131 18 true"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	var waits []string
	for _, w := range trace.CPUWaits.Signals {
		waits = append(waits, fmt.Sprintf("%d %s %s", w.Thread.ID, w.Selector, w.Name))
	}
	if want := []string{"100 waitpid worker", "101 pthread_cond_wait jobs"}; !slices.Equal(waits, want) {
		t.Errorf("remaining waits for signals: %q, want %q", waits, want)
	}
	for _, th := range trace.Threads {
		spent, want := th.Exclusive[analyze.PartCompile]/ms, map[analyze.ThreadID]analyze.Nanos{100: 20 + 20 + 20 + 29,
			200: 16 + 2 + 16 + 18, 300: 10}[th.ID]
		if spent != want {
			t.Errorf("thread %d compiled for %d ms, want %d", th.ID, spent, want)
		}
	}
	use := compile.Summarize(trace)
	if use.Libraries != 5 || use.Total/ms != 62 || len(use.Waited) != 4 || len(use.Compilers) != 3 {
		t.Errorf("%+v", use)
	}
	if w := use.Waited[0]; w.How != "waitpid" || w.Program != "worker" || w.Count != 2 || w.Total/ms != 40 ||
		w.Counted/ms != 20 || w.Compiled/ms != 18 {
		t.Errorf("%+v", w)
	}
	r := report.Build(trace, report.Options{})
	sum := int64(0)
	for _, th := range r.Threads {
		for _, n := range th.Time {
			sum += n
		}
		sum -= th.WindowNS
	}
	if sum != 0 {
		t.Errorf("the parts of the threads' time and their windows differ by %d ns", sum)
	}
}
