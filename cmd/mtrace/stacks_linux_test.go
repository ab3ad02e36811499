package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/collector/tracefile"
	"mtrace/fixtures/validate"
)

// stacksProgram builds testdata/stacks.c.
func stacksProgram(t *testing.T, flags ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "stacks")
	command := append([]string{"-O1", "-g", "-Wall", "-Werror", "-fno-optimize-sibling-calls"}, flags...)
	if out, err := saidBy(exec.Command("gcc", append(command, "-o", program, "testdata/stacks.c", "-ldl",
		"-lpthread")...), commandLimit); err != nil {
		t.Fatalf("building the program: %v\n%s", err, out)
	}
	return program
}

// traceStacks runs a program with stacks and without, compares the outputs that a user sees, and loads the trace.
func traceStacks(t *testing.T, command ...string) *analyze.Trace {
	t.Helper()
	dir := t.TempDir()
	without := sh(t, dir, nil, tool.mtrace, append([]string{"run", "--no-report", "-o", "without.mtrace", "--"},
		command...)...)
	with := sh(t, dir, nil, tool.mtrace, append([]string{"run", "--stacks", "native", "--no-report", "-o", "t.mtrace",
		"--"}, command...)...)
	if with != without {
		t.Errorf("with stacks %+v, without %+v", with, without)
	}
	if plain := loadStacks(t, filepath.Join(dir, "without.mtrace")); len(plain.Stacks) > 0 ||
		plain.Recording.Stacks != (analyze.Capture{}) {
		t.Errorf("without --stacks: %d stacks, %+v", len(plain.Stacks), plain.Recording.Stacks)
	}
	return loadStacks(t, filepath.Join(dir, "t.mtrace"))
}

