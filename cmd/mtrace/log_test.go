package main

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The log has a line for each call in the trace, and nothing of it goes to standard output.
func TestLogPrintsEachCall(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "t.mtrace")
	args := []string{"python3", workload(t), "--op", "axpy", "--size", "1024", "--dtype", "float32", "--threads", "2", "--iters", "5", "--sync-mode", "event"}
	plain := sh(t, "", nil, tool.mtrace, append([]string{"run", "--no-report", "-o", trace, "--"}, args...)...)
	logged := sh(t, "", nil, tool.mtrace, append([]string{"run", "--no-report", "--log", "--force", "-o", trace, "--"}, args...)...)
	if logged.exit != plain.exit || strings.Count(logged.stdout, "\n") != strings.Count(plain.stdout, "\n") {
		t.Errorf("with the log: %+v, without: %+v", logged, plain)
	}
	report := sh(t, "", nil, tool.mtrace, "report", "--json", trace)
	var document struct{ Events int }
	if err := json.Unmarshal([]byte(report.stdout), &document); err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^ +\d+\.\d{6} \[\d+\] .*<[\d.]+ (ns|µs|ms|s)>$`)
	lines, completions := len(line.FindAllString(logged.stderr, -1)), strings.Count(logged.stderr, "] completed command buffer#")
	if lines-completions != document.Events || completions == 0 {
		t.Errorf("%d lines for calls and %d for completions; the trace has %d calls", lines-completions, completions, document.Events)
	}
	for _, want := range []string{`setLabel: queue#`, `"stream 0"`, "commit command buffer#", "(1024×1×1, groups of 256×1×1)", "= buffer#", "setComputePipelineState: encoder#"} {
		if !strings.Contains(logged.stderr, want) {
			t.Errorf("no %q in the log", want)
		}
	}
}
