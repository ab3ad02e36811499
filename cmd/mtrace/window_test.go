package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mtrace/analyze/report"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/fixtures/schema"
)

// phases is a program that uses Metal in several phases, separated by marks. Its arguments are the phases: an
// operation, mark:NAME, sleep:SECONDS, or until:FILE, which repeats a small operation until the file exists.
func phases(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "phases.py")
	program := `
import ctypes, os, runpy, sys, time
tracer = ctypes.CDLL(None)
def run(operation):
    sys.argv[1:] = ["--op", operation, "--size", "4096", "--threads", "1", "--iters", "10", "--sync-mode", "event"]
    try: runpy.run_path("` + workload(t) + `", run_name="__main__")
    except SystemExit as end: assert not end.code, end.code
for phase in sys.argv[1:]:
    kind, _, value = phase.partition(":")
    if kind == "mark": tracer.mtrace_mark(value.encode())
    elif kind == "sleep": time.sleep(float(value))
    elif kind == "until":
        while not os.path.exists(value): run("axpy")
    else: run(kind)
`
	if err := os.WriteFile(path, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// windowed runs the phases with flags, and returns the JSON report and the text of its first lines.
func windowed(t *testing.T, flags []string, phase ...string) (r report.Report, head string) {
	t.Helper()
	dir := t.TempDir()
	args := append(append([]string{"run", "--no-report", "-o", "t.mtrace"}, flags...), "--", "python3", phases(t))
	if got := sh(t, dir, nil, tool.mtrace, append(args, phase...)...); got.exit != 0 || got.stderr != "" {
		t.Fatalf("%q: %+v", flags, got)
	}
	return windowedReport(t, filepath.Join(dir, "t.mtrace"))
}

// windowedReport is the JSON report on a trace and the text of its first lines.
func windowedReport(t *testing.T, trace string) (r report.Report, head string) {
	t.Helper()
	got := sh(t, "", nil, tool.mtrace, "report", "--json", trace)
	err := schema.Validate("../..", []byte(got.stdout))
	if err == nil {
		err = json.Unmarshal([]byte(got.stdout), &r)
	}
	if err != nil || got.exit != 0 {
		t.Fatalf("%v: exit status %d, %s", err, got.exit, got.stderr)
	}
	if r.Lost.Total != 0 || r.Lost.AtLeast || r.Source.Incomplete != nil {
		t.Errorf("records left out count as lost: %+v", r.Lost)
	}
	text := sh(t, "", nil, tool.mtrace, "report", trace).stdout
	head, _, _ = strings.Cut(text, "\n\n")
	return r, strings.Join(strings.Fields(head), " ")
}

// dispatched is how often the kernels of an operation ran.
func dispatched(r *report.Report, operation string) (n int64) {
	for _, k := range r.Kernels {
		if strings.Contains(k.Name, operation) {
			n += int64(k.Dispatches)
		}
	}
	return n
}

// TestRunRecordsBetweenMarks: the calls between two marks are in the trace, all of them and with names although the
// queue and the kernels were created before, and nothing else; the first lines of the report say so.
func TestRunRecordsBetweenMarks(t *testing.T) {
	t.Parallel()
	needTruth(t)
	all, head := windowed(t, nil, "gelu", "mark:go", "axpy", "mark:stop", "reduce")
	if dispatched(&all, "axpy") == 0 || dispatched(&all, "gelu") == 0 || len(all.Source.Recorded) != 0 ||
		all.Source.RecordedText != "" || strings.Contains(head, "recorded from") {
		t.Fatalf("all of it: %+v, %+v\n%s", all.Kernels, all.Source, head)
	}
	r, head := windowed(t, []string{"--start-on", "mark:go", "--stop-on", "mark:stop"}, "gelu", "mark:go", "axpy",
		"mark:stop", "reduce")
	if len(r.Kernels) != 1 || dispatched(&r, "axpy") != dispatched(&all, "axpy") {
		t.Errorf("kernels: %+v; of all of the run %+v", r.Kernels, all.Kernels)
	}
	w := r.Source.Recorded
	if len(w) != 1 || w[0].Began != "mark:go" || w[0].Ended != "mark:stop" || w[0].FromNS <= 0 ||
		w[0].ToNS <= w[0].FromNS || !w[0].Shown || r.Source.WindowNS > w[0].ToNS-w[0].FromNS {
		t.Errorf("recorded: %+v, window of %d ns", w, r.Source.WindowNS)
	}
	if !strings.Contains(head, "recorded from ") || !strings.Contains(head, "(mark:go) to ") ||
		!strings.Contains(head, "(mark:stop), as asked for; the rest was left out") || !strings.Contains(head, "none lost") {
		t.Errorf("the report begins\n%s", head)
	}
	never, head := windowed(t, []string{"--start-on", "mark:nowhere"}, "gelu", "mark:go")
	if len(never.Kernels) != 0 || never.Events != 0 || !strings.Contains(head, "--start-on mark:nowhere") {
		t.Errorf("what never began: %+v, %d calls\n%s", never.Kernels, never.Events, head)
	}
}

// TestRunKeepsTheEnd: the flight recorder has the latest calls, and not the ones long before.
func TestRunKeepsTheEnd(t *testing.T) {
	t.Parallel()
	needTruth(t)
	r, head := windowed(t, []string{"--last", "3s"}, "gelu", "sleep:5", "axpy")
	if dispatched(&r, "gelu") != 0 || dispatched(&r, "axpy") == 0 {
		t.Errorf("kernels: %+v", r.Kernels)
	}
	if w := r.Source.Recorded; len(w) != 1 || w[0].Began != "--last 3s" || !strings.Contains(head, "(--last 3s) to ") {
		t.Errorf("recorded: %+v\n%s", w, head)
	}
}

// TestRunTogglesOnSignal: SIGUSR1 to mtrace starts and stops the recording, and does not reach the program, which it
// would end.
func TestRunTogglesOnSignal(t *testing.T) {
	t.Parallel()
	needTruth(t)
	dir := t.TempDir()
	trace, over, gone := filepath.Join(dir, "t.mtrace"), filepath.Join(dir, "over"), filepath.Join(dir, "gone")
	cmd := exec.Command(tool.mtrace, "run", "--no-report", "--start-on", "signal", "-o", trace, "--", "python3",
		phases(t), "gelu", "mark:done", "until:"+over, "until:"+gone)
	var said strings.Builder
	cmd.Stderr = &said
	startInTime(t, cmd)
	size := func() int64 {
		info, err := os.Stat(trace + cli.PartSuffix)
		if err != nil {
			return 0
		}
		return info.Size()
	}
	waitFor := func(what string, is func() bool) {
		t.Helper()
		for deadline := time.Now().Add(2 * time.Minute); !is(); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s never came; %s", what, said.String())
			}
		}
	}
	waitFor("the first facts", func() bool { return size() > 2000 })
	time.Sleep(100 * time.Millisecond)
	before := size()
	cmd.Process.Signal(syscall.SIGUSR1)
	waitFor("what is recorded", func() bool { return size() > before+20_000 })
	cmd.Process.Signal(syscall.SIGUSR1)
	os.WriteFile(over, nil, 0o600)
	os.WriteFile(gone, nil, 0o600)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	r, head := windowedReport(t, trace)
	if w := r.Source.Recorded; len(w) != 1 || w[0].Began != "SIGUSR1" || r.Events == 0 || dispatched(&r, "axpy") == 0 ||
		!strings.Contains(head, "(SIGUSR1) to ") {
		t.Errorf("recorded: %+v, %+v\n%s", w, r.Kernels, head)
	}
}

// TestWindowRefuses: incompatible flags are reported before the program starts.
func TestWindowRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for says, flags := range map[string][]string{
		"give one of them":                     {"--start-after", "1s", "--start-on", "mark:x"},
		"mark:NAME":                            {"--start-on", "epoch"},
		"not \"mark:\"":                        {"--stop-on", "mark:"},
		"can be combined only with --max-size": {"--last", "30s", "--duration", "1s"},
		"must not be negative":                 {"--last", "-30s"},
		"not a size like":                      {"--max-size", "much"},
	} {
		got := sh(t, dir, nil, tool.mtrace, append(append([]string{"run"}, flags...), "--", "true")...)
		if got.exit != cli.ExitUsage || !strings.Contains(got.stderr, says) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%q: %+v", flags, got)
		}
	}
}
