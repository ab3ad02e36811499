package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

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
	command = append(slices.Clone(command), "-I.") // where the C half's headers are
	for i, arg := range command {
		if arg == "OUT" {
			command[i] = path
		}
	}
	if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, out)
	}
	return path
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
