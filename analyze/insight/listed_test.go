package insight

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/insights.md instead of comparing with it")

// introduction is the part of docs/insights.md before the rules.
const introduction = `# Insights

Habits that cost time, whatever the verdict is. The first screen lists them as NOTES, with the id in brackets;
the section ` + "`" + `insights` + "`" + ` adds evidence and lines of code. ` + "`" + `mtrace explain ID` + "`" + `
prints a section of this page.

An insight is a *warning* if it costs a noticeable part of the threads' time, otherwise a remark. An insight that
cannot be checked is ` + "`" + `skipped` + "`" + ` with the reason. The first quarter of all
[rounds](terms.md#round), at most ten, is start-up.
`

// docs/insights.md has each rule's condition and remedy. Rules were added without a row on the page, and the page did
// not say what to do about an insight.
func TestRulesAreOnThePage(t *testing.T) {
	want := introduction
	for _, r := range rules {
		want += r.section()
		if r.when == "" || r.remedy == "" || strings.HasSuffix(r.when+r.remedy, ".") {
			t.Errorf("%s lacks its condition or remedy, or one ends with a full stop", r.id)
		}
	}
	page := filepath.Join("..", "..", "docs", "insights.md")
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(page); err != nil || string(got) != want {
		t.Errorf("%s is not current: run go test ./analyze/insight -run Page -update", page)
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
		"independent-dispatches": "independent", "kept-command-buffers": "unfreedBuffers"}
	for _, r := range rules {
		if f := functions[r.id]; !named[r.id] && (f == "" || !named[f]) {
			t.Errorf("no test of this package is about %s", r.id)
		}
	}
}
