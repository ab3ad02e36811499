package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/fixtures/realpython"
	"mtrace/fixtures/testtool"
)

// tool is the folder of a build of everything, as ./build.sh lays it out in bin/: the tests run the real programs.
var tool struct {
	dir    string // has mtrace, the library and, where there is no Metal, softmetal/
	mtrace string
}

func TestMain(m *testing.M) {
	flag.Parse()
	if worker := flag.Lookup("test.fuzzworker"); worker != nil && worker.Value.String() == "true" {
		os.Exit(m.Run()) // fuzzed code needs no build, and each worker would build one
	}
	realpython.Prefer()
	keepBuildCache()
	allowMoreAtOnce()
	dir, err := os.MkdirTemp("", "mtrace-test-")
	if err == nil {
		err = buildAll(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "cmd/mtrace tests:", err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// allowMoreAtOnce lets twice as many parallel tests run at once as there are processors, unless -parallel says how
// many: they wait for most of their time.
func allowMoreAtOnce() {
	if parallel := flag.Lookup("test.parallel"); parallel.Value.String() == parallel.DefValue {
		parallel.Value.Set(strconv.Itoa(2 * runtime.GOMAXPROCS(0)))
	}
}

// keepBuildCache names Go's build cache in the environment. The story: a test with a home folder of its own had an
// empty cache, too, and `go tool pprof` compiled the whole standard library, in 38 s of processor time.
func keepBuildCache() {
	if out, err := exec.Command("go", "env", "GOCACHE").Output(); err == nil {
		os.Setenv("GOCACHE", strings.TrimSpace(string(out)))
	}
}

func buildAll(dir string) error {
	tool.dir, tool.mtrace = dir, filepath.Join(dir, "mtrace")
	return testtool.Build(dir)
}

func copyFile(to, from string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o755)
}

// needTruth skips a test that compares with the real calls, which only the software Metal writes down.
func needTruth(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("what really happened is known of the software Metal only, which is for Linux")
	}
}

// outcome is a command's result as its user sees it.
type outcome struct {
	stdout, stderr string
	exit           int // as a shell reports it: 128+N for signal N
}

// sh runs a command in dir and returns its outcome. Env is added to ours.
func sh(t *testing.T, dir string, env []string, name string, args ...string) outcome {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "COLUMNS="), env...) // as wide as where nothing says
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := endsInTime(cmd, commandLimit); cmd.ProcessState == nil || errors.As(err, new(*unended)) {
		t.Fatalf("%s: %v\n%s%s", name, err, stdout.String(), stderr.String())
	}
	return outcome{stdout.String(), stderr.String(), cli.ExitStatus(waitStatus(cmd))}
}

// workload is the path of the workload script.
func workload(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../../fixtures/workload.py")
	if err != nil {
		t.Fatal(err)
	}
	return path
}
