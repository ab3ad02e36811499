package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mtrace/cmd/mtrace/internal/cli"
)

// TestHoleInATrace: a sparse file of a terabyte is read up to its first long hole, which takes no time, by every
// command. `mtrace report` was busy for minutes with one.
func TestHoleInATrace(t *testing.T) {
	t.Parallel()
	whole, err := os.ReadFile(smallTrace(t))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name string, begin []byte, size int64) string {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(path, begin, 0o600), os.Truncate(path, size)); err != nil {
			t.Skipf("no sparse files here: %v", err)
		}
		return path
	}
	header, most := write("header.mtrace", whole[:16], 1<<40), write("most.mtrace", whole[:len(whole)*3/4], 1<<40)
	document, export := write("document.json", []byte(`{"schema": "mtrace.report/1"`), 1<<40),
		write("export.xml", []byte("<?xml version=\"1.0\"?>\n<trace-query-result>\n"), 1<<40)
	claims := filepath.Join(dir, "claims.json")
	if err := os.WriteFile(claims, []byte(`{"claims": [{"title": "it is", "expr": "gpu.busy_share > 0"}]}`),
		0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"report", header}, {"report", most}, {"report", "--html", filepath.Join(dir, "page.html"), most},
		{"repair", most, "-o", filepath.Join(dir, "repaired.mtrace")},
		{"tail", most}, {"diff", most, most}, {"check", "--claims", claims, most}, {"check", "--claims", claims, document},
		{"check", "--claims", document, most},
		{"export", most, "--format", "jsonl", "-o", filepath.Join(dir, "lines")},
		{"pprof", most, "-o", filepath.Join(dir, "profiles")}, {"xctrace", export},
	} {
		begin := time.Now()
		got := sh(t, dir, nil, tool.mtrace, args...)
		if took := time.Since(begin); took > 15*time.Second { // a fraction of a second on an idle machine
			t.Errorf("%q took %v", args, took)
		} else {
			t.Logf("%q took %v", args, took)
		}
		if args[0] != "repair" && got.exit != cli.ExitUsage || got.stderr == "" {
			t.Errorf("%q: %+v", args, got)
		}
		if args[0] == "report" && args[len(args)-1] == most && !strings.Contains(got.stdout+got.stderr, "cut") {
			t.Errorf("%q does not say that the trace is cut: %+v", args, got)
		}
	}
}
