package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A python is an interpreter that is installed here.
type python struct{ version, path string }

// pythons finds a CPython of each version from 3.9 on, by the names they have in the PATH and where pyenv keeps them.
func pythons(t testing.TB) []python {
	t.Helper()
	home, _ := os.UserHomeDir()
	var found []python
	seen := map[string]bool{}
	for minor := 9; minor <= 14; minor++ {
		version := fmt.Sprintf("3.%d", minor)
		candidates, _ := filepath.Glob(filepath.Join(home, ".pyenv/versions", version+".*/bin/python3"))
		candidates = append(candidates, "python"+version, "/usr/bin/python3")
		for _, c := range candidates {
			const ask = "import os, sys; print('%d.%d' % sys.version_info[:2], sys.implementation.name, " +
				"os.path.realpath(sys.executable))"
			out, err := exec.Command(c, "-c", ask).Output() // a shim of pyenv's for a version that is not chosen fails here
			p := strings.Fields(string(out))
			if err != nil || len(p) != 3 || p[0] != version || p[1] != "cpython" || seen[p[2]] {
				continue
			}
			seen[p[2]] = true
			found = append(found, python{version, p[2]})
		}
	}
	if len(found) == 0 {
		t.Skip("no CPython of 3.9 or later is installed")
	}
	return found
}

func (p python) String() string { return p.version + strings.ReplaceAll(p.path, "/", "_") }

// The C files under test, without the rest of the library.
var pythonSources = []string{"stacks/python.c", "stacks/python_layout.c", "stacks/python_lines.c",
	"stacks/python_text.c", "core/text.c", "core/utf8.c"}

func pythonLibrary(t testing.TB, name string, flags ...string) string {
	t.Helper()
	command := append([]string{"gcc", "-std=gnu11", "-D_GNU_SOURCE", "-O2", "-g", "-Wall", "-Wextra", "-Werror",
		"-Wno-unused-parameter", "-fvisibility=hidden"}, flags...)
	command = append(append(command, "-fPIC", "-shared", "-o", "OUT", "testdata/pyframes.c"), pythonSources...)
	return build(t, name, append(command, "-lpthread", "-ldl")...)
}

// A sight is the recorded stack of one situation of testdata/pyframes.py, and Python's own.
type sight struct {
	Situation string
	Count     int
	Got, Want []any
}

func sights(t *testing.T, cmd *exec.Cmd) (all []sight) {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, stderr.Bytes())
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var s sight
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatalf("%v: %v", cmd.Args, err)
		}
		all = append(all, s)
	}
	return all
}

// lineOf is the number of the line of testdata/pyframes.py that ends in "# at NAME".
func lineOf(t *testing.T, name string) float64 {
	t.Helper()
	text, err := os.ReadFile("testdata/pyframes.py")
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(text), "\n") {
		if strings.HasSuffix(line, "# at "+name) {
			return float64(i + 1)
		}
	}
	t.Fatalf("no line of testdata/pyframes.py is at %s", name)
	return 0
}

// Every frame of every situation equals Python's own report in name, file and line. Frames with a line known from the
// source are also compared with that line. The GIL is held in calls that ctypes makes without releasing it, and in no
// others.
func TestPythonFrames(t *testing.T) {
	library := pythonLibrary(t, "pyframes.so")
	for _, p := range pythons(t) {
		t.Run(p.String(), func(t *testing.T) {
			seen := map[string]sight{}
			for _, s := range sights(t, exec.Command(p.path, "testdata/pyframes.py", library)) {
				seen[s.Situation] = s
				if s.Situation == "lock" || s.Situation == "reused code" {
					continue
				}
				if s.Count != len(s.Want) || !reflect.DeepEqual(s.Got, s.Want) {
					t.Errorf("%s: saw %d frames\n got %v\nwant %v", s.Situation, s.Count, s.Got, s.Want)
				}
			}
			for _, situation := range []string{"module", "holding the lock", "recursion", "list comprehension",
				"dict comprehension", "generator expression", "generator",
				"yield from", "coroutine", "except", "finally", "with", "called back", "after the call back", "key",
				"a thread of C", "latin-1", "two bytes a character",
				"four bytes a character", "far lines", "thread"} {
				if seen[situation].Count == 0 {
					t.Errorf("%s: not seen", situation)
				}
			}
			if s, wrong := seen["reused code"]; wrong {
				t.Errorf("a code object in the place of another: got %q, want %q", s.Got, s.Want)
			}
			if s := seen["lock"]; s.Count != 10 {
				t.Errorf("the lock is held: 10 for PyDLL and 1 for CDLL add up to %d, not to 10", s.Count)
			}
			qualified := p.version != "3.9" && p.version != "3.10"
			name := func(short, long string) string {
				if qualified {
					return long
				}
				return short
			}
			for at, want := range map[string][]any{
				"plain": {"plain", lineOf(t, "plain")},
				"nested": {name("inner", "Shape.area.<locals>.inner"), lineOf(t, "inner"), name("area", "Shape.area"),
					lineOf(t, "area")},
				"lambda": {name("<lambda>", "Shape.fixed.<locals>.<lambda>"), lineOf(t, "lambda"), name("fixed", "Shape.fixed"),
					lineOf(t, "lambda")},
			} {
				var got []any
				for _, frame := range seen[at].Got {
					f := frame.([]any)
					got = append(got, f[0], f[2])
				}
				if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
					t.Errorf("%s: got %v, want %v", at, got, want)
				}
			}
		})
	}
}

