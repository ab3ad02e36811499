package analyze_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/kernels"
	"mtrace/fixtures/tracetest"
)

// A script is a trace that is being written, of one process.
type script struct {
	*tracetest.Process
	file *tracetest.File
	path string
}

func newScript(t *testing.T) *script {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.mtrace")
	f := tracetest.Create(t, path)
	return &script{f.Process(100, "/bin/first"), f, path}
}

// main is a thread with a queue.
func (s *script) main() *tracetest.Thread {
	thread := s.Thread(101, "main")
	thread.NewQueue("work")
	return thread
}

// load ends the trace and reads it.
func (s *script) load(t *testing.T) *analyze.Trace {
	t.Helper()
	s.End()
	s.file.Close()
	trace, err := analyze.Load(s.path, analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// checkShares compares the shares of each command buffer's time with the expected ones: name and nanoseconds of each
// share.
func checkShares(t *testing.T, trace *analyze.Trace, want []string, name func(kernels.Share) string) {
	t.Helper()
	if len(trace.CommandBuffers) != len(want) {
		t.Fatalf("%d command buffers, not %d", len(trace.CommandBuffers), len(want))
	}
	costs := kernels.CostsOf(trace)
	for i := range trace.CommandBuffers {
		var says []string
		for _, s := range kernels.Split(&trace.CommandBuffers[i], trace.TimeRange, costs) {
			says = append(says, strings.TrimSpace(fmt.Sprintf("%s %d", name(s), s.GPU)))
		}
		if got := strings.Join(says, ", "); got != want[i] {
			t.Errorf("command buffer %d: %s; want %s", i, got, want[i])
		}
	}
}
