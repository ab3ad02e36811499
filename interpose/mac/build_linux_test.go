package mac

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"mtrace/fixtures/testcache"
)

// The library's folder, in which all is compiled, and the folders of this test from there.
const (
	library = ".."
	fakes   = "mac/testdata/fakes"
	include = "mac/testdata/include"
)

// A variant is one way to compile everything.
type variant struct {
	name, compiler string
	flags          []string
	env            []string // of the programs
}

// variants are plain code, whose lines are counted, and sanitized code. Clang, which a bare machine has not, makes
// plain code only: its sanitizers are linked into the program, where they have the names that bind.c must have.
func variants() []variant {
	all := []variant{{"plain", "gcc", []string{"-O0", "--coverage"}, nil}}
	for _, sanitizer := range []string{"address,undefined", "thread"} {
		all = append(all, variant{sanitizer, "gcc", []string{"-O1", "-fsanitize=" + sanitizer, "-fno-sanitize-recover=all"},
			[]string{"ASAN_OPTIONS=detect_leaks=0", "UBSAN_OPTIONS=print_stacktrace=1",
				"TSAN_OPTIONS=halt_on_error=1:atexit_sleep_ms=50"}})
	}
	if _, err := exec.LookPath("clang"); err == nil {
		all = append(all, variant{"clang", "clang", []string{"-O2"}, nil})
	}
	return all
}

// command compiles a file, or links a program, as for a Mac. There, fences that the thread sanitizer does not know are
// known to be right.
func (v variant) command(args ...string) *exec.Cmd {
	command := append([]string{"-std=gnu11", "-g", "-fno-omit-frame-pointer", "-Wall", "-Wextra", "-Werror",
		"-Wno-unused-parameter",
		"-D_GNU_SOURCE", "-DMTRACE_SMALL", "-D__APPLE__", "-U__linux__", "-I" + include, "-I."}, v.flags...)
	if v.compiler == "gcc" {
		command = append(command, "-Wno-tsan")
	}
	cmd := exec.Command(v.compiler, append(command, args...)...)
	cmd.Dir = library
	return cmd
}

// A built variant is its objects in a folder, to which programs are linked.
type built struct {
	variant
	folder  string
	objects []string
	shapes  string // Metal's classes: ../testdata/shapes.m
}

// foreign compiles code for GCC's Objective-C runtime, with that runtime's compiler.
func (v variant) foreign(path string, args ...string) *exec.Cmd {
	flags := v.flags
	if v.compiler != "gcc" {
		flags = nil
	}
	cmd := exec.Command("gcc", slices.Concat([]string{"-g", "-std=gnu11", "-w", "-o", path}, flags, args)...)
	cmd.Dir = library
	return cmd
}

// sources are the library's files that a Mac has, the drainer in C and the fakes.
func sources(t *testing.T) (all []string) {
	t.Helper()
	patterns := []string{"testdata/drainer.c", fakes + "/*.c"}
	for _, floor := range []string{"system", "core", "stacks", "waits", "hook", "features", "top"} {
		patterns = append(patterns, floor+"/*.c")
	}
	for _, pattern := range patterns {
		found, err := filepath.Glob(filepath.Join(library, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("no %s: %v", pattern, err)
		}
		for _, path := range found {
			name, err := filepath.Rel(library, path)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(name, "_linux.c") {
				all = append(all, name)
			}
		}
	}
	return all
}

// flagsOf returns the additional compiler flags of a file. The program's imports belong to the program: they keep their
// names.
func flagsOf(source string) []string {
	switch filepath.Base(source) {
	case "bind.c":
		return nil
	case "drainer_darwin.c":
		return []string{"-include", include + "/renames.h", "-DMAC_SECTION=mac_go", "-fvisibility=hidden"}
	}
	return []string{"-include", include + "/renames.h", "-DMAC_SECTION=mac_interpose", "-fvisibility=hidden"}
}

// asForUsers is a variant for the file whose behaviour depends on which instruction is where: optimized, and its lines
// not counted.
func (v variant) asForUsers() variant {
	v.flags = append(slices.DeleteFunc(slices.Clone(v.flags), func(flag string) bool { return flag == "--coverage" }),
		"-O2")
	return v
}

// build compiles everything. Objects are kept for later runs, except for those that count their lines when they run:
// the counts are written beside them.
func (v variant) build(t *testing.T) *built {
	t.Helper()
	b := &built{variant: v, folder: t.TempDir()}
	all := sources(t)
	counted := func(source string) bool { return slices.Contains(v.flagsFor(source), "--coverage") }
	kept := slices.DeleteFunc(slices.Clone(all), counted)
	state, err := testcache.State([]string{library}, v.name, fmt.Sprint(v.command().Args))
	if err != nil {
		t.Fatal(err)
	}
	cached, err := testcache.Folder("mac-"+strings.ReplaceAll(v.name, ",", "-"), state, func(folder string) error {
		shapes := v.foreign(filepath.Join(folder, "libshapes.so"), "-fPIC", "-shared", "testdata/shapes.m", "-lobjc",
			"-lBlocksRuntime")
		return run(append(v.compile(kept, folder), shapes))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := run(v.compile(slices.DeleteFunc(slices.Clone(all), func(s string) bool { return !counted(s) }),
		b.folder)); err != nil {
		t.Fatal(err)
	}
	b.shapes = filepath.Join(cached, "libshapes.so")
	for _, source := range all {
		folder := cached
		if counted(source) {
			folder = b.folder
		}
		b.objects = append(b.objects, objectOf(source, folder))
	}
	return b
}

// objectOf is the path of a source's object in a folder.
func objectOf(source, folder string) string {
	return filepath.Join(folder, strings.ReplaceAll(strings.TrimSuffix(source, ".c"), "/", "-")+".o")
}

// flagsFor returns the variant's flags for a source.
func (v variant) flagsFor(source string) []string {
	if filepath.Base(source) == "hooks.c" {
		return v.asForUsers().flags
	}
	return v.flags
}

// compile returns the commands that compile sources into objects in a folder.
func (v variant) compile(sources []string, folder string) (commands []*exec.Cmd) {
	for _, source := range sources {
		compiler := v
		compiler.flags = v.flagsFor(source)
		commands = append(commands, compiler.command(append(flagsOf(source), "-c", source, "-o",
			objectOf(source, folder))...))
	}
	return commands
}

// run runs commands, as many at once as there are processors.
func run(commands []*exec.Cmd) error {
	free := make(chan bool, runtime.NumCPU())
	failures := make([]string, len(commands))
	var running sync.WaitGroup
	for i, cmd := range commands {
		free <- true
		running.Go(func() {
			defer func() { <-free }()
			if out, err := cmd.CombinedOutput(); err != nil {
				failures[i] = fmt.Sprintf("%v: %v\n%s", cmd.Args, err, out)
			}
		})
	}
	running.Wait()
	if failed := slices.DeleteFunc(failures, func(s string) bool { return s == "" }); len(failed) > 0 {
		return errors.New(strings.Join(failed, "\n"))
	}
	return nil
}

// program links testdata/NAME.c with everything, once.
func (b *built) program(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(b.folder, name)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	args := append([]string{"-o", path, "mac/testdata/" + name + ".c"}, b.objects...)
	if err := run([]*exec.Cmd{b.command(append(args, "-Wl,--no-as-needed", b.shapes, "-lobjc", "-lBlocksRuntime",
		"-lpthread", "-ldl", "-rdynamic")...)}); err != nil {
		t.Fatal(err)
	}
	return path
}
