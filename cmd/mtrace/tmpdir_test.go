package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestUnusableTemporaryFolder: a TMPDIR that is missing, full or read-only is not used, and the program is recorded all
// the same. Where it was full or read-only, mtrace run ended with 125.
func TestUnusableTemporaryFolder(t *testing.T) {
	t.Parallel()
	needTruth(t)
	client := buildShapesClient(t)
	folders := map[string]string{"missing": filepath.Join(t.TempDir(), "nowhere")}
	if os.Geteuid() == 0 { // root may write into every folder, unless the file system forbids it
		for kind, options := range map[string]string{"full": "size=16k,mode=1777", "read-only": "ro,mode=1777"} {
			folder := t.TempDir()
			if out, err := exec.Command("mount", "-t", "tmpfs", "-o", options, "tmpfs", folder).CombinedOutput(); err != nil {
				t.Logf("%s is left out: no file system can be mounted: %s", kind, out)
				continue
			}
			t.Cleanup(func() { exec.Command("umount", folder).Run() })
			if kind == "full" {
				os.WriteFile(filepath.Join(folder, "full"), make([]byte, 1<<20), 0o600)
			}
			folders[kind] = folder
		}
	} else {
		folder := t.TempDir()
		if err := os.Chmod(folder, 0o555); err != nil {
			t.Fatal(err)
		}
		folders["read-only"] = folder
	}
	for kind, folder := range folders {
		dir := t.TempDir()
		got := sh(t, dir, []string{"TMPDIR=" + folder}, tool.mtrace, "run", "-o", "t.mtrace", "--", client, "classes", "3")
		if got.exit != 0 || !strings.Contains(got.stderr, "mtrace: wrote t.mtrace") ||
			strings.Contains(got.stdout+got.stderr, "NO METAL CALL") {
			t.Errorf("%s: %+v", kind, got)
		}
		if got := sh(t, dir, []string{"TMPDIR=" + folder}, tool.mtrace, "doctor", "--no-self-test"); got.exit != 0 ||
			!strings.Contains(got.stdout, "sockets in /tmp") {
			t.Errorf("doctor with a folder that is %s: %+v", kind, got)
		}
	}
}
