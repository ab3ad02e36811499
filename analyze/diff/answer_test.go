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
		"B is as fast as A: 1.02x its time (0.97x to 1.07x); changes under 10% count as none. Clearly changed: call " +
			"commit +50%": {
			change(KindRun, wholeRun, Same, 1.02, 0.97, 1.07, 0), change(KindCall, "commit", Slower, 1.5, 1.4, 1.6, 1)},
		"Too noisy to tell: B takes 1.59x the time of A (0.95x to 2.68x). Clearly changed: kernel rope +39%": {
			change(KindRun, wholeRun, Unclear, 1.59, 0.95, 2.68, 0), change(KindKernel, "rope", Slower, 1.39, 1.38, 1.4, 1)},
		"Too noisy to tell: B takes 0.95x the time of A (0.80x to 1.05x)": {
			change(KindRun, wholeRun, Unclear, 0.95, 0.8, 1.05, 0)},
		// tokens are the unit of a language model's work: the time between its command buffers is noise
		"B is 1.38x slower per token (1.36x to 1.40x): kernel rope +39%": {
			change(KindRun, wholeRun, Unclear, 1.59, 0.95, 2.68, 0), change(KindToken, eachToken, Slower, 1.38, 1.36, 1.4, 0),
			change(KindKernel, "rope", Slower, 1.39, 1.38, 1.4, 1)},
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

// TestSides: programs with their arguments are named once if both sides have the same, and tokens are compared.
func TestSides(t *testing.T) {
	d := &Document{A: Side{Program: "/usr/bin/python3.11", Args: []string{"python3", "chat.py"}, TokenNS: 4_000_000},
		B: Side{Program: "/usr/bin/python3.11", Args: []string{"python3", "chat.py"}, TokenNS: 5_000_000}}
	if got := d.Title(); got != "python3 chat.py: B compared with A" {
		t.Errorf("the title is %q", got)
	}
	if got := d.Tokens(); got != "median time for each token: 4.00 ms → 5.00 ms (+25%, not tested)" {
		t.Errorf("tokens: %q", got)
	}
	d.B.Args = append(d.B.Args, "--new-sampler")
	if got := d.Title(); got != "python3 chat.py --new-sampler compared with python3 chat.py" {
		t.Errorf("the title is %q", got)
	}
	if d.A.Args, d.A.TokenNS = nil, 0; d.Title() != "python3 chat.py --new-sampler compared with python3.11" ||
		d.Tokens() != "" {
		t.Errorf("without arguments and tokens: %q, %q", d.Title(), d.Tokens())
	}
}
