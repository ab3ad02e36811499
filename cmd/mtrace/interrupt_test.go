package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/cmd/mtrace/internal/record"
)

// after is ready when a time has passed.
func after(d time.Duration) func() bool {
	began := time.Now()
	return func() bool { return time.Since(began) >= d }
}

// interrupted runs a command in a folder, sends SIGINT to its whole process group when it is ready, as a terminal does,
// and returns how it ended and the number of the group.
func interrupted(t *testing.T, dir string, env []string, ready func() bool, args ...string) (ended syscall.WaitStatus,
	group int) {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	startInTime(t, cmd)
	waitFor(t, "the moment to interrupt it", ready)
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case <-done:
	case <-time.After(3 * time.Minute):
		cmd.Process.Kill()
		t.Fatalf("%s did not end after SIGINT", args[0])
	}
	return waitStatus(cmd), cmd.Process.Pid
}

// SIGQUIT came before the program was started, and Go's runtime ended the tracer with the stacks of its goroutines, as
// after a crash (found by the torture test, seeds 10186 and 11178). Here it comes while the tracer reads its note of an
// earlier run of the command, which is a silent pipe.
func TestQuitBeforeTheProgramStarts(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	command := []string{"true"}
	note := record.NewCrashGuard(command, "").Path
	if note == "" {
		t.Skip("there is no folder for caches here, and nothing to hold the tracer with")
	}
	if err := os.MkdirAll(filepath.Dir(note), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(note, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(tool.mtrace, append([]string{"run", "-o", filepath.Join(t.TempDir(), "t.mtrace"), "--"},
		command...)...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	startInTime(t, cmd)
	for deadline := time.Now().Add(3 * time.Minute); ; time.Sleep(10 * time.Millisecond) { // until somebody reads
		pipe, err := os.OpenFile(note, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err == nil {
			defer pipe.Close()
			break
		}
		if !errors.Is(err, syscall.ENXIO) || time.Now().After(deadline) {
			t.Fatalf("the tracer does not read its note: %v", err)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if status := cli.ExitStatus(waitStatus(cmd)); status != 128+int(syscall.SIGQUIT) ||
		strings.Contains(said.String(), "goroutine") {
		t.Errorf("it ended with %d and said %q", status, said.String())
	}
}
