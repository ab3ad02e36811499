package bundle

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mtrace/analyze/xctrace"
	"mtrace/analyze/xctrace/summary"
	_ "mtrace/fixtures/testheap"
)

var (
	buildOnce sync.Once
	standin   string
	buildErr  error
)

// tool is the stand-in for xctrace, built once.
func tool(t *testing.T) (*Tool, *[]string) {
	t.Helper()
	buildOnce.Do(func() {
		dir, err := os.MkdirTemp("", "standin")
		if err != nil {
			buildErr = err
			return
		}
		standin = filepath.Join(dir, "xctrace")
		out, err := exec.Command("go", "build", "-o", standin, "mtrace/fixtures/xctrace/standin").CombinedOutput()
		if err != nil {
			buildErr = err
			t.Log(string(out))
		}
	})
	if buildErr != nil {
		t.Fatal(buildErr)
	}
	t.Setenv("MTRACE_XCTRACE", standin)
	found, err := Find()
	if err != nil {
		t.Fatal(err)
	}
	found.Pause = time.Millisecond
	var said []string
	var lock sync.Mutex
	found.Say = func(format string, args ...any) {
		lock.Lock()
		defer lock.Unlock()
		said = append(said, strings.TrimSpace(fmt.Sprintf(format, args...)))
	}
	found.Progress = found.Say
	return found, &said
}

func TestMain(m *testing.M) {
	code := m.Run()
	if standin != "" {
		os.RemoveAll(filepath.Dir(standin))
	}
	os.Exit(code)
}

// makeBundle makes a bundle of the stand-in by hand.
func makeBundle(t *testing.T, plan map[string]any) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "x.trace")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if plan["Config"] == nil {
		plan["Config"] = map[string]any{"CommandBuffers": 80, "Threads": 2, "Compositor": true}
	}
	data, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "plan.json"), data, 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// exportAll reads all tables of a bundle.
func exportAll(t *testing.T, tool *Tool, bundle string) (*xctrace.Recording, []Failed) {
	t.Helper()
	r := xctrace.NewRecording()
	failed, err := tool.Export(context.Background(), bundle, 0, func(in xctrace.Input) error { return r.Add(&in, nil) })
	if err != nil {
		t.Fatal(err)
	}
	r.Finish()
	return r, failed
}

func ignore(xctrace.Input) error { return nil }

