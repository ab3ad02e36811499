package main

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// TestPager: a report that is longer than the terminal goes through the pager that the user chose, and only then.
func TestPager(t *testing.T) {
	t.Parallel()
	trace := smallTrace(t)
	shown := func(rows uint16, env []string, args ...string) string {
		cmd := exec.Command(tool.mtrace, append(args, trace)...)
		cmd.Env = append(append(os.Environ(), "NO_COLOR=1", "TERM=xterm"), env...)
		screen, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: rows, Cols: 100})
		if err != nil {
			t.Fatal(err)
		}
		defer screen.Close()
		endInTime(t, cmd)
		seen, _ := io.ReadAll(screen) // which ends with an error when the other side is closed
		cmd.Wait()
		return string(seen)
	}
	const pager = "sed 's/^/paged: /'"
	for name, c := range map[string]struct {
		rows  uint16
		env   []string
		args  []string
		paged bool
	}{
		"longer than the terminal": {10, []string{"PAGER=" + pager}, []string{"report", "--all"}, true},
		"the variable of mtrace": {10, []string{"PAGER=false", "MTRACE_PAGER=" + pager},
			[]string{"report", "--all"}, true},
		"it fits":                   {500, []string{"PAGER=" + pager}, []string{"report"}, false},
		"cat":                       {10, []string{"PAGER=cat"}, []string{"report", "--all"}, false},
		"none":                      {10, []string{"PAGER="}, []string{"report", "--all"}, false},
		"a pager that is not there": {10, []string{"PAGER=no-such-pager"}, []string{"report", "--all"}, false},
	} {
		seen := shown(c.rows, c.env, c.args...)
		if got := strings.Contains(seen, "paged: "); got != c.paged || !strings.Contains(seen, "WHAT WOULD HELP") &&
			!strings.Contains(seen, "VERDICT") {
			t.Errorf("%s: paged %v\n%s", name, got, seen)
		}
	}
	piped := sh(t, "", []string{"PAGER=" + pager}, tool.mtrace, "report", "--all", trace)
	if strings.Contains(piped.stdout, "paged: ") {
		t.Error("a pipe is paged")
	}
}
