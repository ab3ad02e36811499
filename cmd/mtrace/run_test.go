package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/fixtures/softmetal/truth"
)

func waitStatus(cmd *exec.Cmd) syscall.WaitStatus {
	return cmd.ProcessState.Sys().(syscall.WaitStatus)
}

// The traced program's outcome is its own: exit status, signals, and both outputs to the byte.
func TestRunIsTransparent(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	script := filepath.Join(directory, "script.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho from a script \"$@\"; exit 3\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		command []string
	}{
		{"success", []string{"true"}},
		{"exit status", []string{"sh", "-c", "exit 7"}},
		{"exit status 125 of the program", []string{"sh", "-c", "exit 125"}},
		{"killed", []string{"sh", "-c", "kill -KILL $$"}},
		{"terminated", []string{"sh", "-c", "kill -TERM $$"}},
		{"aborted", []string{"sh", "-c", "ulimit -c 0; kill -ABRT $$"}},
		{"both outputs", []string{"sh", "-c", "echo out; echo err >&2; printf 'no newline'"}},
		{"script", []string{script, "a b", "c"}},
		{"broken pipe", []string{"sh", "-c", "yes | head -1; echo $?"}},
		{"descriptor numbers", []string{"python3", "-c", "import os; print(os.open('/dev/null', 0), " +
			"sorted(os.listdir('/proc/self/fd'), key=int)[:4])"}},
		{"children", []string{"python3", "-c", "import subprocess; print(subprocess.run(['sh', '-c', 'echo child; exit " +
			"5']).returncode)"}},
		{"fork", []string{"python3", "-c", "import os\np = os.fork()\nif p == 0: " +
			"os._exit(9)\nprint(os.waitstatus_to_exitcode(os.waitpid(p, 0)[1]))"}},
		{"uncaught exception", []string{"python3", "-c", "raise ValueError('x')"}},
		{"environment", []string{"python3", "-c", "import os; print(sorted(k for k in os.environ if not " +
			"k.startswith(('MTRACE', 'LD_', 'DYLD', '__XPC'))))"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			plain := sh(t, directory, nil, c.command[0], c.command[1:]...)
			traced := sh(t, directory, nil, tool.mtrace,
				append([]string{"run", "--no-report", "-o", filepath.Join(t.TempDir(), "t.mtrace"), "--"}, c.command...)...)
			if traced != plain {
				t.Errorf("traced:   %+v\nuntraced: %+v", traced, plain)
			}
		})
	}
}

func TestRunCannotStart(t *testing.T) {
	directory := t.TempDir()
	plain := filepath.Join(directory, "plain")
	if err := os.WriteFile(plain, []byte("no program"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string
		exit int
		says string
	}{
		{"not found", []string{"run", "--", "no-such-program"}, 127, "not found"},
		{"path not found", []string{"run", "--", "./no-such-program"}, 127, "not found"},
		{"not executable", []string{"run", "--", plain}, 125, "cannot be executed"},
		{"no program", []string{"run"}, 2, "no program to run"},
		{"unknown flag", []string{"run", "--nonsense", "--", "true"}, 2, "unknown flag --nonsense"},
		{"bad value", []string{"run", "--on-full", "explode", "--", "true"}, 2, "drop or block"},
		{"limit without block", []string{"run", "--block-limit", "2s", "--", "true"}, 2, "requires --on-full block"},
		{"negative limit", []string{"run", "--on-full", "block", "--block-limit", "-2s", "--", "true"}, 2,
			"whole milliseconds"},
		// These errors were reported when the program had ended, hours later, or never, and the exit status was the
		// program's.
		{"no such section", []string{"run", "--section", "verdicts", "--", "true"}, 2, `no section "verdicts" in a report`},
		{"no prediction", []string{"run", "--what-if", "matmul=0.5", "--", "true"}, 2, "must be KIND:NAME=FACTOR"},
		{"a report and none", []string{"run", "--no-report", "--json=r.json", "--", "true"}, 2, "exclude each other"},
		{"trace cannot be written", []string{"run", "-o", filepath.Join(directory, "none", "x.mtrace"), "--", "true"}, 125,
			"cannot write the trace"},
		{"unknown command", []string{"frobnicate"}, 2, "unknown command"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := sh(t, directory, nil, tool.mtrace, c.args...)
			if got.exit != c.exit || !strings.Contains(got.stderr, c.says) || strings.Count(got.stderr, "\n") != 1 ||
				got.stdout != "" {
				t.Errorf("exit %d, want %d; want one line with %q on stderr and nothing on stdout, got %q and %q", got.exit,
					c.exit, c.says, got.stderr, got.stdout)
			}
			if left, _ := filepath.Glob(filepath.Join(directory, "*.mtrace*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// A SIGINT from the terminal goes to the whole process group. The program ends as without the tracer, and the trace is
// complete. The signal is sent when the program is running: on a busy machine it came before mtrace had started the
// program, and ended mtrace, which left no trace.
func TestRunSurvivesInterrupt(t *testing.T) {
	args := []string{"python3", workload(t), "--op", "axpy", "--size", "1024", "--threads", "2", "--iters", "10000000",
		"--sync-mode", "event"}
	interrupt := func(args ...string) syscall.WaitStatus {
		truthPath := filepath.Join(t.TempDir(), "truth")
		atWork := func() bool {
			file, err := truth.Open(truthPath)
			return err == nil && len(file.Calls) > 100
		}
		if runtime.GOOS != "linux" { // Apple's Metal does not write down its calls
			atWork = after(3 * time.Second)
		}
		env := []string{"SOFTMETAL_LIBRARY=" + filepath.Join(tool.dir, "softmetal", "libsoftmetal.so"), "SOFTMETAL_TRUTH=" +
			truthPath}
		ended, _ := interrupted(t, t.TempDir(), env, atWork, args...)
		return ended
	}
	plain := interrupt(args...)
	trace := filepath.Join(t.TempDir(), "t.mtrace")
	traced := interrupt(append([]string{tool.mtrace, "run", "--no-report", "-o", trace, "--"}, args...)...)
	if cli.ExitStatus(traced) != cli.ExitStatus(plain) {
		t.Errorf("exit status %d, untraced %d", cli.ExitStatus(traced), cli.ExitStatus(plain))
	}
	if report := sh(t, "", nil, tool.mtrace, "report", trace); report.exit != 0 {
		t.Errorf("the trace of an interrupted program does not report: %+v", report)
	}
}

// With --follow-children=false the trace has the program's own calls and not the calls of its child processes.
func TestRunFollowsChildrenOrNot(t *testing.T) {
	small := []string{"--op", "axpy", "--size", "256", "--dtype", "float32", "--threads", "1", "--iters", "2",
		"--sync-mode", "device"}
	script := "python3 " + workload(t) + " " + strings.Join(small, " ") + " >/dev/null; true"
	for follow, want := range map[string]bool{"true": true, "false": false} {
		trace := filepath.Join(t.TempDir(), "t.mtrace")
		got := sh(t, "", nil, tool.mtrace, "run", "--no-report", "--follow-children="+follow, "-o", trace, "--", "sh", "-c",
			script)
		if got.exit != 0 {
			t.Fatalf("%+v", got)
		}
		calls, _ := traceSequences(t, trace)
		if (len(calls) > 0) != want {
			t.Errorf("--follow-children=%s: threads with calls: %d", follow, len(calls))
		}
	}
}
