package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mtrace/cmd/mtrace/internal/cli"
)

// background has the methods by which a program leaves a process behind that uses Metal a second after the program has
// ended. $1 is a file for its process id.
var background = map[string]string{
	"a job":     `(echo $$ >"$1"; sleep 1; exec "$0" classes 3) >/dev/null 2>&1 & sleep 0.1`,
	"nohup":     `nohup sh -c 'echo $$ >"$1"; sleep 1; exec "$0" classes 3' "$0" "$1" >/dev/null 2>&1 & sleep 0.1`,
	"setsid":    `setsid sh -c 'echo $$ >"$1"; sleep 1; exec "$0" classes 3' "$0" "$1" >/dev/null 2>&1 & sleep 0.1`,
	"disowned":  `bash -c '(echo $$ >"$1"; sleep 1; exec "$0" classes 3) >/dev/null 2>&1 & disown; sleep 0.1' "$0" "$1"`,
	"two forks": `((sleep 1; exec "$0" classes 3) >/dev/null 2>&1 &) ; sleep 0.1`,
}

// A process that keeps running and has not used Metal yet was not mentioned: "0 calls, none lost", exit status 0, and
// "the program made no Metal call", while it made hundreds.
func TestProcessesThatLiveOn(t *testing.T) {
	needTruth(t)
	client := buildShapesClient(t)
	recorded := regexp.MustCompile(`(\d+) calls, none lost`)
	for name, script := range background {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			run := func(flags ...string) outcome {
				flags = append([]string{"run"}, flags...)
				return sh(t, dir, nil, tool.mtrace, append(flags, "--", "sh", "-c", script, client, filepath.Join(dir, "pid"))...)
			}
			got := run("-o", "said.mtrace")
			words := strings.Join(strings.Fields(got.stdout+got.stderr), " ")
			if got.exit != 0 || !strings.Contains(words, "of the program still run") ||
				strings.Contains(words, "made no Metal call") {
				t.Errorf("%+v", got)
			}
			if got := run("--no-report", "-o", "quiet.mtrace"); strings.Count(got.stderr, "of the program still run") != 1 {
				t.Errorf("without a report: %+v", got)
			}
			head, _, _ := strings.Cut(sh(t, dir, nil, tool.mtrace, "report", "said.mtrace").stdout, "\n\n")
			if head := strings.Join(strings.Fields(head), " "); !strings.Contains(head, "STILL RUNNING") ||
				strings.Contains(head, ", none lost") {
				t.Errorf("the report begins\n%s", head)
			}
			got = run("--wait-for-children", "-o", "waited.mtrace")
			found := recorded.FindStringSubmatch(strings.Join(strings.Fields(got.stdout+got.stderr), " "))
			if found == nil || found[1] == "0" || strings.Contains(got.stdout+got.stderr, "still run") {
				t.Errorf("--wait-for-children: %+v", got)
			}
		})
	}
}

// A forked child that has not used Metal keeps running when mtrace and the program get SIGTERM.
func TestForkThatLivesOnAfterSIGTERM(t *testing.T) {
	t.Parallel()
	needTruth(t)
	if _, err := exec.LookPath("/usr/bin/python3"); err != nil {
		t.Skip("no python3 that can fork without exec")
	}
	dir := t.TempDir()
	const program = `
import os, time
if os.fork() == 0:
    open("child", "w").write(str(os.getpid()))
    os.rename("child", "pid")
    time.sleep(1000)
time.sleep(1000)
`
	var stderr strings.Builder
	cmd := exec.Command(tool.mtrace, "run", "--no-report", "-o", "t.mtrace", "--", "/usr/bin/python3", "-c", program)
	cmd.Dir, cmd.Stderr, cmd.WaitDelay = dir, &stderr, time.Second // the child holds standard error
	startInTime(t, cmd)
	awaitFile(t, filepath.Join(dir, "pid"))
	cmd.Process.Signal(syscall.SIGTERM)
	cmd.Wait()
	text, _ := os.ReadFile(filepath.Join(dir, "pid"))
	pid, _ := strconv.Atoi(string(text))
	if pid == 0 || syscall.Kill(pid, syscall.SIGKILL) != nil {
		t.Errorf("the child %q did not live on", text)
	}
	if !strings.Contains(stderr.String(), "1 process of the program still runs") {
		t.Errorf("standard error: %s", &stderr)
	}
}

// An interrupt ends the wait for children, and not the recording's file.
func TestInterruptEndsTheWaitForChildren(t *testing.T) {
	needTruth(t)
	dir := t.TempDir()
	var stderr strings.Builder
	cmd := exec.Command(tool.mtrace, "run", "--no-report", "--wait-for-children", "-o", "t.mtrace", "--", "sh", "-c",
		`setsid sleep 1000 >/dev/null 2>&1 & echo $! >pid`)
	cmd.Dir, cmd.Stderr = dir, &stderr
	startInTime(t, cmd)
	awaitFile(t, filepath.Join(dir, "pid"))
	time.Sleep(500 * time.Millisecond) // it waits now
	cmd.Process.Signal(syscall.SIGINT)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	text, _ := os.ReadFile(filepath.Join(dir, "pid"))
	if pid, _ := strconv.Atoi(strings.TrimSpace(string(text))); pid == 0 || syscall.Kill(pid, syscall.SIGKILL) != nil {
		t.Errorf("process %q did not live on", text)
	}
	if !strings.Contains(stderr.String(), "1 process of the program still runs") ||
		!cli.Exists(filepath.Join(dir, "t.mtrace")) {
		t.Errorf("standard error: %s", &stderr)
	}
}
