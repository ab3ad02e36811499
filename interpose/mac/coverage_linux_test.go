package mac

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// leastCoverage is the share of lines of the files for macOS that must have run.
const leastCoverage = 0.8

// coverage is gcov's result for one file.
type coverage struct {
	file       string
	lines, ran int
	missed     []int
}

func (c coverage) share() float64 { return float64(c.ran) / float64(max(c.lines, 1)) }

// coverageOf reads the files that the programs left next to an object. A line counts once, however many functions it is
// in.
func (b *built) coverageOf(t *testing.T, object string) coverage {
	t.Helper()
	folder := filepath.Base(strings.TrimSuffix(object, ".o")) // the source's, with - for /
	c := coverage{file: folder[strings.LastIndex(folder, "-")+1:] + ".c"}
	cmd := exec.Command("gcov", "--json-format", "--stdout", strings.TrimSuffix(object, ".o")+".gcda")
	cmd.Dir = library
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("gcov of %s: %v", c.file, err)
	}
	ran := map[int]bool{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var report struct {
			Files []struct {
				File  string
				Lines []struct {
					Number int `json:"line_number"`
					Count  int64
				}
			}
		}
		if err := decoder.Decode(&report); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("gcov of %s: %v", c.file, err)
		}
		for _, f := range report.Files {
			if filepath.Base(f.File) != c.file {
				continue
			}
			for _, l := range f.Lines {
				ran[l.Number] = ran[l.Number] || l.Count > 0
			}
		}
	}
	for line, yes := range ran {
		if yes {
			c.ran++
		} else {
			c.missed = append(c.missed, line)
		}
	}
	c.lines = len(ran)
	slices.Sort(c.missed)
	return c
}

// reportCoverage prints the share of lines that ran of each file, and fails when too few of all did.
func (b *built) reportCoverage(t *testing.T) {
	t.Helper()
	total, table := coverage{file: "total"}, ""
	for _, object := range b.objects {
		if !strings.HasSuffix(object, "_darwin.o") {
			continue
		}
		c := b.coverageOf(t, object)
		if c.ran == 0 {
			t.Errorf("of %s no line ran: docs/mac-checklist.md says how to add a file", c.file)
		}
		total.lines, total.ran = total.lines+c.lines, total.ran+c.ran
		table += fmt.Sprintf("%-24s %3d of %3d lines, %5.1f%%", c.file, c.ran, c.lines, 100*c.share())
		if len(c.missed) > 0 {
			table += fmt.Sprint("; not ", strings.Trim(fmt.Sprint(c.missed), "[]"))
		}
		table += "\n"
	}
	t.Logf("lines of the files for macOS that ran:\n%s%-24s %3d of %3d lines, %5.1f%%", table, total.file, total.ran,
		total.lines, 100*total.share())
	if total.share() < leastCoverage {
		t.Errorf("%.1f%% of the lines ran, fewer than %.0f%%: add what is missing to the programs in testdata",
			100*total.share(), 100*leastCoverage)
	}
}
