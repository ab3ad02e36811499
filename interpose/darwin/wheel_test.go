package darwin

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The wheel of cross.sh's files is for both processors and for the macOS version in the programs themselves.
func TestWheelOfBoth(t *testing.T) {
	crossBuilt(t, "mtrace")
	folder := os.Getenv("MTRACE_DARWIN")
	if folder == "" {
		folder = filepath.Join("..", "..", "bin", "darwin")
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("a wheel is packed by Python: ", err)
	}
	out, err := exec.Command("python3", "../../cmd/python/pack.py", folder, t.TempDir(), "1.2.3").CombinedOutput()
	if name := filepath.Base(strings.TrimSpace(string(out))); err != nil ||
		name != "mtrace-1.2.3-py3-none-macosx_13_0_universal2.whl" {
		t.Errorf("%v: %s", err, out)
	}
}
