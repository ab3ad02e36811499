package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"mtrace/fixtures/testcache"
	"mtrace/fixtures/testlibrary"
)

// built is where the tests' binaries are, for as long as the test process runs.
var built = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "mtrace-interpose") })

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := built(); err == nil {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

const onlyLinux = "traces programs of GCC's Objective-C runtime, which are for Linux"

// build runs a command once per test process; the command makes the file name in the directory of built binaries. The
// binaries are for GCC's Objective-C runtime and Linux's way of injection: on a Mac the tests of cmd/mtrace and the
// doctor's self-test trace programs instead.
func build(t testing.TB, name string, command ...string) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip(onlyLinux)
	}
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if err := runBuild(command, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// runBuild runs a command that makes the file at path, which the command calls OUT.
func runBuild(command []string, path string) error {
	command = append(slices.Clone(command), "-I.") // where the C half's headers are
	for i, arg := range command {
		if arg == "OUT" {
			command[i] = path
		}
	}
	if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", command, err, out)
	}
	return nil
}

// sourceState is the state of all that instrumented programs are built from.
var sourceState = sync.OnceValues(func() (string, error) {
	return testcache.State([]string{".", "../fixtures/softmetal"})
})

// buildKept is like build, and keeps the file for later runs of the tests: instrumented programs take a minute.
func buildKept(t testing.TB, name string, command ...string) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip(onlyLinux)
	}
	state, err := sourceState()
	if err != nil {
		t.Fatal(err)
	}
	folder, err := testcache.Folder("interpose-"+name, fmt.Sprintf("%s %q", state, command), func(folder string) error {
		return runBuild(command, filepath.Join(folder, name))
	})
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder, name)
}

// library is the library as users get it.
func library(t testing.TB) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip(onlyLinux)
	}
	path, err := testlibrary.Build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
