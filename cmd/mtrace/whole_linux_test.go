package main

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"mtrace/cmd/mtrace/internal/cli"
)

// TestCutByFullDisk: the disk fills up in the middle. The program does not notice, and the trace states to the last
// call how many it lacks.
func TestCutByFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=192k"); err != nil {
		t.Skip("no small file system can be mounted here: ", err)
	}
	defer unix.Unmount(dir, unix.MNT_DETACH)
	args := []string{"python3", workload(t), "--op", "axpy", "--size", "256", "--dtype", "float32", "--threads", "2",
		"--iters", "6000", "--sync-mode", "event"}
	whole := filepath.Join(t.TempDir(), "whole.mtrace")
	if got := sh(t, "", nil, tool.mtrace, append([]string{"run", "--no-report", "--on-full", "block", "-o", whole, "--"},
		args...)...); got.exit != 0 {
		t.Fatalf("%+v", got)
	}
	all, _ := summaryOf(t, whole, 0)
	cut := filepath.Join(dir, "t.mtrace")
	got := sh(t, "", nil, tool.mtrace, append([]string{"run", "--no-report", "--on-full", "block", "-o", cut, "--"},
		args...)...)
	if got.exit != 0 || !strings.Contains(got.stderr, "no space left") {
		t.Errorf("%+v", got)
	}
	s := checkIncomplete(t, cut, "cut", cli.ExitUsage)
	t.Log(s.Source.Incomplete.Text)
	if s.Lost.AtLeast || s.Events == 0 || s.Events >= all.Events || s.Events+s.Lost.Total < all.Events*9/10 ||
		!strings.Contains(s.Source.Incomplete.Why, "no space left") {
		t.Errorf("%d calls are there and %d lost, of about %d: %+v", s.Events, s.Lost.Total, all.Events, s.Source.Incomplete)
	}
}
