package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/cmd/mtrace/internal/record"
	"mtrace/collector/tracefile"
)

// files are the names in a folder, hidden ones too.
func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestRunKeepsTraces: no run harms an existing trace. `mtrace run -o keep.mtrace -- /nonexistent` used to empty
// keep.mtrace and then remove it, and a second run with the same name silently overwrote the first.
func TestRunKeepsTraces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keep := filepath.Join(dir, "keep.mtrace")
	run := func(args ...string) outcome {
		return sh(t, dir, nil, tool.mtrace, append([]string{"run", "--no-report"}, args...)...)
	}
	kept := func(want string) {
		t.Helper()
		if got, err := os.ReadFile(keep); err != nil || want != "" && string(got) != want {
			t.Fatalf("%d bytes, %v; want %d", len(got), err, len(want))
		}
		if names := files(t, dir); len(names) != 1 {
			t.Fatalf("there are %q", names)
		}
	}
	if got := run("-o", "keep.mtrace", "--", "true"); got.exit != 0 {
		t.Fatalf("%+v", got)
	}
	first, err := os.ReadFile(keep)
	if err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"/nonexistent", "true"} {
		got := run("-o", "keep.mtrace", "--", program)
		if got.exit != cli.ExitUsage || !strings.Contains(got.stderr, "keep.mtrace exists already") ||
			!strings.Contains(got.stderr, "--force") || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: %+v", program, got)
		}
		kept(string(first))
	}
	if got := run("--force", "-o", "keep.mtrace", "--", "/nonexistent"); got.exit != 127 {
		t.Errorf("%+v", got)
	}
	kept(string(first))
	if got := run("--force", "-o", "keep.mtrace", "--", "sh", "-c", "exit 3"); got.exit != 3 {
		t.Errorf("%+v", got)
	}
	kept("")
	if second, _ := os.ReadFile(keep); string(second) == string(first) {
		t.Error("--force kept the older trace")
	}

	// The rest of a recording that was killed is a trace too.
	if err := os.Rename(keep, keep+cli.PartSuffix); err != nil {
		t.Fatal(err)
	}
	if got := run("-o", "keep.mtrace", "--", "true"); got.exit != cli.ExitUsage ||
		!strings.Contains(got.stderr, "keep.mtrace.part exists already") {
		t.Errorf("%+v", got)
	}
	if got := sh(t, dir, nil, tool.mtrace, "report", "keep.mtrace"); got.exit != cli.ExitUsage ||
		!strings.Contains(got.stderr, "keep.mtrace.part exists") {
		t.Errorf("%+v", got)
	}
	if got := run("-o", os.DevNull, "--", "true"); got.exit != 0 {
		t.Errorf("%+v", got)
	}
	if got := run("-o", dir, "--", "true"); got.exit != record.ExitNotStarted ||
		!strings.Contains(got.stderr, "is a folder") {
		t.Errorf("%+v", got)
	}
}

// TestRunNamesNeverMeet: concurrent runs without -o, and runs with a reused process id, each leave a trace of their
// own.
func TestRunNamesNeverMeet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const runs = 6
	var running sync.WaitGroup
	for range runs {
		running.Go(func() {
			if got := sh(t, dir, nil, tool.mtrace, "run", "--no-report", "--", "true"); got.exit != 0 {
				t.Errorf("%+v", got)
			}
		})
	}
	running.Wait()
	if names := files(t, dir); len(names) != runs {
		t.Errorf("%q", names)
	}

	again := t.TempDir()
	var last string
	for want := range 3 { // the same process id each time: as in a container, whose first process is always the first
		u, err := cli.BeginUnnamed(again, "true")
		if err != nil {
			t.Fatal(err)
		}
		if err := u.NameAfter("true-7"); err != nil {
			t.Fatal(err)
		}
		u.WriteString("trace")
		u.Close()
		if want == 2 { // another process takes the name while the trace is recorded
			os.WriteFile(strings.TrimSuffix(u.Path, cli.PartSuffix), []byte("not ours"), 0o644)
		}
		if last, err = u.FinishNumbered("true-7"); err != nil {
			t.Fatal(err)
		}
	}
	if names := strings.Join(files(t, again),
		" "); names != "true-7-2.mtrace true-7-3.mtrace true-7-4.mtrace true-7.mtrace" ||
		filepath.Base(last) != "true-7-4.mtrace" {
		t.Errorf("%s, the last is %s", names, last)
	}
}

