package docs

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestTopLevelNames: a newcomer sees the parts of the project at once. A package for Python had been added among the
// tracer's parts.
func TestTopLevelNames(t *testing.T) {
	parts := []string{"interpose", "collector", "analyze", "cmd", "shaders", "fixtures", "go.mod", "build.sh"}
	// by any repository
	needed := []string{".ci", ".github", ".gitignore", "CONTRIBUTING.md", "LICENSE", "README.md", "docs", "go.sum"}
	if _, err := os.Stat("../.git"); err != nil {
		t.Skip("this is no clone: which files belong to it is not known")
	}
	files, err := exec.Command("git", "-C", "..", "ls-files").Output()
	if err != nil {
		t.Skipf("git ls-files: %v", err)
	}
	for path := range strings.Lines(string(files)) {
		name, _, _ := strings.Cut(strings.TrimSpace(path), "/")
		if !slices.Contains(parts, name) && !slices.Contains(needed, name) {
			t.Errorf("%s is at the top level", name)
		}
	}
}
