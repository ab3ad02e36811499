package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	pprof "github.com/google/pprof/profile"
	"github.com/spf13/pflag"

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

// TestLongTrace: what reads traces reads one that is too long to be analysed as one, with figures of all of it.
func TestLongTrace(t *testing.T) {
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
}

// TestExportTooLong: an export that would not fit into memory is refused with the range of a part that does, and that part is exported.
func TestExportTooLong(t *testing.T) {
	path, _ := longTrace(t, 100_000)
	defer func(was int64) { mostHeld = was }(mostHeld)
	mostHeld = 40_000
	out := filepath.Join(t.TempDir(), "out.jsonl")
	job := exportJob{formats: []string{"jsonl"}, output: out}
	std := stdio{out: os.Stdout, err: os.Stderr}
	err := job.run(std, []string{path})
	found := regexp.MustCompile(`holds 40000 at most in memory: name a part of it, as --from (\S+) --to (\S+)$`).FindStringSubmatch(fmt.Sprint(err))
	if found == nil || strings.Contains(err.Error(), "\n") {
		t.Fatalf("a trace that is too long: %v", err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("it was written all the same")
	}
	flags := pflag.NewFlagSet("export", pflag.ContinueOnError)
	job.part.flags(flags)
	if err := flags.Parse([]string{"--from", found[1], "--to", found[2]}); err != nil {
		t.Fatal(err)
	}
	if err := job.run(std, []string{path}); err != nil {
		t.Errorf("the part that was named: %v", err)
	}
	if info, err := os.Stat(out); err != nil || info.Size() < 1<<20 {
		t.Errorf("the part: %v %v", info, err)
	}
}
