package diff

import (
	"path/filepath"
	"strings"
	"testing"

	"mtrace/collector/wire"
	"mtrace/fixtures/tracetest"
)

// TestAnswer: a comparison begins with the side that is faster, by how much, and why.
func TestAnswer(t *testing.T) {
	at := func(x float64) *float64 { return &x }
	change := func(kind Kind, name string, status Status, ratio, low, high, lost float64) Change {
		return Change{Kind: kind, Name: name, Status: status, Ratio: at(ratio), Low: at(low), High: at(high), lost: lost}
	}
	minor := change(KindCall, "setBuffer", Faster, 0.5, 0.4, 0.6, -1e9)
	minor.Minor = true
	for want, changes := range map[string][]Change{
		"B is 1.25x faster (1.11x to 1.43x): kernel matmul -22%, call waitUntilCompleted -60%": {
			change(KindRun, wholeRun, Faster, 0.8, 0.7, 0.9, -5), change(KindThread, "worker", Faster, 0.8, 0.7, 0.9, -9),
			change(KindCall, "waitUntilCompleted", Faster, 0.4, 0.3, 0.5, -2),
			change(KindKernel, "matmul", Faster, 0.78, 0.7, 0.8, -3),
			change(KindCall, "commit", Slower, 1.5, 1.4, 1.6, 1), minor,
			// a thread of the driver waits there, which the program's threads do not lose
			change(KindCall, "pthread_cond_wait", Faster, 0.6, 0.5, 0.7, 0)},
		"B is 2.00x slower (1.50x to 2.50x): call commit +50%": {change(KindRun, wholeRun, Slower, 2, 1.5, 2.5, 5),
			change(KindCall, "commit", Slower, 1.5, 1.4, 1.6, 1)},
		"B is as fast as A: 1.02x its time (0.97x to 1.07x); changes under 10% count as none: call commit +50%": {
			change(KindRun, wholeRun, Same, 1.02, 0.97, 1.07, 0), change(KindCall, "commit", Slower, 1.5, 1.4, 1.6, 1)},
		"It is unknown whether B is faster than A: there are too few command buffers": {
			{Kind: KindRun, Name: wholeRun, Status: Untested}},
	} {
		if got := (&Document{Changes: changes, Least: 0.1}).Answer(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestReasonsAreOfSubmittingThreads: a wait of a thread that submits nothing changes as much as the run does, and is no
// reason for it.
func TestReasonsAreOfSubmittingThreads(t *testing.T) {
	run := func(name string, sleep int64) *Run {
		path := filepath.Join(t.TempDir(), name+".mtrace")
		f := tracetest.Create(t, path)
		pr := f.Process(100, "/bin/workload")
		worker, driver := pr.Thread(1, "worker"), pr.Thread(2, "driver")
		worker.NewQueue("q")
		step := worker.NewPipeline("step")
		for i := range int64(150) {
			varied := sleep + (i*7919)%(sleep/8)
			worker.Call(wire.FamilySignal, "nanosleep", 1, 0, varied, nil)
			driver.Call(wire.FamilySignal, "pthread_cond_wait", 2, 0, varied+40_000, nil)
			worker.Run(tracetest.Step{Pipeline: step, Encode: 300, Commit: 4000, Delay: 3000, GPU: 30_000, Notify: 2000})
		}
		pr.End()
		f.Close()
		r, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	d := compare(t, []*Run{run("a", 400_000)}, []*Run{run("b", 200_000)})
	if wait := d.find(KindCall, "pthread_cond_wait"); wait.Status != Faster {
		t.Fatalf("the driver's wait: %+v", wait)
	}
	if got := d.Answer(); !strings.Contains(got, "): call nanosleep -") || strings.Contains(got, "pthread") {
		t.Errorf("the answer: %q", got)
	}
	if got := d.Cost(); !strings.HasSuffix(got, "per command buffer, outside Metal −212 µs") {
		t.Errorf("the cost: %q", got)
	}
}