func TestExportsATableAtATime(t *testing.T) {
	tool, said := tool(t)
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	most := 0
	r := xctrace.NewRecording()
	failed, err := tool.Export(context.Background(), makeBundle(t, map[string]any{}), 0, func(in xctrace.Input) error {
		files, _ := filepath.Glob(filepath.Join(temporary, "*", "*"))
		most = max(most, len(files))
		return r.Add(&in, nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Finish()
	if len(r.Commands.Submissions) < 80 || len(r.GPU.Intervals) < 80 || r.Run == nil || len(failed) != 0 {
		t.Errorf("%d submissions, %d GPU intervals, failed %v", len(r.Commands.Submissions), len(r.GPU.Intervals), failed)
	}
	if most != 1 {
		t.Errorf("%d files at a time, want 1", most)
	}
	if !slices.ContainsFunc(*said, func(s string) bool { return strings.Contains(s, "metal-gpu-intervals") }) {
		t.Errorf("no progress was told: %q", *said)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("files were left behind: %v, %v", left, err)
	}
}

// xctrace sometimes dies of SIGTRAP or SIGSEGV in the middle of its output, directly or in a shell; or it exits with 0
// without having written the end. Another attempt often works. If none does, the complete rows of the last attempt are
// kept and reported as cut, and the other tables are there.
func TestExportSurvivesCrashes(t *testing.T) {
	for _, kind := range []string{"trap", "segv", "shell", "half"} {
		t.Run(kind+" twice", func(t *testing.T) {
			tool, said := tool(t)
			r, failed := exportAll(t, tool, makeBundle(t, map[string]any{
				"Faults": []map[string]any{{"Table": "metal-gpu-intervals", "Kind": kind, "Times": 2},
					{"Table": "toc", "Kind": kind, "Times": 1}},
			}))
			if len(failed) != 0 || len(r.Truncated()) != 0 || len(r.GPU.Intervals) < 80 {
				t.Errorf("failed %v, truncated %v, %d GPU intervals", failed, r.Truncated(), len(r.GPU.Intervals))
			}
			if !slices.ContainsFunc(*said, func(s string) bool { return strings.Contains(s, "attempt 3 of 3") }) {
				t.Errorf("the attempts were not told: %q", *said)
			}
		})
		t.Run(kind+" always", func(t *testing.T) {
			tool, _ := tool(t)
			r, failed := exportAll(t, tool, makeBundle(t, map[string]any{
				"Faults": []map[string]any{{"Table": "metal-gpu-intervals", "Kind": kind, "Times": 99}},
			}))
			if len(failed) != 1 || !failed[0].Kept || !strings.Contains(failed[0].Err.Error(), "(3 times)") {
				t.Errorf("failed %+v", failed)
			}
			if len(r.Truncated()) != 1 || len(r.GPU.Intervals) == 0 || len(r.Commands.Submissions) < 80 {
				t.Errorf("truncated %v, %d GPU intervals, %d submissions", r.Truncated(), len(r.GPU.Intervals),
					len(r.Commands.Submissions))
			}
		})
	}
}

// A failure that is no crash is not tried again, and the error has xctrace's message.
func TestExportErrors(t *testing.T) {
	tool, said := tool(t)
	_, failed := exportAll(t, tool, makeBundle(t, map[string]any{
		"Faults": []map[string]any{{"Table": "metal-command-buffer-completed", "Kind": "status", "Times": 99}},
	}))
	if len(failed) != 1 || !strings.Contains(failed[0].Err.Error(), "the table could not be read") {
		t.Errorf("failed %+v", failed)
	}
	if slices.ContainsFunc(*said, func(s string) bool { return strings.Contains(s, "attempt 2") }) {
		t.Error("tried again though it was no crash")
	}
	if _, err := tool.Export(context.Background(), filepath.Join(t.TempDir(), "no.trace"), 0, ignore); err == nil ||
		!strings.Contains(err.Error(), "does not exist") {
		t.Errorf("a bundle that is not there: %v", err)
	}
	if _, err := tool.Export(context.Background(), makeBundle(t, map[string]any{}), 7, ignore); err == nil ||
		!strings.Contains(err.Error(), "no run 7") {
		t.Errorf("a run that is not there: %v", err)
	}
}

func TestTrap31FindSaysWhatToInstall(t *testing.T) {
	t.Setenv("MTRACE_XCTRACE", "/nonexistent/xctrace")
	_, err := Find()
	if err == nil || !strings.Contains(err.Error(), "Command Line Tools alone") ||
		!strings.Contains(err.Error(), "xcode-select") {
		t.Errorf("error %v", err)
	}
}

func record(t *testing.T, plan string, command ...string) (string, []string, error) {
	t.Helper()
	tool, said := tool(t)
	t.Setenv("STANDIN_PLAN", plan)
	t.Setenv("DYLD_INSERT_LIBRARIES", "/lib/libmtrace.dylib")
	output := filepath.Join(t.TempDir(), "out.trace")
	var out bytes.Buffer
	err := tool.Record(context.Background(), Recording{Command: command, Output: output, Template: "Metal System Trace",
		Stdout: &out, Stderr: &out})
	return output, *said, err
}

const smallPlan = `{"Config": {"CommandBuffers": 60}}`

func TestTrap15And17ProgramByItsPathAndNoOtherInjection(t *testing.T) {
	output, _, err := record(t, smallPlan, "true", "a", "b c")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(output, "plan.json"))
	if err != nil {
		t.Fatal(err)
	}
	var made struct{ Launched, Environment []string }
	if err := json.Unmarshal(data, &made); err != nil {
		t.Fatal(err)
	}
	// The program by its absolute path, its arguments untouched, and nothing that
	// would inject a second library into it.
	if want, _ := exec.LookPath("true"); len(made.Launched) != 3 || made.Launched[0] != want || made.Launched[2] != "b c" {
		t.Errorf("launched %q", made.Launched)
	}
	if slices.Contains(made.Environment, "DYLD_INSERT_LIBRARIES") {
		t.Error("DYLD_INSERT_LIBRARIES was handed to xctrace")
	}
	settings, err := Settings(output)
	if err != nil || len(settings) != 2 || settings[1] != (Setting{"shaderprofiler", "false"}) {
		t.Errorf("settings %v, %v", settings, err)
	}
}

// A script is recorded as its interpreter with the script as an argument.
func TestRecordResolvesScripts(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "script")
	if err := os.WriteFile(script, []byte("#!/usr/bin/env sh\nexit 0\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	program, args, err := resolve([]string{script, "x"})
	sh, _ := exec.LookPath("sh")
	if err != nil || program != sh || len(args) != 2 || args[0] != script || args[1] != "x" {
		t.Errorf("resolved to %q %q, %v", program, args, err)
	}
	if _, _, err := resolve([]string{"no-such-program-here"}); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("error %v", err)
	}
	if _, _, err := resolve(nil); err == nil {
		t.Error("no program, no error")
	}
}

// xctrace record's status is not to be trusted either way: the bundle decides.
func TestRecordIsJudgedByTheBundle(t *testing.T) {
	if _, said, err := record(t, `{"Config": {"CommandBuffers": 60}, "Record": "status"}`, "true"); err != nil ||
		!slices.Contains(said, "xctrace ended with status 54, but the recording is complete") {
		t.Errorf("a good recording with a bad status: %v, %q", err, said)
	}
	if _, _, err := record(t, `{"Record": "nothing"}`, "true"); err == nil ||
		!strings.Contains(err.Error(), "created no ") {
		t.Errorf("no bundle with status 0: %v", err)
	}
	if _, _, err := record(t, `{"Record": "failed"}`, "true"); err == nil ||
		!strings.Contains(err.Error(), "no start date") {
		t.Errorf("a failed recording: %v", err)
	}
}

func TestRecordDoesNotOverwrite(t *testing.T) {
	tool, _ := tool(t)
	output := t.TempDir()
	err := tool.Record(context.Background(), Recording{Command: []string{"true"}, Output: output, Template: "x"})
	if err == nil || !strings.Contains(err.Error(), "does not overwrite") {
		t.Errorf("error %v", err)
	}
}

// The statuses people meet, explained.
func TestTrap16StatusesAreExplained(t *testing.T) {
	for _, c := range []struct {
		f    failure
		want string
	}{
		{failure{what: "record", code: 21, output: "Cannot find process for provided pid: 4"}, "launch the program instead"},
		{failure{what: "record", code: 2, output: "Failed to attach"}, "could not attach"},
		{failure{what: "record", code: 30}, "--template"},
		{failure{what: "export", code: 1, output: "xcode-select: error: tool 'xctrace' requires Xcode, but active " +
			"developer directory " +
			"'/Library/Developer/CommandLineTools' is a command line tools instance"}, "Command Line Tools"},
		{failure{what: "export", code: -1, signal: syscall.SIGTRAP}, "SIGTRAP"},
		{failure{what: "export", code: 5, output: "one\nlast words\n"}, "last words"},
	} {
		if got := c.f.Error(); !strings.Contains(got, c.want) {
			t.Errorf("%+v: %q, want %q in it", c.f, got, c.want)
		}
	}
}

// An interrupt of ours makes xctrace stop and save; it is passed on once.
func TestTrap31RecordStopsOnInterrupt(t *testing.T) {
	tool, said := tool(t)
	t.Setenv("STANDIN_PLAN", smallPlan)
	output := filepath.Join(t.TempDir(), "out.trace")
	started := &watcher{text: "Starting recording", seen: make(chan struct{})}
	go func() {
		<-started.seen
		time.Sleep(50 * time.Millisecond)
		syscall.Kill(os.Getpid(), syscall.SIGINT)
	}()
	begin := time.Now()
	err := tool.Record(context.Background(), Recording{Command: []string{"sleep", "600"}, Output: output,
		Template: "Metal System Trace", Stdout: started, Stderr: started})
	if err != nil {
		t.Fatal(err)
	}
	if time.Since(begin) > 5*time.Minute {
		t.Error("waited for the program, not for the interrupt")
	}
	if !slices.Contains(*said, "stopping the recording; xctrace saves it, which can take minutes") {
		t.Errorf("said %q", *said)
	}
	r, _ := exportAll(t, tool, output)
	s, err := summary.Of(r, summary.Filter{})
	if err != nil || s.GPU == nil || s.GPU.Own.Intervals != 60 {
		t.Errorf("the interrupted recording has no summary: %+v, %v", s, err)
	}
}

// watcher closes seen when a text was written to it.
type watcher struct {
	text string
	seen chan struct{}
	once sync.Once
	buf  bytes.Buffer
	lock sync.Mutex
}

func (w *watcher) Write(p []byte) (int, error) {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.buf.Write(p)
	if strings.Contains(w.buf.String(), w.text) {
		w.once.Do(func() { close(w.seen) })
	}
	return len(p), nil
}

// A time limit ends the recording, not the summary.
func TestRecordTimeLimit(t *testing.T) {
	tool, _ := tool(t)
	t.Setenv("STANDIN_PLAN", smallPlan)
	output := filepath.Join(t.TempDir(), "out.trace")
	var out bytes.Buffer
	begin := time.Now()
	err := tool.Record(context.Background(), Recording{Command: []string{"sleep", "600"}, Output: output,
		Template: "Metal System Trace", Limit: 200 * time.Millisecond, Stdout: &out, Stderr: &out})
	if err != nil || time.Since(begin) > 5*time.Minute {
		t.Errorf("%v after %v", err, time.Since(begin))
	}
}

func TestSettingsErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := Settings(filepath.Join(dir, "no.trace")); err == nil {
		t.Error("no file, no error")
	}
	for text, want := range map[string]string{"hello {": "not a property list",
		`<?xml version="1.0"?><plist version="1.0"><dict><key>a</key><true/></dict></plist>`: "NSKeyedArchiver"} {
		file := filepath.Join(dir, "form.template")
		os.WriteFile(file, []byte(text), 0o666)
		if _, err := Settings(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestBundlesNameNoPaths: no text in a bundle from elsewhere becomes a path. Only tables that mtrace knows are
// exported, into files named after them, and the template's file is read only if it is a regular file of a template's
// size.
func TestBundlesNameNoPaths(t *testing.T) {
	run := &xctrace.Run{Tables: []xctrace.TOCTable{{Schema: "../../../escape"}, {Schema: "/etc/passwd"},
		{Schema: "metal-gpu-intervals"}, {Schema: "..\x00"}}}
	if got := wanted(run); len(got) != 1 || got[0] != "metal-gpu-intervals" {
		t.Errorf("it exports %q", got)
	}
	for _, schema := range xctrace.ReadSchemas() {
		if strings.ContainsAny(schema, "/\\.\x00") {
			t.Errorf("%q is no name of a file", schema)
		}
	}
	for name, make := range map[string]func(string) error{
		"a pipe":  func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"endless": func(path string) error { return os.Symlink("/dev/zero", path) },
		"very large": func(path string) error {
			return errors.Join(os.WriteFile(path, []byte("bplist00"), 0o600), os.Truncate(path, 1<<40))
		},
		"another file": func(path string) error { return os.Symlink("/etc/passwd", path) },
	} {
		bundle := t.TempDir()
		if err := make(filepath.Join(bundle, "form.template")); err != nil {
			t.Fatal(err)
		}
		if found, err := Settings(bundle); err == nil || len(found) > 0 {
			t.Errorf("%s: %v, %v", name, found, err)
		}
	}
}