// The same with the address sanitizer, which knows each of Python's objects when Python takes its memory from malloc:
// nothing is read that does not belong to a living one.
func TestPythonFramesReadOnlyObjects(t *testing.T) {
	if testing.Short() {
		t.Skip("one instrumented run for each Python")
	}
	const flags = "-fsanitize=address,undefined"
	library := pythonLibrary(t, "pyframes-sanitized.so", flags, "-fno-sanitize-recover=all")
	var runtimes []string
	for _, name := range []string{"libasan.so", "libubsan.so"} {
		path, err := exec.Command("gcc", "-print-file-name="+name).Output()
		if err != nil {
			t.Fatal(err)
		}
		runtimes = append(runtimes, strings.TrimSpace(string(path)))
	}
	for _, p := range pythons(t) {
		t.Run(p.String(), func(t *testing.T) {
			cmd := exec.Command(p.path, "testdata/pyframes.py", library)
			cmd.Env = append(os.Environ(), "PYTHONMALLOC=malloc", "ASAN_OPTIONS=detect_leaks=0",
				"LD_PRELOAD="+strings.Join(runtimes, ":"))
			if n := len(sights(t, cmd)); n < 40 {
				t.Errorf("%d situations", n)
			}
		})
	}
}

// Daemon threads are still in C when Python ends, and it frees their states and frames. Four threads that only capture
// stacks must not be affected: every run ends as it would without them.
func TestPythonFramesWhileItEnds(t *testing.T) {
	library := pythonLibrary(t, "pyframes.so")
	const program = `
import ctypes, sys, threading, time
library = ctypes.CDLL(sys.argv[1])
def deep(n): return deep(n - 1) if n else library.forever()
for _ in range(4): threading.Thread(target=deep, args=(20,), daemon=True).start()
time.sleep(0.01)
`
	for _, p := range pythons(t) {
		for range 3 {
			if out, err := exec.Command(p.path, "-c", program, library).CombinedOutput(); err != nil || len(out) > 0 {
				t.Fatalf("%v: %v\n%s", p, err, out)
			}
		}
	}
}

// With subinterpreters a thread has several states, and before 3.12 it is unknown which of them holds the GIL: then the
// trace leaves that open.
func TestPythonSubinterpreters(t *testing.T) {
	library := pythonLibrary(t, "pyframes.so")
	const program = `
import ctypes, sys
try: import _xxsubinterpreters as interpreters
except ImportError: import _interpreters as interpreters
library, holding = ctypes.CDLL(sys.argv[1]), ctypes.PyDLL(sys.argv[1])
library.capture.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
other = interpreters.create()
interpreters.run_string(other, "x = 1")
text = ctypes.create_string_buffer(4096)
def f(): return library.capture(text, 4096, 8)
print(f(), text.value.decode().split("\t")[0], holding.held(), library.held())
interpreters.destroy(other) # 3.14 warns of those that are left
`
	for _, p := range pythons(t) {
		out, err := exec.Command(p.path, "-c", program, library).CombinedOutput()
		want := "2 f 1 0\n"
		if slices.Contains([]string{"3.9", "3.10", "3.11"}, p.version) {
			want = "2 f 1 -1\n"
		}
		if err != nil || string(out) != want {
			t.Errorf("%v: %v\n got %swant %s", p, err, out, want)
		}
	}
}

// A Python of a version that is not known has no frames, and why is reported; a process without one has neither.
func TestPythonUnknown(t *testing.T) {
	library := pythonLibrary(t, "pyframes.so")
	home, _ := os.UserHomeDir()
	old, _ := filepath.Glob(filepath.Join(home, ".pyenv/versions/3.8.*/bin/python3"))
	if len(old) == 0 {
		t.Skip("no Python 3.8 is installed")
	}
	const program = `
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
library.unknown.restype = ctypes.c_char_p
print(library.capture(None, 0, 8), library.held(), library.unknown().decode())
`
	out, err := exec.Command(old[0], "-c", program, library).CombinedOutput()
	if want := "0 -1 no frames and no locks of Python 3.8."; err != nil || !strings.HasPrefix(string(out), want) {
		t.Errorf("%v\n got %s\nwant %s…", err, out, want)
	}
}

