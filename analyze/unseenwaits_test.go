package analyze_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/collector/wire"
	"mtrace/fixtures/tracetest"
)

// Where dyld refuses to replace functions no wait for a lock or a signal is in the trace: the first lines, the warnings
// and the verdict say so, and no cause that such waits show is ruled out.
func TestUnseenWaits(t *testing.T) {
	const why = "waits for locks and signals are not recorded: refused"
	load := func(refused bool) *analyze.Trace {
		path := filepath.Join(t.TempDir(), "t.mtrace")
		f := tracetest.Create(t, path)
		p := f.Process(100, "/bin/first")
		if refused {
			p.Fact(wire.Fact{Kind: wire.FactWarning, Key: wire.WaitsUnseen, Text: why})
		}
		th := p.Thread(101, "main")
		th.NewQueue("work")
		kernel := th.NewPipeline("axpy")
		for range 20 {
			th.Run(tracetest.Step{Pipeline: kernel, Encode: 300, Commit: 2_000, Delay: 5_000, GPU: 40_000, Notify: 3_000})
		}
		p.End()
		f.Close()
		trace, err := analyze.Load(path, analyze.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return trace
	}
	lock := func(f cause.Finding) bool { return f.Cause == cause.LockContention }
	for _, refused := range []bool{false, true} {
		trace := load(refused)
		verdict := cause.Analyze(trace, cause.Options{}).Verdict
		first := strings.HasPrefix(trace.Source.RecordedText(), "WAITS FOR LOCKS AND SIGNALS ARE NOT RECORDED in 1 process: ")
		warned := slices.Contains(trace.Warnings, why)
		said := strings.Contains(verdict.Summary, "waits for locks and signals are not recorded")
		ruledOut := slices.ContainsFunc(verdict.RuledOut, lock)
		if first != refused || warned != refused || said != refused || ruledOut == refused {
			t.Errorf("refused %v: first line %q, warnings %q, verdict %q, ruled out %+v", refused,
				trace.Source.RecordedText(), trace.Warnings, verdict.Summary, verdict.RuledOut)
		}
	}
}
