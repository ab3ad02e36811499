package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// stub is a program in place of one that .ci/run starts: it prints its command line, and fails if that contains
// $FAILS.
const stub = `#!/usr/bin/env bash
line="$(basename "$0") $*"
echo "ran $line"
[ "$line" != "$WAITS" ] || sleep 1000
[ -z "$FAILS" ] || [[ "$line" != *"$FAILS"* ]] || { echo "broken: $line"; exit 3; }
`

// ciCheckout makes a checkout that has .ci/run and stubs of all that .ci/run starts.
func ciCheckout(t *testing.T) (folder string, env []string) {
	t.Helper()
	folder = t.TempDir()
	script, err := os.ReadFile("../.ci/run")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{".ci/run": string(script)}
	for _, name := range []string{".ci/fresh", "build.sh", "fixtures/consumers/install.sh", "bin/git"} {
		files[name] = stub
	}
	// gofmt prints the names of files that are not formatted, and succeeds
	files["bin/gofmt"] = strings.NewReplacer(`echo "ran`, `: "ran`, "exit 3", "exit 0").Replace(stub)
	// go build makes the program that reads the results of the race detector's tests
	files["bin/go"] = stub + `[[ "$*" != "build -o "* ]] || { printf '#!/bin/sh\ncat\n' >"$3"; chmod 755 "$3"; }` + "\n"
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return folder, append(os.Environ(), "PATH="+filepath.Join(folder, "bin")+":"+os.Getenv("PATH"), "WAITS=", "FAILS=")
}

// TestCIFails: a failure of any step fails the run, whether it runs alone or beside the tests, and its output is
// shown. All other steps still run, but for those that need the one that failed.
func TestCIFails(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip(".ci/run is for Linux")
	}
	all := []string{"build.sh packages", "build.sh", "build.sh test -vet=off", "go vet ./...", "go tool staticcheck ./...",
		"build.sh cross", "fresh ./build.sh demo", "go test -json -race", "install.sh --spark"}
	begun := []string{"build.sh packages", "install.sh --spark"}
	for name, test := range map[string]struct {
		fails  string   // what the command line of the failing program contains
		failed string   // in the last line, "" if the run passes
		begins []string // the command lines
	}{
		"nothing":     {begins: all},
		"consumers":   {fails: "--spark", begins: all},
		"a build":     {fails: "build.sh ", failed: "broken: build.sh packages", begins: begun[:1]},
		"gofmt":       {fails: "gofmt", failed: "gofmt would change: broken", begins: nil},
		"vet":         {fails: "go vet", failed: "FAILED: vet ", begins: all},
		"staticcheck": {fails: "staticcheck", failed: "FAILED: staticcheck ", begins: all},
		"cross":       {fails: "cross", failed: "FAILED: cross ", begins: all},
		"fresh":       {fails: "fresh", failed: "FAILED: fresh ", begins: all},
		"again, under the race detector": {fails: "-race", failed: "FAILED: race ",
			begins: append(slices.Clone(all), "build.sh again -race -short -vet=off")},
		"tests": {fails: "-vet=off", failed: "FAILED: ", begins: append(slices.Clone(all), "build.sh again -vet=off")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder, env := ciCheckout(t)
			runs := 1
			if test.failed == "" {
				runs = 2 // a second run must not depend on what the first left
			}
			for range runs {
				cmd := exec.Command(filepath.Join(folder, ".ci/run"))
				cmd.Env = append(env, "FAILS="+test.fails)
				out, err := cmd.CombinedOutput()
				lines := strings.Split(strings.TrimSpace(string(out)), "\n")
				last := lines[len(lines)-1]
				if test.failed == "" && (err != nil || !strings.HasPrefix(last, "== done (")) {
					t.Errorf("%v\n%s", err, out)
				}
				if test.failed != "" && (err == nil || !strings.Contains(last, test.failed) ||
					!strings.Contains(string(out), "broken: ")) {
					t.Errorf("%v; the last line should have %q\n%s", err, test.failed, out)
				}
				for _, command := range test.begins {
					if !strings.Contains(string(out), "ran "+command) {
						t.Errorf("%q did not run\n%s", command, out)
					}
				}
			}
		})
	}
}

// TestCIEndsItsChecks: nothing runs on beside the tests when the run is interrupted.
func TestCIEndsItsChecks(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip(".ci/run is for Linux")
	}
	folder, env := ciCheckout(t)
	cmd := exec.Command(filepath.Join(folder, ".ci/run"))
	cmd.Env = append(env, "WAITS=go vet ./...")
	output, err := cmd.StdoutPipe() // closed when no process has it any more
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	buffer := make([]byte, 4096)
	for {
		n, err := output.Read(buffer)
		before := strings.Contains(said.String(), "waiting for the checks")
		said.Write(buffer[:n])
		if !before && strings.Contains(said.String(), "waiting for the checks") {
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
		}
		if err != nil {
			break
		}
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("%v\n%s", err, &said)
	}
}
