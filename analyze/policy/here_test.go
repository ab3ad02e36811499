package policy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ruledPackages are the packages that judge a run, below analyze.
var ruledPackages = []string{"cause", "diff", "evidence", "experiment", "hang", "insight", "kernels", "path", "replay",
	"scaling", "steps", "xctrace/summary"}

// noThresholds are numbers that are compared with, or are constants, and judge nothing.
var noThresholds = map[string]struct {
	numbers []string
	what    string
}{
	"diff/bins.go":              {[]string{"1e-18"}, "rounding"},
	"diff/text.go":              {[]string{"0.0001"}, "the least that is printed in digits"},
	"evidence/queues.go":        {[]string{"64"}, "Metal's own default"},
	"evidence/statistics.go":    {[]string{"3", "32", "64", "4"}, "sizes of an algorithm"},
	"experiment/judge.go":       {[]string{"1e9"}, "nanoseconds of a second"},
	"experiment/score.go":       {[]string{"1.345", "1.4826"}, "constants of statistics"},
	"experiment/text.go":        {[]string{"20"}, "rows of a table"},
	"experiment/words.go":       {[]string{"10e3", "3600e9", "120e9", "0.005", "100"}, "units and digits of a text"},
	"hang/file.go":              {[]string{"15", "20"}, "bounds of memory"},
	"insight/failed.go":         {[]string{"4"}, "an error code of Metal"},
	"kernels/nnls.go":           {[]string{"1e-10", "1e12"}, "rounding"},
	"kernels/ranges.go":         {[]string{"1e-8"}, "rounding"},
	"kernels/solve.go":          {[]string{"1e-6"}, "rounding"},
	"replay/extract/locks.go":   {[]string{"62"}, "for ever"},
	"replay/machine/server.go":  {[]string{"62"}, "for ever"},
	"replay/program/program.go": {[]string{"30"}, "no limit"},
	"scaling/fit.go":            {[]string{"1e-18"}, "rounding"},
	"scaling/law.go":            {[]string{"1e-12", "20"}, "rounding"},
	"scaling/plot.go":           {[]string{"16", "90", "24", "4", "100", "1.0001"}, "places of a drawing"},
	"scaling/text.go":           {[]string{"100"}, "the least that is printed without digits"},
	"steps/sequence.go":         {[]string{"14695981039346656037"}, "the beginning of a hash"},
	"xctrace/summary/idle.go":   {[]string{"10", "100_000", "1_000_000", "10_000_000"}, "classes and rows of a table"},
	"xctrace/summary/others.go": {[]string{"12"}, "rows of a table"},
	"xctrace/summary/text.go":   {[]string{"15", "64"}, "rows and columns of a table"},
	"xctrace/summary/trace.go":  {[]string{"63"}, "an id that nothing has"},
}

// A number in a comparison or in a constant decides what is reported of a run. It is in this package, under a name that
// states its purpose; some fifty were among the rules.
func TestThresholdsStandHere(t *testing.T) {
	used := map[string]bool{}
	for _, dir := range ruledPackages {
		err := filepath.WalkDir(filepath.Join("..", dir), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			name, _ := filepath.Rel("..", path)
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, 0)
			if err != nil {
				return err
			}
			for _, number := range comparedNumbers(file) {
				used[name+" "+number.Value] = true
				if !slices.Contains(noThresholds[name].numbers, number.Value) {
					t.Errorf("%s: %s decides something: give it a name in analyze/policy, or say in this test what it is",
						set.Position(number.Pos()), number.Value)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, allowed := range noThresholds {
		for _, number := range allowed.numbers {
			if !used[name+" "+number] {
				t.Errorf("%s has no %s any more (%s): take it out of this test", name, number, allowed.what)
			}
		}
	}
}

// comparedNumbers returns the numbers in ordered comparisons and in constants, except those that no rule can do
// without.
func comparedNumbers(file *ast.File) (found []*ast.BasicLit) {
	collect := func(within ast.Node) {
		ast.Inspect(within, func(n ast.Node) bool {
			l, is := n.(*ast.BasicLit)
			if is && (l.Kind == token.INT || l.Kind == token.FLOAT) &&
				!slices.Contains([]string{"0", "1", "2", "0.0", "1.0", "0.5"}, l.Value) {
				found = append(found, l)
			}
			return true
		})
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.LSS || n.Op == token.GTR || n.Op == token.LEQ || n.Op == token.GEQ {
				collect(n)
				return false
			}
		case *ast.GenDecl:
			if n.Tok == token.CONST {
				collect(n)
				return false
			}
		}
		return true
	})
	return found
}
