package tracetest

import (
	"path/filepath"
	"testing"
)

// Steps writes a trace of one thread that so many times makes a command buffer, commits it and waits for it, and
// returns its path: for benchmarks.
func Steps(t testing.TB, steps int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "steps.mtrace")
	f := Create(t, path)
	p := f.Process(7, "steps")
	th := p.Thread(8, "a")
	th.NewQueue("q")
	kernel := th.NewPipeline("k")
	for range steps {
		th.Run(Step{Pipeline: kernel, Encode: 100, Commit: 1000, Delay: 1000, GPU: 50_000, Notify: 1000})
	}
	p.End()
	f.Close()
	return path
}