// loadStacks loads a trace that must be as a trace must be.
func loadStacks(t *testing.T, path string) *analyze.Trace {
	t.Helper()
	r, err := tracefile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	problems, err := validate.Trace(r)
	if err != nil || len(problems) > 0 {
		t.Errorf("%v\n%s", err, strings.Join(problems, "\n"))
	}
	trace, err := analyze.Load(path, analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// entry is the function at which the system starts a program, the outermost of the main thread where tables for
// unwinding tell how to get there. It has no source lines.
const entry = "_start"

// functions are the frames of a stack that are in the program's own file, without entry, and "…" when it was cut.
func functions(s *analyze.Stack, image string) string {
	if s == nil {
		return "none"
	}
	var names []string
	for _, f := range s.Frames {
		if (f.Image == nil || f.Image.Path == image) && f.Name != entry {
			names = append(names, f.Name)
		}
	}
	if s.Cut {
		names = append(names, "…")
	}
	return strings.Join(names, " ")
}

// The stacks of a program's calls are the functions that made them: all of them where there are frame pointers, or on
// x86-64 tables for unwinding, and the stack is the thread's own; the caller alone where it is not; and never anything
// else. The program is not disturbed.
func TestNativeStacks(t *testing.T) {
	t.Parallel()
	checkStacks(t, stacksProgram(t, "-fno-omit-frame-pointer"))
}

// Code without frame pointers, as it is compiled for Linux unless one asks for them, had stacks of one function.
func TestStacksByUnwindTables(t *testing.T) {
	t.Parallel()
	if runtime.GOARCH != "amd64" {
		t.Skip("compilers keep frame pointers on this processor")
	}
	checkStacks(t, stacksProgram(t, "-O2", "-fomit-frame-pointer"))
}

func checkStacks(t *testing.T, framed string) {
	for _, c := range []struct {
		which        string
		commit, wait []string // without repetitions, in order
	}{
		{"plain", []string{"submit step train run main"}, []string{"drain step train run main"}},
		{"threads", []string{"submit step first", "submit second"}, []string{"drain step first", "drain second"}},
		{"small", []string{"submit step first"}, []string{"drain step first"}},
		{"aligned", []string{"submit step aligned run main"}, []string{"drain step aligned run main"}},
		{"deep", []string{"submit step" + strings.Repeat(" deep", 62) + " …"},
			[]string{"drain step" + strings.Repeat(" deep", 62) + " …"}},
		{"coroutine", []string{"submit …", "submit step run main"}, []string{"drain …", "drain step run main"}},
		{"signal", []string{"submit step run main", "submit …"}, []string{"drain step run main", "drain …"}},
		{"killed", []string{"submit step run main"}, []string{"drain step run main"}},
	} {
		t.Run(c.which, func(t *testing.T) {
			trace := traceStacks(t, framed, c.which)
			var commits, waits []string
			for b := range trace.Buffers() {
				at := functions(b.Committed.Stack, framed)
				commits = append(commits, at)
				if made := functions(b.Created.Stack, framed); made != at {
					t.Errorf("made in %q and committed in %q", made, at)
				}
				for _, e := range b.Encoders {
					if made := functions(e.Created.Stack, framed); made != at {
						t.Errorf("an encoder made in %q", made)
					}
				}
			}
			for _, w := range trace.Waits {
				waits = append(waits, functions(w.Stack, framed))
				if w.Interpreter != analyze.InterpreterNotKnown {
					t.Error("the lock of an interpreter, in a program that has none")
				}
			}
			commits, waits = slices.Compact(commits), slices.Compact(waits)
			if !slices.Equal(commits, c.commit) {
				t.Errorf("committed in %q, want %q", commits, c.commit)
			}
			if !slices.Equal(waits, c.wait) {
				t.Errorf("waited in %q, want %q", waits, c.wait)
			}
			checkLines(t, trace, framed)
			if trace.Recording.Stacks.Undefined != 0 || trace.Recording.Stacks.Took <= 0 {
				t.Errorf("%+v", trace.Recording.Stacks)
			}
		})
	}
}

// checkLines checks that each frame of the program is on a source line that calls the next frame's function by name.
func checkLines(t *testing.T, trace *analyze.Trace, program string) {
	t.Helper()
	text, err := os.ReadFile("testdata/stacks.c")
	if err != nil {
		t.Fatal(err)
	}
	lines, checked := strings.Split(string(text), "\n"), 0
	for _, s := range trace.Stacks {
		for i, f := range s.Frames {
			if f.Image == nil || f.Image.Path != program || f.Name == entry {
				continue
			}
			if filepath.Base(f.File) != "stacks.c" || f.Line < 1 || f.Line > len(lines) {
				t.Fatalf("%s is at %s:%d", f.Name, f.File, f.Line)
			}
			if i > 0 && s.Frames[i-1].Image == f.Image {
				if inner := s.Frames[i-1].Name; !strings.Contains(lines[f.Line-1], inner+"(") {
					t.Errorf("%s calls %s at line %d: %s", f.Name, inner, f.Line, lines[f.Line-1])
				}
				checked++
			}
		}
	}
	if checked == 0 && len(trace.Stacks) > 0 && strings.Contains(functions(trace.Stacks[0], program), " ") {
		t.Error("no line was checked")
	}
}

// Stacks matter most where a program hangs: the stack is written when the wait begins.
func TestStackOfHungWait(t *testing.T) {
	program := stacksProgram(t, "-fno-omit-frame-pointer")
	trace := traceStacks(t, program, "hung")
	for _, u := range trace.Unfinished {
		if u.Selector == "waitUntilSignaledValue:timeoutMS:" {
			if got := functions(u.Stack, program); got != "wait_for_ever" {
				t.Errorf("it hangs in %q", got)
			}
			return
		}
	}
	t.Errorf("no wait is unfinished: %+v", trace.Unfinished)
}

// Code without frame pointers and without tables for unwinding has short stacks, and the other values in its registers
// do no harm.
func TestStacksWithoutFramePointers(t *testing.T) {
	program := stacksProgram(t, "-O2", "-fomit-frame-pointer", "-fno-asynchronous-unwind-tables")
	for _, which := range []string{"plain", "threads", "deep", "coroutine", "signal"} {
		trace := traceStacks(t, program, which)
		for b := range trace.Buffers() {
			if got := functions(b.Committed.Stack, program); !strings.HasPrefix(got, "submit") {
				t.Errorf("%s: committed in %q", which, got)
			}
		}
	}
}

// Python's frames are in the place of the interpreter's own frames, after the frames of the library through which it
// calls Metal.
func TestPythonStacks(t *testing.T) {
	dir := t.TempDir()
	o := sh(t, dir, nil, tool.mtrace, "run", "--stacks", "native,python", "--no-report", "-o", "t.mtrace", "--",
		"python3", workload(t), "--threads", "2", "--iters", "5", "--op", "axpy", "--size", "4096")
	if o.exit != 0 || o.stderr != "" {
		t.Fatalf("%+v", o)
	}
	trace := loadStacks(t, filepath.Join(dir, "t.mtrace"))
	for b := range trace.Buffers() {
		s := b.Committed.Stack
		if s == nil {
			t.Fatal("a commit without a stack")
		}
		var python []string
		native := 0
		for _, f := range s.Frames {
			if f.Python {
				python = append(python, f.Name+" "+filepath.Base(f.File))
				if f.Line == 0 {
					t.Errorf("%s is on no line", f.Name)
				}
			} else if len(python) == 0 {
				native++
			}
		}
		if native == 0 || len(python) < 3 || !strings.HasSuffix(python[0], "Objc.__call__ workload.py") &&
			python[0] != "__call__ workload.py" {
			t.Errorf("%d native frames, then %q", native, python)
		}
	}
	if len(trace.CommandBuffers) == 0 || len(trace.Waits) == 0 {
		t.Fatal("nothing was traced")
	}
	for _, w := range trace.Waits {
		// ctypes gives the lock away around each call.
		if w.Interpreter != analyze.InterpreterFree {
			t.Errorf("the GIL was %v", w.Interpreter)
		}
	}
}

func TestStacksFlag(t *testing.T) {
	for value, want := range map[string]string{"java": "--stacks must be off, native, python",
		"off,native": "cannot be combined with other kinds"} {
		o := sh(t, t.TempDir(), nil, tool.mtrace, "run", "--stacks", value, "--", "true")
		if o.exit != 2 || !strings.Contains(o.stderr, want) || strings.Count(o.stderr, "\n") != 1 {
			t.Errorf("--stacks %s: %+v", value, o)
		}
	}
}

// Native stacks of code without frame pointers and tables lack functions; the report names such code, and how to
// compile it. Code with either is not mentioned.
func TestMissingFramePointersAreReported(t *testing.T) {
	t.Parallel()
	for flag, warned := range map[string]bool{"-fno-omit-frame-pointer": false, "-fomit-frame-pointer": true} {
		dir := t.TempDir()
		program := stacksProgram(t, "-O2", "-fno-asynchronous-unwind-tables", flag)
		got := sh(t, dir, nil, tool.mtrace, "run", "--stacks", "native", "--no-report", "-o", "t.mtrace", "--", program,
			"plain")
		text := strings.Join(strings.Fields(sh(t, dir, nil, tool.mtrace, "report", "t.mtrace").stdout), " ")
		const warning = "of the calls end in stacks, which has no frame pointers: functions and operations outside of it " +
			"are missing; compile it with -fno-omit-frame-pointer"
		if got.stdout != "10 0\n" || strings.Contains(text, warning) != warned {
			t.Errorf("%s: warned: %v, want %v\n%+v\n%s", flag, !warned, warned, got, text)
		}
	}
}
