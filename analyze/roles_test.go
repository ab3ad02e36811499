package analyze_test

import (
	"path/filepath"
	"testing"

	"mtrace/analyze"
	"mtrace/fixtures/tracetest"
)

// The story: a program's threads passed their work to one thread that committed it. In a range in which they only
// waited for that thread's signal they were mistaken for idle threads of a pool, and were left out. Threads that waited
// for a lock during all of a window, and committed before and after it, were left out too, so that the program seemed
// to wait for the GPU.
func TestRolesInAPart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "roles.mtrace")
	f := tracetest.Create(t, path)
	p := f.Process(7, "roles")
	worker, pool := p.Thread(8, "worker"), p.Thread(9, "pool")
	worker.NewQueue("q")
	worker.Run(tracetest.Step{Pipeline: worker.NewPipeline("k"), Encode: 100, Commit: 1000, Delay: 1000, GPU: 50_000,
		Notify: 1000})
	pool.Now = worker.Now
	for range 100 {
		worker.SignalWait("answers", 0x2000, 9, 10_000, 200)
		pool.SignalWait("work", 0x3000, 8, 10_000, 100)
	}
	p.End()
	f.Close()
	whole, err := analyze.Load(path, analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	check := func(how string, load func(analyze.Options) (*analyze.Trace, error)) {
		part, err := load(analyze.Options{From: whole.Run.Length / 2})
		if err != nil || len(part.Threads) != 2 || len(part.CPUWaits.Signals) == 0 || len(part.Waits) > 0 ||
			len(part.CommandBuffers) > 0 {
			t.Fatalf("%s: the part is not what it should be: %v, %d threads", how, err, len(part.Threads))
		}
		for _, th := range part.Threads {
			if works := th.ID == 8; th.OnlyIdle == works || th.Submits != works {
				t.Errorf("%s: of thread %s: only idle %v, submits %v", how, th.Name, th.OnlyIdle, th.Submits)
			}
		}
	}
	check("all is read", func(asked analyze.Options) (*analyze.Trace, error) { return analyze.Load(path, asked) })
	check("by the index", func(asked analyze.Options) (*analyze.Trace, error) {
		asked.Adds = true // which always goes by the index
		return analyze.Load(path, asked)
	})
	for _, th := range whole.Threads {
		if th.OnlyIdle != (th.ID == 9) || th.Submits {
			t.Errorf("of the whole: thread %s: only idle %v, submits %v", th.Name, th.OnlyIdle, th.Submits)
		}
	}
}
