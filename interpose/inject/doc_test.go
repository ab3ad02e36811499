package inject

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestCodesAreDocumented: a user who finds a code in a report finds it in the
// documentation too.
func TestCodesAreDocumented(t *testing.T) {
	source, err := os.ReadFile("plan.go")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../docs/injection.md")
	if err != nil {
		t.Fatal(err)
	}
	codes := regexp.MustCompile(`Code = "([a-z0-9-]+)"`).FindAllStringSubmatch(string(source), -1)
	if len(codes) < 25 {
		t.Fatalf("only %d codes were found in plan.go", len(codes))
	}
	for _, code := range codes {
		if !strings.Contains(string(text), "`"+code[1]+"`") {
			t.Errorf("docs/injection.md does not explain %s", code[1])
		}
	}
}
