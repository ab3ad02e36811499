package evidence

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// uses returns for each file of the package the other files whose types and functions it uses.
func uses(t *testing.T) map[string][]string {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	files, declared := map[string]*ast.File{}, map[string]string{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = f
		for id := range f.Scope.Objects {
			declared[id] = name
		}
	}
	all := map[string][]string{}
	for name, f := range files {
		keys := map[*ast.Ident]bool{} // names of fields in literals
		ast.Inspect(f, func(n ast.Node) bool {
			if pair, ok := n.(*ast.KeyValueExpr); ok {
				if id, ok := pair.Key.(*ast.Ident); ok {
					keys[id] = true
				}
			}
			return true
		})
		all[name] = nil
		for _, id := range f.Unresolved {
			if of := declared[id.Name]; of != "" && !keys[id] && !slices.Contains(all[name], of) {
				all[name] = append(all[name], of)
			}
		}
		slices.Sort(all[name])
	}
	return all
}

// TestFilesAreLayered: no two files of the package need each other, directly or indirectly, and only Evidence, which
// combines everything, needs them all.
func TestFilesAreLayered(t *testing.T) {
	uses, done := uses(t), map[string]bool{}
	var visit func(name string, way []string)
	visit = func(name string, way []string) {
		if i := slices.Index(way, name); i >= 0 {
			t.Errorf("files need each other: %s", strings.Join(append(way[i:], name), " → "))
			return
		}
		if done[name] {
			return
		}
		for _, of := range uses[name] {
			visit(of, append(slices.Clone(way), name))
		}
		done[name] = true
	}
	visit("evidence.go", nil)
	for name := range uses {
		visit(name, nil)
	}
	if len(done) < 20 {
		t.Errorf("only %d files were found", len(done))
	}
}
