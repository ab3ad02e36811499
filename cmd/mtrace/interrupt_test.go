package main

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// after is ready when a time has passed.
func after(d time.Duration) func() bool {
	began := time.Now()
	return func() bool { return time.Since(began) >= d }
}

// interrupted runs a command in a folder, sends SIGINT to its whole process group when it is ready, as a terminal does, and returns how it
// ended and the number of the group.
func interrupted(t *testing.T, dir string, env []string, ready func() bool, args ...string) (ended syscall.WaitStatus, group int) {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for !ready() {
		time.Sleep(10 * time.Millisecond)
	}
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
