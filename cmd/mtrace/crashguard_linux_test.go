package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mtrace/collector/tracefile"
)

// TestCrashGuard: a program that crashes inside a replaced method, and only there, runs without replaced methods from
// then on. A program that crashes elsewhere is traced again. It is reported each time; another version of the tracer,
// or the user's request, starts over.
func TestCrashGuard(t *testing.T) {
	t.Parallel()
	needTruth(t)
	script, err := filepath.Abs("testdata/crash.py")
	if err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	run := func(env []string, mode string, flags ...string) outcome {
		flags = append([]string{"run", "--no-report", "-o", filepath.Join(t.TempDir(), "t.mtrace")}, flags...)
		return sh(t, cache, append(env, "XDG_CACHE_HOME="+cache), tool.mtrace, append(flags, "--", "python3", script,
			mode)...)
	}
	const crashed = 128 + int(syscall.SIGSEGV)
	for i, step := range []struct {
		mode  string
		flags []string
		exit  int
		out   string
		says  []string
	}{
		{"hooked", nil, crashed, "", []string{"SIGSEGV inside fillBuffer:range:value:",
			"next run of this command replaces no methods"}},
		{"hooked", nil, 0, "not hooked\n", []string{"the last traced run of this command crashed with SIGSEGV inside " +
			"fillBuffer:range:value:", "the tracer is probably the cause"}},
		{"hooked", nil, 0, "not hooked\n", []string{"the tracer is probably the cause"}},
		{"hooked", []string{"--crash-guard=false"}, crashed, "", nil},
		{"hooked", []string{"--skip-class", "SMG1FamilyBlitContext"}, 0, "not hooked\n", nil},
		{"always", nil, crashed, "", []string{"next run of this command"}},
		{"always", nil, crashed, "", []string{"the tracer is not the cause"}},
		{"always", nil, crashed, "", nil},
		{"always", nil, crashed, "", nil},
	} {
		got := run(nil, step.mode, step.flags...)
		if got.exit != step.exit || got.stdout != step.out {
			t.Errorf("step %d: exit status %d, %q\n%s", i, got.exit, got.stdout, got.stderr)
		}
		for _, text := range step.says {
			if !strings.Contains(got.stderr, text) {
				t.Errorf("step %d does not say %q:\n%s", i, text, got.stderr)
			}
		}
		if step.says == nil && strings.Contains(got.stderr, "replaced") {
			t.Errorf("step %d says\n%s", i, got.stderr)
		}
	}
	notes, _ := filepath.Glob(filepath.Join(cache, "mtrace", "crashes", "*.json"))
	if len(notes) != 2 {
		t.Fatalf("notes of two commands: %v", notes)
	}
	for _, note := range notes { // of an older tracer
		content, err := os.ReadFile(note)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(note, []byte(strings.Replace(string(content), `"tracer":"`, `"tracer":"older `, 1)),
			0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := run(nil, "hooked"); got.exit != crashed {
		t.Errorf("after an older tracer's note: exit status %d, %q", got.exit, got.stderr)
	}
}

// TestTraceHasTheProgramsEnd: the trace has the program's exit status and processor time. It had neither: Go forgets
// the process id of a child that was waited for, and the collector was notified of the end of process -1.
func TestTraceHasTheProgramsEnd(t *testing.T) {
	needTruth(t)
	script, err := filepath.Abs("testdata/crash.py")
	if err != nil {
		t.Fatal(err)
	}
	trace := filepath.Join(t.TempDir(), "t.mtrace")
	sh(t, t.TempDir(), nil, tool.mtrace, "run", "--no-report", "--crash-guard=false", "-o", trace, "--", "python3",
		script, "always")
	r, err := tracefile.Open(trace)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, p := range r.Processes() {
		if p.End != nil && p.End.ExitKnown && p.End.Signal == int(syscall.SIGSEGV) && p.End.CPU > 0 {
			return
		}
	}
	t.Error("no process ended by SIGSEGV, with a processor time")
}

// TestSkipClassRefusesBadNames: a name that can be no class's is a mistake.
func TestSkipClassRefusesBadNames(t *testing.T) {
	for _, name := range []string{"MTL Debug", "*x", "a/b", strings.Repeat("x", 2048)} {
		if got := sh(t, t.TempDir(), nil, tool.mtrace, "run", "--skip-class", name, "--", "true"); got.exit != 2 ||
			strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%.20q: exit status %d, %q", name, got.exit, got.stderr)
		}
	}
}
