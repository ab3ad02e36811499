package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mtrace/cmd/mtrace/internal/cli"
)

// A release's tool prints the release's version. Alone, as go install builds it, it reads traces and cannot record any,
// and names the missing parts and their source: it used to name a script that is not where the tool is.
func TestToolAlone(t *testing.T) {
	t.Parallel()
	alone := filepath.Join(t.TempDir(), "mtrace")
	if out, err := saidBy(exec.Command("go", "build", "-ldflags=-X main.release=v9.8.7", "-o", alone, "."),
		commandLimit); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if r := sh(t, "", nil, alone, "version"); !strings.HasPrefix(r.stdout, "mtrace v9.8.7 (go") || r.exit != 0 {
		t.Errorf("%+v", r)
	}
	r := sh(t, t.TempDir(), []string{"MTRACE_LIBRARY="}, alone, "run", "--", "true")
	for _, said := range []string{cli.LibraryName() + ", which records the calls, is neither in mtrace's folder",
		"go install does not build it",
		"./build.sh build", "MTRACE_LIBRARY"} {
		if !strings.Contains(r.stderr, said) || strings.Count(r.stderr, "\n") != 1 || r.exit != 125 {
			t.Errorf("want %q: %+v", said, r)
		}
	}
	if r := sh(t, "", nil, alone, "report", "--section", "verdict", smallTrace(t)); r.exit != 0 || r.stdout == "" {
		t.Errorf("%+v", r)
	}
}
