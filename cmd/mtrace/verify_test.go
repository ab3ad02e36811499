package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestVerify: mtrace run --verify delays what the verdict on the first seconds names, and the usual report has the
// result; the program's output and exit status are its own. Where nothing can be measured, one line says why.
func TestVerify(t *testing.T) {
	needTruth(t)
	if out, err := saidBy(exec.Command("../../fixtures/scenarios/programs/build.sh", tool.dir), commandLimit); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, c := range []struct {
		name         string
		milliseconds int      // of the first recording; 0: 300 for each
		want, wantNo []string // of standard error
	}{
		{"one-lock", 10_000, []string{"VERDICT  lock-contention", "\nMEASURED ", "(lock:"},
			[]string{"nothing was measured"}},
		{"one-lock", 0, []string{"VERDICT  ", "mtrace run --verify: nothing was measured: "}, []string{"MEASURED"}},
	} {
		ofFourRecordings(t, func(t *testing.T, milliseconds int) string {
			milliseconds = max(300, c.milliseconds/500*milliseconds)
			dir := t.TempDir()
			got := sh(t, dir, []string{"SOFTMETAL_TIMED=1", "SOFTMETAL_ENGINES=8"}, tool.mtrace, "run", "--verify", "-o",
				"t.mtrace", "--", "sh", "-c", `"$0" "$@"; exit 7`, filepath.Join(tool.dir, "scenario"), c.name, "--milliseconds",
				fmt.Sprint(milliseconds))
			if got.exit != 7 || !strings.HasPrefix(got.stdout, "{") || strings.Count(got.stdout, "\n") != 1 {
				t.Errorf("%s: the program's output or status are not its own: %+v", c.name, got)
			}
			for _, text := range c.want {
				if !strings.Contains(got.stderr, text) {
					return fmt.Sprintf("%s for %d ms: no %q in\n%s", c.name, milliseconds, text, got.stderr)
				}
			}
			for _, text := range c.wantNo {
				if strings.Contains(got.stderr, text) {
					return fmt.Sprintf("%s for %d ms: %q is in\n%s", c.name, milliseconds, text, got.stderr)
				}
			}
			return ""
		})
	}
}
