package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/cmd/mtrace/internal/doctor"
)

var selfTestProgram = sync.OnceValue(func() error {
	out, err := saidBy(exec.Command("cc", "-O2", "-fno-omit-frame-pointer", "-o",
		filepath.Join(tool.dir, "mtrace-selftest"), "../../interpose/selftest/selftest.c", "-ldl", "-lpthread"), commandLimit)
	if err != nil && len(out) > 0 {
		os.Stderr.Write(out)
	}
	return err
})

func buildSelfTest(t *testing.T) {
	t.Helper()
	if err := selfTestProgram(); err != nil {
		t.Fatal(err)
	}
}

// examine runs `mtrace doctor --json` of a build and decodes its output.
func examine(t *testing.T, env []string, args ...string) (doctor.Report, outcome) {
	t.Helper()
	buildSelfTest(t)
	o := sh(t, t.TempDir(), env, tool.mtrace, append([]string{"doctor", "--json"}, args...)...)
	var report doctor.Report
	if err := json.Unmarshal([]byte(o.stdout), &report); err != nil {
		t.Fatalf("%v\n%s%s", err, o.stdout, o.stderr)
	}
	return report, o
}

func find(t *testing.T, r doctor.Report, id string) doctor.Check {
	t.Helper()
	for _, c := range r.Checks {
		if c.ID == id {
			return c
		}
	}
	t.Fatalf("no check %q in %+v", id, r.Checks)
	return doctor.Check{}
}

// TestDoctor runs the self-test for real: every call of the bundled program
// must be seen once, with GPU times, on this machine's Metal.
func TestDoctor(t *testing.T) {
	report, o := examine(t, nil)
	if o.exit != 0 || !report.Can || report.Schema != doctor.Schema {
		t.Errorf("exit status %d, %q\n%s", o.exit, report.Schema, o.stdout)
	}
	for _, id := range []string{"library", "self-test", "gpu-clock", "paths"} {
		if c := find(t, report, id); c.Status != doctor.OK {
			t.Errorf("%s: %s: %s %s", id, c.Status, c.Text, strings.Join(c.Details, "; "))
		}
	}
	table := find(t, report, "classes")
	text, _ := json.Marshal(table.Data)
	for _, role := range []string{"device", "queue", "command_buffer", "compute_encoder", "pipeline"} {
		if !strings.Contains(string(text), `"role":"`+role+`"`) {
			t.Errorf("the class table lacks %s: %s", role, text)
		}
	}
}

func TestDoctorOnCommands(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here")
	}
	cases := []struct {
		name   string
		args   []string
		exit   int
		status doctor.Status
		says   string
	}{
		{"can be traced", []string{"--no-self-test", "--", shell, "-c", "true"}, 0, doctor.OK, "can be traced"},
		{"not found", []string{"--no-self-test", "--", "no-such-program"}, 1, doctor.Fail, "not found in PATH"},
		{"static", []string{"--no-self-test", "--", tool.mtrace}, 0, doctor.Warn, "linked statically"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "static" && cli.LibraryName() != "libmtrace.so" {
				t.Skip("static programs exist on Linux only")
			}
			if c.name == "static" {
				static := filepath.Join(t.TempDir(), "static")
				build := exec.Command("go", "build", "-o", static, "mtrace/interpose/darwin/universal")
				build.Env = append(os.Environ(), "CGO_ENABLED=0")
				if out, err := saidBy(build, commandLimit); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				c.args[len(c.args)-1] = static
			}
			report, o := examine(t, nil, c.args...)
			got := find(t, report, "command")
			if o.exit != c.exit || got.Status != c.status || !strings.Contains(got.Text, c.says) {
				t.Errorf("exit status %d, %s: %q; want %d, %s with %q", o.exit, got.Status, got.Text, c.exit, c.status, c.says)
			}
			if skipped := find(t, report, "self-test"); skipped.Status != doctor.Skipped {
				t.Errorf("%+v", skipped)
			}
		})
	}
}

// TestDoctorFindsABrokenLibrary: a library that cannot be loaded is a no, in one
// line, and nothing is run with it.
func TestDoctorFindsABrokenLibrary(t *testing.T) {
	broken := filepath.Join(t.TempDir(), cli.LibraryName())
	if err := os.WriteFile(broken, []byte("not a library"), 0o755); err != nil {
		t.Fatal(err)
	}
	report, o := examine(t, []string{"MTRACE_LIBRARY=" + broken})
	if c := find(t, report, "library"); o.exit != 1 || c.Status != doctor.Fail || c.Advice == "" {
		t.Errorf("exit status %d, %+v", o.exit, c)
	}
	if c := find(t, report, "self-test"); c.Status == doctor.OK {
		t.Errorf("the self-test passes with a broken library: %+v", c)
	}
}

func TestDoctorText(t *testing.T) {
	o := sh(t, t.TempDir(), []string{"NO_COLOR=1"}, tool.mtrace, "doctor", "--no-self-test")
	if o.exit != 0 || o.stderr != "" || !strings.Contains(o.stdout, "This machine can trace.") ||
		strings.Contains(o.stdout, "\x1b") {
		t.Errorf("exit status %d\n%s%s", o.exit, o.stdout, o.stderr)
	}
	if o := sh(t, t.TempDir(), nil, tool.mtrace, "doctor", "--nonsense"); o.exit != 2 ||
		strings.Count(o.stderr, "\n") != 1 {
		t.Errorf("exit status %d, %q", o.exit, o.stderr)
	}
}
