package report

import (
	"path/filepath"
	"testing"

	"mtrace/analyze"
	"mtrace/fixtures/tracetest"
)

// Processes of two machines may have the same process id, and an id may be reused. The story: a long report, which adds
// ranges up, treated the two as one process, their main threads as one thread and their queues as one queue; the report
// on the trace as a whole did not.
func TestProcessesOfOneNumber(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.mtrace")
	f := tracetest.Create(t, path)
	for i, program := range []string{"/bin/first", "/bin/second"} {
		p := f.Process(7, program)
		main := p.Thread(7, "main of "+program)
		main.Now = int64(i) * 1000
		main.NewQueue("queue of " + program)
		kernel := main.NewPipeline("kernel of " + program)
		for range 400 {
			main.Run(tracetest.Step{Pipeline: kernel, Encode: 300, Commit: 2000, Delay: 5000, GPU: 40_000, Notify: 3000})
		}
		p.End()
	}
	f.Close()
	whole, parts := both(t, path, analyze.Options{}, Limits{Whole: 4000, Summed: 2500, Window: 1500, Buffers: 50})
	if len(whole.Threads) != 2 || len(whole.Queues) != 2 {
		t.Errorf("%d threads, %d queues of the whole, not two each", len(whole.Threads), len(whole.Queues))
	}
	adds(t, whole, parts)
}
