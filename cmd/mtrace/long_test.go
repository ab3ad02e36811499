package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/creack/pty"
	pprof "github.com/google/pprof/profile"

	"mtrace/analyze/diff"
	"mtrace/fixtures/longtrace"
)

// longTrace writes a trace of so many calls at least, and returns its path and how many there are.
func longTrace(t *testing.T, calls int64) (path string, written int64) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "long.mtrace")
	written, err := longtrace.Write(path, longtrace.Shapes[0], calls, 5)
	if err != nil {
		t.Fatal(err)
	}
	return path, written
}

// TestLongTrace: every command that reads traces reads one that is too long to be analysed as a whole, with figures for
// all of it.
func TestLongTrace(t *testing.T) {
	t.Parallel()
	path, calls := longTrace(t, 1_900_000)
	claims := claimsFile(t, fmt.Sprintf("events == %d", calls), fmt.Sprintf("count(sampled.windows) == %d", 8))
	if got := sh(t, "", nil, tool.mtrace, "check", path, "--claims", claims); got.exit != 0 {
		t.Errorf("check: %+v", got)
	}
	out := filepath.Join(t.TempDir(), "api.pb.gz")
	if got := sh(t, "", nil, tool.mtrace, "pprof", path, "--type", "api", "-o", out); got.exit != 0 || got.stderr != "" {
		t.Errorf("pprof: %+v", got)
	}
	f, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := pprof.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range p.Sample {
		calls -= s.Value[0]
	}
	if calls != 0 {
		t.Errorf("the profile lacks %d calls", calls)
	}
	got := sh(t, "", nil, tool.mtrace, "diff", path, path, "--json")
	var doc diff.Document
	if err := json.Unmarshal([]byte(got.stdout), &doc); err != nil || got.exit != 0 {
		t.Errorf("diff: %v %+v", err, got)
	}
	// The remaining time for a long trace was printed, and the reading speed was not.
	cmd := exec.Command(tool.mtrace, "report", "--section", "threads", path)
	screen, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	endInTime(t, cmd)
	defer screen.Close()
	seen, _ := io.ReadAll(screen) // which ends with an error when the other side is closed
	if err := cmd.Wait(); err != nil || !regexp.MustCompile(
		`\] +\d+% long\.mtrace, \d+\.\d million records/s, ([\d.]+(ms|[smh]))+ left`).Match(seen) {
		t.Errorf("%v, and on the terminal %q", err, seen)
	}
}
