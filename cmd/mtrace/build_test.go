package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"mtrace/fixtures/softmetal"
)

// tool is the folder of a build of everything, as ./build.sh lays it out in bin/: the tests run the real programs.
var tool struct {
	dir    string // has mtrace, the library and, where there is no Metal, softmetal/
	mtrace string
}

func TestMain(m *testing.M) {
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

func buildAll(dir string) error {
	tool.dir, tool.mtrace = dir, filepath.Join(dir, "mtrace")
	steps := []*exec.Cmd{
		exec.Command("go", "build", "-o", tool.mtrace, "."),
		exec.Command("go", "build", "-buildmode=c-shared", "-o", filepath.Join(dir, libraryName()), "../../interpose"),
	}
	for _, step := range steps {
		if out, err := step.CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %w\n%s", step.Args, err, out)
		}
	}
	if runtime.GOOS != "linux" {
		return nil
	}
	software, err := softmetal.Build("")
	if err != nil {
		return err
	}
	return os.Symlink(software.Dir, filepath.Join(dir, "softmetal"))
}

// needTruth skips a test that compares with what really happened, which only the software Metal tells.
func needTruth(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("what really happened is known of the software Metal only, which is for Linux")
	}
}

// outcome is what a user sees of a command.
type outcome struct {
	stdout, stderr string
	exit           int // as a shell reports it: 128+N for signal N
}

// sh runs a command in dir and returns its outcome. Env is added to ours.
func sh(t *testing.T, dir string, env []string, name string, args ...string) outcome {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatalf("%s: %v", name, err)
	}
	return outcome{stdout.String(), stderr.String(), exitStatus(waitStatus(cmd))}
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
