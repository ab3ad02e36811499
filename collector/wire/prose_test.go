package wire

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The meaning of a record was once read from the sentences that document it: one of them decided which calls have
// stacks, and a rewording changed the loader's behaviour. So the table's texts are for people only. Outside of this
// package they may be printed, and stored in values that are printed later; no code may compare or search them. The
// effect of a call is in its row, so no code may search its selector either.
func TestNobodyReadsProse(t *testing.T) {
	root, files := filepath.Join("..", ".."), 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		name := strings.TrimPrefix(filepath.ToSlash(path), "../../")
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (name == "collector/wire" || strings.HasPrefix(entry.Name(), ".") && len(entry.Name()) > 2 ||
			slices.Contains([]string{"bin", "build", "testdata", "demo"}, entry.Name())):
			return filepath.SkipDir
		case entry.IsDir() || filepath.Ext(name) != ".go":
			return nil
		}
		files++
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, wrong := range readersOfProse(set, file, readsSelectors(name)) {
			t.Errorf("%s", strings.TrimPrefix(wrong, "../../"))
		}
		return nil
	})
	if err != nil || files < 300 {
		t.Errorf("looked at %d files: %v", files, err)
	}
}

// readsSelectors reports whether selectors in the file come from other programs, or are looked up as a user names them.
func readsSelectors(name string) bool {
	return strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "analyze/xctrace/") ||
		strings.HasPrefix(name, "fixtures/")
}

// readersOfProse returns the places in a file where code depends on the words of a text.
func readersOfProse(set *token.FileSet, file *ast.File, selectorsToo bool) (wrong []string) {
	var above []ast.Node
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			above = above[:len(above)-1]
			return true
		}
		what := ""
		switch n := n.(type) {
		case *ast.CallExpr:
			if f, is := n.Fun.(*ast.SelectorExpr); is && len(n.Args) == 0 &&
				(f.Sel.Name == "Words" || f.Sel.Name == "Meaning") && !printed(n, above) {
				what = "what " + f.Sel.Name + " returns"
			}
		case *ast.SelectorExpr:
			if n.Sel.Name == "Selector" && !selectorsToo && lookedInto(n, above) {
				what = "a selector"
			}
		}
		if what != "" {
			wrong = append(wrong, fmt.Sprintf("%s: %s decides something: ask for its role or effect", set.Position(n.Pos()),
				what))
		}
		above = append(above, n)
		return true
	})
	return wrong
}

// printed reports whether an expression is an argument of a function of fmt, or a value of a literal.
func printed(n ast.Node, above []ast.Node) bool {
	switch parent := above[len(above)-1].(type) {
	case *ast.KeyValueExpr:
		return parent.Value == n
	case *ast.CallExpr:
		f, is := parent.Fun.(*ast.SelectorExpr)
		if !is {
			return false
		}
		from, is := f.X.(*ast.Ident)
		return is && from.Name == "fmt"
	}
	return false
}

// lookedInto reports whether an expression is compared with a text, or searched.
func lookedInto(n ast.Node, above []ast.Node) bool {
	// to ask whether there is a selector at all does not depend on its words
	literal := func(e ast.Expr) bool {
		l, is := e.(*ast.BasicLit)
		return is && l.Kind == token.STRING && l.Value != `""`
	}
	switch parent := above[len(above)-1].(type) {
	case *ast.BinaryExpr:
		return (parent.Op == token.EQL || parent.Op == token.NEQ) && (literal(parent.X) || literal(parent.Y))
	case *ast.SwitchStmt:
		return parent.Tag == n
	case *ast.CallExpr:
		f, is := parent.Fun.(*ast.SelectorExpr)
		if !is {
			return false
		}
		from, is := f.X.(*ast.Ident)
		return is && (from.Name == "strings" || from.Name == "regexp")
	}
	return false
}

// The test above can fail: it finds each way in which code reads words, or could.
func TestReadersOfProseAreFound(t *testing.T) {
	const source = `package p
func f(row wire.Row) {
	if strings.HasPrefix(row.Arg.Meaning(), "StringID") {}
	if row.Object.Words() == "heap" {}
	words := row.Arg.Words()
	kinds[row.Arg.Words()] = true
	switch row.Selector { case "dealloc": }
	if row.Selector == "commit" || strings.Contains(c.Row.Selector, "ibrary") {}
	fmt.Println(row.Arg.Words(), row.Selector, arg{name: row.Object.Meaning()})
}`
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "source.go", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if found := readersOfProse(set, file, false); len(found) != 7 {
		t.Errorf("found %d of 7: %q", len(found), found)
	}
	if found := readersOfProse(set, file, true); len(found) != 4 {
		t.Errorf("found %d of 4: %q", len(found), found)
	}
}
