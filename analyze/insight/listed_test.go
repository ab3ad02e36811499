package insight

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Each rule has a row in docs/reading.md. Rules were added without one.
func TestRulesAreOnThePage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "reading.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, r := range rules {
		if strings.Count(page, "\n| `"+r.id+"` | ") != 1 {
			t.Errorf("%s has no row, or several, in docs/reading.md", r.id)
		}
	}
}

// Each rule is in a test of this package: as the string in its table, or by its function.
func TestRulesAreTested(t *testing.T) {
	files, err := filepath.Glob("*_test.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	named := map[string]bool{}
	for _, path := range files {
		if path == "listed_test.go" {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); err == nil {
					named[text] = true
				}
			case *ast.CallExpr:
				if f, is := n.Fun.(*ast.Ident); is {
					named[f.Name] = true
				}
			}
			return true
		})
	}
	functions := map[string]string{"shared-command-buffers": "sharedBuffers", "kernel-waits": "kernelWaits",
		"slow-after-idle": "slowAfterIdle", "encoding-calls": "encodingCalls",
		"independent-dispatches": "independent", "kept-command-buffers": "keptBuffers"}
	for _, r := range rules {
		if f := functions[r.id]; !named[r.id] && (f == "" || !named[f]) {
			t.Errorf("no test of this package is about %s", r.id)
		}
	}
}
