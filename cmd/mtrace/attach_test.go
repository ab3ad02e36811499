package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"mtrace/cmd/mtrace/internal/cli"
)

// TestAttachSaysWhatCanBeDone: the command reports plainly that a running program cannot be traced, with the commands
// that come nearest for this program.
func TestAttachSaysWhatCanBeDone(t *testing.T) {
	t.Parallel()
	got := sh(t, "", nil, tool.mtrace, "attach", fmt.Sprint(os.Getpid()))
	if got.exit != cli.ExitNo || got.stderr != "" ||
		!strings.Contains(got.stdout, fmt.Sprintf("Process %d cannot be traced",
			os.Getpid())) {
		t.Errorf("%+v", got)
	}
	for _, says := range []string{"mtrace run --start-on signal -- ", "kill -USR1", "mtrace run --last 30s -- "} {
		if !strings.Contains(got.stdout, says) {
			t.Errorf("it does not say %q:\n%s", says, got.stdout)
		}
	}
	if _, err := exec.LookPath("ps"); err == nil && !strings.Contains(got.stdout, "mtrace.test") {
		t.Errorf("it does not name the command:\n%s", got.stdout)
	}
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{}, {"x"}, {"-1"}, {"0"}, {"1", "2"}, {fmt.Sprint(gone.Process.Pid)}} {
		if got := sh(t, "", nil, tool.mtrace, append([]string{"attach"}, args...)...); got.exit != cli.ExitUsage ||
			strings.Count(got.stderr, "\n") != 1 || got.stdout != "" {
			t.Errorf("%q: %+v", args, got)
		}
	}
}