// TestRunLeavesPart: after mtrace was killed, its recording has a name that marks it as unfinished; the program
// continues.
func TestRunLeavesPart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, args := range map[string][]string{"t.mtrace.part": {"-o", "t.mtrace"}, "sleep-*.mtrace.part": nil} {
		cmd := exec.Command(tool.mtrace, append(append([]string{"run", "--no-report"}, args...), "--", "sleep", "3")...)
		cmd.Dir = dir
		startInTime(t, cmd)
		var found []string
		for end := time.Now().Add(2 * time.Minute); len(found) == 0 &&
			time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			found, _ = filepath.Glob(filepath.Join(dir, name))
		}
		cmd.Process.Signal(syscall.SIGKILL)
		cmd.Wait()
		if len(found) != 1 {
			t.Fatalf("no %s: %q", name, files(t, dir))
		}
		if got := sh(t, dir, nil, tool.mtrace, "report", found[0]); got.exit != cli.ExitUsage ||
			!strings.Contains(got.stderr, "is cut") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestPipes: a trace may go into a pipe, as the message about -o - advises, and then the run ends with the program. It
// used to wait for ever for a writer of that pipe, to report on its own output; so did every other command that was to
// read a trace from a pipe.
func TestPipes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("no named pipes here: ", err)
	}
	for command, says := range map[string]string{"report": "not a regular file", "repair": "not a regular file",
		"tail": "not a regular file"} {
		if got := sh(t, dir, nil, tool.mtrace, command, "pipe"); got.exit != cli.ExitUsage ||
			!strings.Contains(got.stderr, says) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: %+v", command, got)
		}
	}
	keeper := exec.Command("sh", "-c", "cat pipe > kept.mtrace")
	keeper.Dir = dir
	startInTime(t, keeper)
	if got := sh(t, dir, nil, tool.mtrace, "run", "--keep-empty", "--json", "-o", "pipe", "--", "sh", "-c",
		"exit 3"); got.exit != 3 || got.stdout != "" ||
		!strings.Contains(got.stderr, "no report, because pipe is a pipe or device") ||
		strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("%+v", got)
	}
	if err := keeper.Wait(); err != nil {
		t.Fatal(err)
	}
	trace, err := tracefile.Open(filepath.Join(dir, "kept.mtrace"))
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	if _, whole := trace.Result(); !whole {
		t.Error("what went into the pipe is no whole trace")
	}
}

// TestReportGoesOn: a trace that is cut costs the others named with it nothing. Once the first was the last that was
// reported.
func TestReportGoesOn(t *testing.T) {
	trace := smallTrace(t)
	whole, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut.mtrace")
	if err := os.WriteFile(cut, whole[:len(whole)-1], 0o644); err != nil {
		t.Fatal(err)
	}
	exit, stdout, stderr := inProcess(t, "report", "--section", "tracer", cut, trace, cut)
	if n := strings.Count(string(stdout), "THE TRACER ITSELF"); n != 3 || exit != cli.ExitUsage ||
		strings.Count(string(stderr), "\n") != 1 {
		t.Errorf("%d of 3 were reported, exit status %d, %s", n, exit, stderr)
	}
}

// TestRunSaysThatTheTraceIsGone: a trace that is removed or replaced while it is recorded is reported as gone, and no
// other file is touched. A trace whose folder was renamed, and which is complete there, was reported as removed and
// lost.
func TestRunSaysThatTheTraceIsGone(t *testing.T) {
	t.Parallel()
	for script, says := range map[string]string{
		"rm t.mtrace.part": "was moved or removed during the recording",
		"echo mine > t.mtrace; mv t.mtrace.part kept": "was moved or removed during the recording",
		"rm t.mtrace.part; echo mine > t.mtrace.part": "was replaced by another file",
		"echo mine > t.mtrace": "another program created t.mtrace during the recording: the trace is complete, " +
			"but named t.mtrace.part",
	} {
		dir := t.TempDir()
		got := sh(t, dir, nil, tool.mtrace, "run", "--no-report", "-o", "t.mtrace", "--", "sh", "-c", script)
		if got.exit != 0 || !strings.Contains(got.stderr, says) {
			t.Errorf("%s: %+v", script, got)
		}
		if !strings.HasPrefix(script, "rm") || strings.Contains(script, "echo") {
			mine := "t.mtrace"
			if strings.HasPrefix(script, "rm") {
				mine += cli.PartSuffix
			}
			if text, err := os.ReadFile(filepath.Join(dir, mine)); string(text) != "mine\n" {
				t.Errorf("%s: %q %v", script, text, err)
			}
		}
	}
}

// TestOutputsKeepTheTrace: nothing that is built from a trace is written over it.
func TestOutputsKeepTheTrace(t *testing.T) {
	trace := smallTrace(t)
	before, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"report", "--force", "--html", trace, trace}, {"export", trace, "--force", "--format", "jsonl", "-o", trace},
		{"pprof", trace, "--force", "--type", "gpu", "-o", trace},
	} {
		if exit, _, stderr := inProcess(t, args...); exit != cli.ExitUsage ||
			!strings.Contains(string(stderr), "is the input") {
			t.Errorf("%q: %d %q", args, exit, stderr)
		}
		if after, _ := os.ReadFile(trace); string(after) != string(before) {
			t.Fatalf("%q changed the trace", args)
		}
	}
}
