package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mtrace/cmd/mtrace/internal/bundle"
	"mtrace/cmd/mtrace/internal/bundle/bundletest"
	"mtrace/cmd/mtrace/internal/cli"
)

// unpacked returns the files of an archive, without its folder.
func unpacked(t *testing.T, path string) map[string]string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	return bundletest.Unpack(t, file)
}

// ofTimes are expectations about times, which a machine with other load does not meet: this test ignores whether they
// differ.
var ofTimes = map[string]bool{"doctor/cost": true, "doctor/full-queue": true, "doctor/lock": true,
	"doctor/gpu-clock": true, "doctor/start-cost": true}

// TestDoctorBundle makes the archive for real, on this machine's Metal. Every difference from the expected values has a
// cause in the machine's load or a missing Python, and the archive has everything that its reader needs.
func TestDoctorBundle(t *testing.T) {
	t.Parallel()
	buildSelfTest(t)
	folder := t.TempDir()
	path := filepath.Join(folder, "first-run.tar.gz")
	o := sh(t, folder, nil, tool.mtrace, "doctor", "--bundle", path)
	if o.exit != 0 && o.exit != 1 {
		t.Fatalf("exit status %d\n%s", o.exit, o.stderr)
	}
	files := unpacked(t, path)
	var document bundle.Document
	if err := json.Unmarshal([]byte(files["checks.json"]), &document); err != nil || document.Schema != bundle.Schema {
		t.Fatalf("%v in %.200s", err, files["checks.json"])
	}
	python := false
	for _, c := range document.Checks {
		python = python || c.ID == "python/calls"
		if c.Differs && !ofTimes[c.ID] {
			t.Errorf("%s: expected %s; found %s", c.ID, c.Expected, c.Found)
		}
	}
	if (document.Differ > 0) != (o.exit == 1) || !strings.Contains(o.stdout, " checks differ") {
		t.Errorf("%d differ, exit status %d\n%s", document.Differ, o.exit, o.stdout)
	}
	names := []string{"differs.txt", "doctor.json", "doctor.txt", "versions.json", "system/kernel.txt", "c/report.json",
		"c/trace.jsonl", "c/traced.out", "c/untraced.out"}
	if python {
		names = append(names, "python/report.json", "python/trace.jsonl", "python/traced.exit")
	}
	for _, name := range names {
		if files[name] == "" {
			t.Errorf("%s is empty or not there", name)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "*")); len(left) != 1 {
		t.Errorf("it left %v", left)
	}
	if hidden, _ := filepath.Glob(filepath.Join(folder, ".mtrace*")); len(hidden) != 0 {
		t.Errorf("it left %v", hidden)
	}
}

// TestDoctorBundleOfABrokenLibrary: a broken part is in the archive as a difference, and the answer is no.
func TestDoctorBundleOfABrokenLibrary(t *testing.T) {
	t.Parallel()
	buildSelfTest(t)
	folder := t.TempDir()
	broken := filepath.Join(folder, cli.LibraryName())
	if err := os.WriteFile(broken, []byte("not a library"), 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "broken.tar.gz")
	o := sh(t, folder, []string{"MTRACE_LIBRARY=" + broken}, tool.mtrace, "doctor", "--bundle", path)
	if o.exit != 1 {
		t.Fatalf("exit status %d\n%s", o.exit, o.stderr)
	}
	for _, id := range []string{"doctor/library:", "c/calls:"} {
		if at := strings.Index(o.stdout, id); at < 0 || at > strings.Index(o.stdout, "as expected:") {
			t.Errorf("%s is not among what differs:\n%s", id, o.stdout)
		}
	}
	if unpacked(t, path)["differs.txt"] == "" {
		t.Error("differs.txt is not there")
	}
}

// TestDoctorBundleIntoAPipe: the archive is written into a pipe or a device that is named. It used to replace it: for
// root, --bundle /dev/full made a regular file of /dev/full, and reported success.
func TestDoctorBundleIntoAPipe(t *testing.T) {
	t.Parallel()
	buildSelfTest(t)
	folder := t.TempDir()
	broken, pipe := filepath.Join(folder, cli.LibraryName()), filepath.Join(folder, "pipe")
	if err := errors.Join(os.WriteFile(broken, []byte("not a library"), 0o755), syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	archive := make(chan []byte, 1)
	go func() {
		data, _ := os.ReadFile(pipe)
		archive <- data
	}()
	o := sh(t, folder, []string{"MTRACE_LIBRARY=" + broken}, tool.mtrace, "doctor", "--bundle", pipe)
	if info, err := os.Lstat(pipe); err != nil || info.Mode().Type() != os.ModeNamedPipe || o.exit != 1 {
		t.Fatalf("%v, now it is %v: %+v", err, info.Mode(), o)
	}
	if bundletest.Unpack(t, bytes.NewReader(<-archive))["checks.json"] == "" {
		t.Error("checks.json is not there")
	}
}

func TestDoctorBundleRefusesBadUse(t *testing.T) {
	folder := t.TempDir()
	for _, args := range [][]string{
		{"--bundle", filepath.Join(folder, "no-such-folder", "x.tar.gz")}, {"--bundle", "x.tar.gz", "--json"},
		{"--bundle", "x.tar.gz", "--", "true"}, {"--bundle", folder},
	} {
		o := sh(t, folder, nil, tool.mtrace, append([]string{"doctor"}, args...)...)
		if o.exit != 2 || strings.Count(o.stderr, "\n") != 1 || o.stdout != "" {
			t.Errorf("%v: exit status %d, %q%q", args, o.exit, o.stdout, o.stderr)
		}
	}
}