// CPython 3.13 and 3.14 contain a description of their own layout. Wrong descriptions are tested on objects made by
// hand.
func TestPythonDescription(t *testing.T) {
	library := pythonLibrary(t, "pyframes.so")
	fake := build(t, "python_fake", "gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-rdynamic", "-o", "OUT",
		"testdata/python_fake.c", "-ldl")
	const f11, f74, wide = "Outer.f\t/a/file.py\t11\n", "Outer.f\t/a/file.py\t74\n", "計算x\t/a/file.py\t47\n"
	unknown := func(why string) string {
		return "0 frames, lock -1, unknown \"no frames and no locks of Python " + why + "\"\n"
	}
	for how, want := range map[string]string{
		"good":            "3 frames, lock 1, unknown \"\"\n" + f11 + f74 + wide,
		"not-holding":     "3 frames, lock 0, unknown \"\"\n" + f11 + f74 + wide,
		"no-thread":       "0 frames, lock 0, unknown \"\"\n",
		"not-initialized": "0 frames, lock 1, unknown \"\"\n",
		"finalizing":      "0 frames, lock 1, unknown \"\"\n",
		"not-code":        "1 frames, lock 1, unknown \"\"\n" + wide,
		"ring":            "4 frames, lock 1, unknown \"\"\n" + f11 + f74 + wide + f11,
		"shims":           "2 frames, lock 1, unknown \"\"\n" + f11 + f74,
		"outside":         "3 frames, lock 1, unknown \"\"\nOuter.f\t/a/file.py\t10\n" + f74 + wide,
		"cookie":          unknown("3.14.0: its _Py_DebugOffsets are not those of its version"),
		"other-version":   unknown("3.14.0: its _Py_DebugOffsets are not those of its version"),
		"free-threaded":   unknown("3.14.0: it is a build without the GIL"),
		"absurd":          unknown("3.14.0: its _Py_DebugOffsets contain impossible offsets"),
		"unaligned":       unknown("3.14.0: its _Py_DebugOffsets contain impossible offsets"),
		"objects":         unknown("3.14.0: the layout of its objects is unknown"),
		"types":           unknown("3.14.0: the layout of its objects is unknown"),
		"alpha":           unknown("3.14.0a7+: it is not a released version"),
		"later":           unknown("3.15.0: its version is not one of 3.9 to 3.14"),
		"four":            unknown("4.14.0: its version is not one of 3.9 to 3.14"),
		"garbage":         unknown("?: its version is not one of 3.9 to 3.14"),
	} {
		out, err := exec.Command(fake, library, how).CombinedOutput()
		if got := string(out); err != nil || got != want+want {
			t.Errorf("%s: %v\n got %q\nwant %q, twice", how, err, got, want)
		}
	}
}

// The table of offsets agrees with the headers of the Pythons that are installed.
func TestPythonLayout(t *testing.T) {
	for _, p := range pythons(t) {
		t.Run(p.String(), func(t *testing.T) {
			include, err := exec.Command(p.path, "-c", "import sysconfig; print(sysconfig.get_path('include'))").Output()
			if err != nil {
				t.Fatal(err)
			}
			dir := strings.TrimSpace(string(include))
			if _, err := os.Stat(filepath.Join(dir, "internal/pycore_runtime.h")); err != nil {
				t.Skip("its headers are not installed")
			}
			program := build(t, "python_layout_"+p.String(), "gcc", "-w", "-I", dir, "-I", dir+"/internal", "-I",
				filepath.Dir(dir), "-o", "OUT", "testdata/python_layout.c", "stacks/python_layout.c")
			if out, err := exec.Command(program).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			} else {
				t.Logf("%s", out)
			}
		})
	}
}

// BenchmarkPythonFrames measures a capture of 10 frames once they are known, and the test whether the GIL is held,
// which every wait makes. Both in nanoseconds.
func BenchmarkPythonFrames(b *testing.B) {
	library := pythonLibrary(b, "pyframes.so")
	const program = `
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
library.cost.restype = library.lock_cost.restype = ctypes.c_double
def deep(n): return deep(n - 1) if n else (library.cost(200000, 10), library.lock_cost(1000000))
print(*deep(12))
`
	for _, p := range pythons(b) {
		b.Run(p.String(), func(b *testing.B) {
			var capture, lock []float64
			for range max(b.N, 5) {
				out, err := exec.Command(p.path, "-c", program, library).Output()
				var c, l float64
				if _, scan := fmt.Sscan(string(out), &c, &l); err != nil || scan != nil {
					b.Fatal(err, scan)
				}
				capture, lock = append(capture, c), append(lock, l)
			}
			b.ReportMetric(median(capture), "ns/10frames")
			b.ReportMetric(median(lock), "ns/lock")
			b.ReportMetric(0, "ns/op")
		})
	}
}
