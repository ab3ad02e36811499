package docs

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestArchitectureNamesWhatExists: each file, folder and test that architecture.md names is there. Recipes named files
// that had moved.
func TestArchitectureNamesWhatExists(t *testing.T) {
	exist := declaredTests(t)
	path := regexp.MustCompile(`^(?:analyze|cmd|collector|docs|fixtures|interpose|shaders)(?:/[\w.-]+)+/?$`)
	files, tests := 0, 0
	for _, m := range regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(read(t, "architecture.md"), -1) {
		switch name := m[1]; {
		case strings.HasPrefix(name, "Test"):
			if tests++; !exist[name] {
				t.Errorf("there is no test %s", name)
			}
		case path.MatchString(name):
			files++
			if _, err := os.Stat("../" + name); err != nil {
				t.Error(err)
			}
		}
	}
	if files < 60 || tests < 20 {
		t.Errorf("only %d files and %d tests were found", files, tests)
	}
}
