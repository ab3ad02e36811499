package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Every program and wait of a test has a time limit. The story: one test waited for ever, and after 40 minutes go test
// reported that all had failed, and not which one.
const (
	patience     = 3 * time.Minute  // for actions that take seconds on an idle machine
	commandLimit = 10 * time.Minute // for a command
	networkLimit = 2 * time.Minute  // for downloads: the network may accept everything and answer nothing
)

// killAfter kills a started command and its child processes after a time. Go programs print the stacks of their
// goroutines first. stop cancels it and reports whether it happened.
func killAfter(cmd *exec.Cmd, limit time.Duration) (stop func() bool) {
	over, ended, expired := make(chan struct{}), make(chan struct{}), false
	go func() {
		defer close(ended)
		select {
		case <-over:
			return
		case <-time.After(limit):
		}
		expired = true
		family := familyOf(cmd.Process.Pid)
		cmd.Process.Signal(syscall.SIGABRT) // SIGQUIT is the program's where mtrace runs one
		select {
		case <-over:
		case <-time.After(10 * time.Second):
		}
		cmd.Process.Kill()
		for _, pid := range family {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}()
	return func() bool {
		close(over)
		<-ended
		return expired
	}
}

// startInTime starts a command that ends, with its child processes, with its test at the latest, and within
// commandLimit: otherwise the test has failed.
func startInTime(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	// for processes that the command left, and that hold its output open
	cmd.WaitDelay = cmp.Or(cmd.WaitDelay, patience)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	endInTime(t, cmd)
}

// endInTime does so to a command that was started already.
func endInTime(t testing.TB, cmd *exec.Cmd) {
	limit := commandLimit
	if long, err := time.ParseDuration(os.Getenv(soakVariable)); err == nil {
		limit += long
	}
	stop := killAfter(cmd, limit)
	t.Cleanup(func() {
		if stop() {
			t.Error(&unended{cmd.Args, limit})
		}
		if cmd.Process.Signal(syscall.Signal(0)) != nil {
			return // it has ended, and was waited for
		}
		family := familyOf(cmd.Process.Pid)
		cmd.Process.Kill()
		for _, pid := range family {
			syscall.Kill(pid, syscall.SIGKILL)
		}
		cmd.Process.Wait()
	})
}

// unended is a command that did not end.
type unended struct {
	args  []string
	limit time.Duration
}

func (e *unended) Error() string { return fmt.Sprintf("%q did not end in %v", e.args, e.limit) }

// endsInTime runs a command to its end, which comes within a limit.
func endsInTime(cmd *exec.Cmd, limit time.Duration) error {
	cmd.WaitDelay = cmp.Or(cmd.WaitDelay, patience)
	if err := cmd.Start(); err != nil {
		return err
	}
	stop := killAfter(cmd, limit)
	err := cmd.Wait()
	if stop() {
		return &unended{cmd.Args, limit}
	}
	return err
}

// saidBy returns a command's output on both streams until its end, which comes within a limit; an error at the end
// reports that it did not end.
func saidBy(cmd *exec.Cmd, limit time.Duration) ([]byte, error) {
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err := endsInTime(cmd, limit)
	if err != nil && cmd.ProcessState != nil && !errors.As(err, new(*exec.ExitError)) {
		fmt.Fprintf(&said, "\n%v\n", err)
	}
	return said.Bytes(), err
}

// printedBy returns a command's standard output until its end, which comes within a limit.
func printedBy(cmd *exec.Cmd, limit time.Duration) ([]byte, error) {
	var printed bytes.Buffer
	cmd.Stdout = &printed
	err := endsInTime(cmd, limit)
	return printed.Bytes(), err
}

// inTime is a context for a test's request to a command that answers within its limit.
func inTime(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), commandLimit)
	t.Cleanup(cancel)
	return ctx
}

// waitFor waits until something is so.
func waitFor(t testing.TB, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !so(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waiting for %s took too long", what)
		}
	}
}

// parents maps each running process to its parent. It once used ps alone, which a minimal machine lacks: the test was
// skipped after it had started the program, which kept running for hours.
func parents() (of map[int]int, err error) {
	of = map[int]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		stat, _ := os.ReadFile(path) // of one that is gone: nothing
		if end := strings.LastIndexByte(string(stat), ')'); end >= 0 {
			var state string
			pid, parent := 0, 0
			fmt.Sscan(filepath.Base(filepath.Dir(path)), &pid)
			fmt.Sscan(string(stat[end+1:]), &state, &parent)
			of[pid] = parent
		}
	}
	if len(stats) > 0 {
		return of, nil
	}
	out, err := exec.Command("ps", "-A", "-o", "pid=,ppid=").Output()
	for line := range strings.Lines(string(out)) {
		pid, parent := 0, 0
		fmt.Sscan(line, &pid, &parent)
		of[pid] = parent
	}
	return of, err
}

// childrenOf returns the processes that a process has started, from any of its threads.
func childrenOf(t *testing.T, pid int) (children []int) {
	t.Helper()
	all, err := parents()
	if err != nil {
		t.Fatal("there is neither /proc nor ps to find the traced program: ", err)
	}
	for child, parent := range all {
		if parent == pid {
			children = append(children, child)
		}
	}
	slices.Sort(children)
	return children
}

// familyOf returns the child processes of a process, and their child processes, as far as known.
func familyOf(pid int) (family []int) {
	all, _ := parents()
	for list := []int{pid}; len(list) > 0; list = list[1:] {
		for child, parent := range all {
			if parent == list[0] && child > 0 {
				family, list = append(family, child), append(list, child)
			}
		}
	}
	return family
}

// A command that does not end is killed with its child processes, and its output is reported.
func TestCommandsEnd(t *testing.T) {
	t.Parallel()
	began := time.Now()
	said, err := saidBy(exec.Command("sh", "-c", "echo before; trap '' ABRT; sh -c 'sleep 1000; echo a' & sleep 1000"),
		200*time.Millisecond)
	if took := time.Since(began); err == nil || !strings.HasPrefix(string(said), "before\n") ||
		!strings.Contains(string(said), "did not end in 200ms") || took > patience {
		t.Errorf("after %v: %v, %s", took, err, said)
	}
	if said, err := saidBy(exec.Command("sh", "-c", "echo so; exit 3"), patience); string(said) != "so\n" || err == nil ||
		err.Error() != "exit status 3" {
		t.Errorf("%v, %q", err, said)
	}
}
