package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mtrace/cmd/mtrace/internal/cli"
)

// smallTrace traces a short workload and returns its path.
func smallTrace(t *testing.T) string {
	t.Helper()
	path, _ := runWorkload(t, "--op", "axpy", "--size", "1024", "--dtype", "float32", "--threads", "2", "--iters", "20",
		"--sync-mode", "device")
	return path
}

// Any input that is no trace gets one clear line and status 2, and the readable part of a cut trace is not presented as
// complete.
func TestUnusableInput(t *testing.T) {
	trace := smallTrace(t)
	whole, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	directory := t.TempDir()
	file := func(name string, content []byte) string {
		path := filepath.Join(directory, name)
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	otherVersion := append([]byte{}, whole...)
	otherVersion[8]++ // after the magic: see docs/trace-file.md
	for _, c := range []struct {
		name string
		args []string
		says string
	}{
		{"no file", []string{"report"}, "no trace"},
		{"missing", []string{"report", filepath.Join(directory, "none.mtrace")}, "no such file"},
		{"folder", []string{"report", directory}, "folder"},
		{"empty", []string{"report", file("empty", nil)}, "empty"},
		{"text", []string{"report", file("text", []byte("hello, world\n"))}, "not an .mtrace file"},
		{"other version", []string{"report", file("version", otherVersion)}, "version"},
		{"cut in the head", []string{"report", file("head", whole[:10])}, ""},
		{"cut in the middle", []string{"report", file("middle", whole[:len(whole)/2])}, "cut"},
		{"cut by one byte", []string{"report", file("byte", whole[:len(whole)-1])}, "cut"},
		{"unknown section", []string{"report", "--section", "weather", trace}, "weather"},
		{"unknown flag", []string{"report", "--weather", trace}, "unknown flag"},
		{"time range", []string{"report", "--from", "2s", "--to", "1s", trace}, "--to later than --from"},
		{"html of two", []string{"report", "--html", filepath.Join(directory, "x.html"), trace, trace}, "one trace"},
		{"pprof without output", []string{"pprof", trace}, "the output is missing"},
		{"pprof of nothing", []string{"pprof", "-o", directory}, "one trace"},
		{"pprof of a text", []string{"pprof", "-o", directory, file("text2", []byte("x"))}, "not an .mtrace file"},
		{"unknown profile", []string{"pprof", "-o", directory, "--type", "weather", trace}, "weather"},
		{"unwritable", []string{"pprof", "-o", filepath.Join(trace, "x"), trace}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := sh(t, directory, nil, tool.mtrace, c.args...)
			if got.exit != 2 || !strings.Contains(got.stderr, c.says) || strings.Count(got.stderr, "\n") != 1 {
				t.Errorf("exit %d with %q; want 2 and one line with %q", got.exit, got.stderr, c.says)
			}
		})
	}
}

// The report of a cut trace shows the readable part.
func TestCutTraceReportsWhatItHas(t *testing.T) {
	trace := smallTrace(t)
	whole, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut.mtrace")
	if err := os.WriteFile(cut, whole[:len(whole)-40], 0o644); err != nil {
		t.Fatal(err)
	}
	got := sh(t, "", nil, tool.mtrace, "report", "--json", cut)
	var document struct {
		Source   struct{ Truncated bool }
		Events   int
		Warnings []string
	}
	if err := json.Unmarshal([]byte(got.stdout), &document); err != nil {
		t.Fatalf("%v in %+v", err, got)
	}
	if !document.Source.Truncated || document.Events == 0 || len(document.Warnings) == 0 {
		t.Errorf("the report on a cut trace is %+v", document)
	}
}

// The figures that go tool pprof reads equal the report's.
func TestProfilesAreRead(t *testing.T) {
	trace := smallTrace(t)
	directory := filepath.Join(t.TempDir(), "profiles")
	got := sh(t, "", nil, tool.mtrace, "pprof", "-o", directory, trace)
	if got.exit != 0 {
		t.Fatalf("%+v", got)
	}
	for kind, want := range map[string]string{"gpu": "axpy", "api": "commit", "wait": "waitUntilCompleted"} {
		out, err := saidBy(exec.Command("go", "tool", "pprof", "-top", "-nodefraction=0",
			filepath.Join(directory, kind+".pb.gz")), commandLimit)
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("go tool pprof -top of %s: %v; want %q in\n%s", kind, err, want, out)
		}
	}
	one := filepath.Join(t.TempDir(), "one.pb.gz")
	if got := sh(t, "", nil, tool.mtrace, "pprof", "-o", one, "--type", "gpu", trace); got.exit != 0 ||
		got.stdout != one+"\n" {
		t.Errorf("%+v", got)
	}
	// An empty variable in a script made no profile, and all was well.
	if got := sh(t, "", nil, tool.mtrace, "pprof", "-o", filepath.Join(t.TempDir(), "none"), "--type", "",
		trace); got.exit != cli.ExitUsage || !strings.Contains(got.stderr, "no profile type is given: --type gpu, api") {
		t.Errorf("%+v", got)
	}
}

// The keys that scripts rely on are there, by name, and the sums that hold by definition hold.
func TestReportDocument(t *testing.T) {
	got := sh(t, "", nil, tool.mtrace, "report", "--json", smallTrace(t))
	var document map[string]any
	if err := json.Unmarshal([]byte(got.stdout), &document); err != nil {
		t.Fatalf("%v in %+v", err, got)
	}
	if document["schema"] != "mtrace.report/1" {
		t.Errorf("schema is %v", document["schema"])
	}
	for _, key := range []string{"source", "events", "lost", "overhead", "warnings", "calls", "threads", "queues", "gpu",
		"kernels", "fusion_candidates", "memory", "compile", "serialization", "insights"} {
		if document[key] == nil {
			t.Errorf("no %q in the report", key)
		}
	}
	for _, thread := range document["threads"].([]any) {
		thread := thread.(map[string]any)
		var sum float64
		for _, ns := range thread["time"].(map[string]any) {
			sum += ns.(float64)
		}
		if sum != thread["window_ns"] {
			t.Errorf("thread %v: parts add up to %v of %v ns", thread["tid"], sum, thread["window_ns"])
		}
	}
}
