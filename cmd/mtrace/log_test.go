package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mtrace/collector/tracefile"
)

// The log has a line for each call in the trace, and no line of it goes to standard output.
func TestLogPrintsEachCall(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "t.mtrace")
	args := []string{"python3", workload(t), "--op", "axpy", "--size", "1024", "--dtype", "float32", "--threads", "2",
		"--iters", "5", "--sync-mode", "event"}
	plain := sh(t, "", nil, tool.mtrace, append([]string{"run", "--no-report", "-o", trace, "--"}, args...)...)
	logged := sh(t, "", nil, tool.mtrace, append([]string{"run", "--no-report", "--log", "--force", "-o", trace, "--"},
		args...)...)
	if logged.exit != plain.exit || strings.Count(logged.stdout, "\n") != strings.Count(plain.stdout, "\n") {
		t.Errorf("with the log: %+v, without: %+v", logged, plain)
	}
	report := sh(t, "", nil, tool.mtrace, "report", "--json", trace)
	var document struct{ Events int }
	if err := json.Unmarshal([]byte(report.stdout), &document); err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^ +\d+\.\d{6} \[\d+\] .*<[\d.]+ (ns|µs|ms|s)>$`)
	lines, completions := len(line.FindAllString(logged.stderr, -1)),
		strings.Count(logged.stderr, "] completed command buffer#")
	if lines-completions != document.Events || completions == 0 {
		t.Errorf("%d lines for calls and %d for completions; the trace has %d calls", lines-completions, completions,
			document.Events)
	}
	for _, want := range []string{`setLabel: queue#`, `"stream 0"`, "commit command buffer#",
		"(1024×1×1, groups of 256×1×1)", "= buffer#", "setComputePipelineState: encoder#"} {
		if !strings.Contains(logged.stderr, want) {
			t.Errorf("no %q in the log", want)
		}
	}
}

// A reader of the log may close its end early: with `mtrace run --log -- CMD 2>&1 >/dev/null | head`, mtrace ended by
// SIGPIPE and the program continued alone. Its later calls were not in the trace, which did not get its final name.
func TestLogThatNobodyReads(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "t.mtrace")
	cmd := exec.Command(tool.mtrace, "run", "--no-report", "--log", "-o", trace, "--", "python3", workload(t), "--op",
		"axpy", "--size", "1024", "--dtype", "float32",
		"--threads", "1", "--iters", "5", "--sync-mode", "event")
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	reader.Close()
	cmd.Stderr = writer
	err = endsInTime(cmd, commandLimit)
	writer.Close()
	if err != nil {
		t.Fatal(err)
	}
	file, err := tracefile.Open(trace)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, whole := file.Result(); !whole || len(file.Streams()) == 0 {
		t.Errorf("whole: %v, streams: %+v", whole, file.Streams())
	}
}
