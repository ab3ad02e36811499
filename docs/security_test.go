package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSecurityPageNamesItsTests: each row of security.md on the abilities of an attacker names a test, and each of
// these tests exists.
func TestSecurityPageNamesItsTests(t *testing.T) {
	text, err := os.ReadFile("security.md")
	if err != nil {
		t.Fatal(err)
	}
	exist := declaredTests(t)
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`")
	rows := 0
	for number, line := range strings.Split(string(text), "\n") {
		names := named.FindAllStringSubmatch(line, -1)
		for _, m := range names {
			if !exist[m[1]] {
				t.Errorf("security.md:%d: there is no %s", number+1, m[1])
			}
		}
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| who") {
			continue
		}
		if rows++; len(names) == 0 {
			t.Errorf("security.md:%d names no test: %s", number+1, line)
		}
	}
	if rows < 15 {
		t.Errorf("only %d rows were found", rows)
	}
}

// declaredTests are the names of all tests of the project.
func declaredTests(t *testing.T) map[string]bool {
	t.Helper()
	exist := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(source, -1) {
			exist[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return exist
}
