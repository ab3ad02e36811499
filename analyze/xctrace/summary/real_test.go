package summary_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mtrace/analyze/report"
	"mtrace/analyze/xctrace"
	"mtrace/analyze/xctrace/summary"
)

// realExports are files that Apple's xctrace wrote. They are not in the project.
func realExports(t *testing.T) (paths []string) {
	t.Helper()
	folder := os.Getenv(exportsVariable)
	if folder == "" {
		t.Skip(exportsVariable + " names no folder with exports of Apple's xctrace")
	}
	err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".xml" {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil || len(paths) == 0 {
		t.Fatal("no exports: ", err)
	}
	return paths
}

var (
	rowElement = regexp.MustCompile(`<row[ />]`)
	falseZero  = regexp.MustCompile(`(?m)\b(submissions 0|0 submissions|0 threads commit|no cpu profile)\b`)
)

// TestRealExports: every export gives a usable result. All rows are read, or the report lists those that are not; each
// table has its name and its rows in the summary; unknown values are not zero; and the GPU's work is the same in the
// summary and in the report.
func TestRealExports(t *testing.T) {
	for _, path := range realExports(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			inputs, _, err := xctrace.Inputs([]string{path}, nil)
			if err != nil {
				t.Fatal(err)
			}
			recording, err := xctrace.Load(inputs, nil)
			if err != nil {
				t.Fatal(err)
			}
			xml, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			cut := len(recording.Truncated()) > 0
			var rows int
			for _, d := range recording.Documents {
				for _, table := range d.Tables {
					rows += int(table.Rows)
				}
			}
			there := len(rowElement.FindAll(xml, -1))
			if cut {
				there-- // the one that is cut
			}
			if rows != there {
				t.Errorf("%d rows are read of %d", rows, there)
			}
			for _, all := range []bool{false, true} {
				s, err := summary.Of(recording, summary.Filter{All: all})
				if err != nil {
					t.Fatal(err)
				}
				var text bytes.Buffer
				s.Text(&text)
				if zero := falseZero.FindString(text.String()); zero != "" {
					t.Errorf("%q of what is not known:\n%s", zero, &text)
				}
				for _, d := range recording.Documents {
					for _, table := range d.Tables {
						if !strings.Contains(text.String(), table.Name()) && s.GPU == nil && s.Processes == nil {
							t.Errorf("no word of the table %s:\n%s", table.Name(), &text)
						}
					}
				}
				if strings.Count(text.String(), "\n") < 4 {
					t.Errorf("that is all:\n%s", &text)
				}
				if s.GPU == nil {
					continue
				}
				trace, err := summary.Trace(recording, summary.Filter{All: all})
				if err != nil {
					t.Fatal(err)
				}
				if busy := report.Build(trace, report.Options{}).GPU.BusyNS; busy != int64(s.GPU.Own.BusyNS) {
					t.Errorf("busy for %d ns in the summary and %d in the report", s.GPU.Own.BusyNS, busy)
				}
			}
		})
	}
}
