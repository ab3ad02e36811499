package diff

import (
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var kept = flag.String("kept", "", "measure the noise of the recordings in this folder, as `go run "+
	"./fixtures/scenarios/matrix --keep FOLDER` leaves them")

// keptRuns are the recordings of a folder, by program, in the order of their seeds.
func keptRuns(t *testing.T, folder string) map[string][]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.mtrace"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no recordings in %s: %v", folder, err)
	}
	name := regexp.MustCompile(`^(.*)-(\d+)\.mtrace$`)
	seed := func(path string) int {
		n, _ := strconv.Atoi(name.FindStringSubmatch(filepath.Base(path))[2])
		return n
	}
	runs := map[string][]string{}
	for _, path := range paths {
		if m := name.FindStringSubmatch(filepath.Base(path)); m != nil {
			runs[m[1]] = append(runs[m[1]], path)
		}
	}
	for _, list := range runs {
		slices.SortFunc(list, func(a, b string) int { return seed(a) - seed(b) })
	}
	return runs
}

// slowed is a run in which everything takes a factor as long, with unchanged noise.
func slowed(r *Run, factor float64) *Run {
	s := *r
	s.measures = map[Key]*measure{}
	for k, m := range r.measures {
		c := *m
		c.mean, c.usual = c.mean*factor, c.usual*factor
		if m.bins != nil {
			b := *m.bins
			b.sums = slices.Clone(b.sums)
			for i := range b.sums {
				b.sums[i].sum *= factor
			}
			c.bins = &b
		}
		s.measures[k] = &c
	}
	return &s
}

// slower has the factors by which the second runs are made slower, to test whether that is noticed.
var slower = []float64{1.1, 1.15, 1.2, 1.3, 1.5}

// A noise counts the results of comparing programs with themselves. The keys of alarms and run are the smallest changes
// that count as one.
type noise struct {
	least  []float64
	pairs  int
	alarms map[float64]int // pairs in which something that is not minor changed
	run    map[float64]int // pairs in which the time for each command buffer did
	// by the factor slower: pairs in which the time for each command buffer was reported as slower
	found    map[float64]int
	untested int            // pairs in which nothing is reported of that
	programs map[string]int // with alarms, at the smallest change that Compare calls one
}

func newNoise(least ...float64) *noise {
	return &noise{least: least, alarms: map[float64]int{}, run: map[float64]int{}, found: map[float64]int{},
		programs: map[string]int{}}
}

func (n *noise) add(t *testing.T, program string, a, b []*Run) {
	t.Helper()
	doc, err := Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	n.pairs++
	for _, least := range n.least {
		most, run := 0.0, 0.0
		for _, c := range doc.Changes {
			if c.QValue == nil || *c.QValue > doc.Rate {
				continue
			}
			changed := max(*c.Ratio-1, 1-*c.Ratio)
			if !c.Minor {
				most = max(most, changed)
			}
			if c.Kind == KindRun {
				run = changed
			}
		}
		if most >= least {
			n.alarms[least]++
			if least == doc.Least {
				n.programs[program]++
			}
		}
		if run >= least {
			n.run[least]++
		}
	}
	for _, by := range slower {
		longer := make([]*Run, len(b))
		for i := range b {
			longer[i] = slowed(b[i], by)
		}
		if doc, err = Compare(a, longer); err != nil {
			t.Fatal(err)
		}
		for _, c := range doc.Changes {
			if c.Kind != KindRun {
				continue
			}
			if c.Status == Slower {
				n.found[by]++
			} else if c.Status == Untested && by == 1.2 {
				n.untested++
			}
		}
	}
}

func (n *noise) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d comparisons of a program with itself", n.pairs)
	for _, least := range n.least {
		fmt.Fprintf(&b, "\n  from %2.0f%% on: something changed in %d (%.1f%%), the time for each command buffer in %d "+
			"(%.1f%%)", 100*least,
			n.alarms[least], 100*float64(n.alarms[least])/float64(n.pairs), n.run[least],
			100*float64(n.run[least])/float64(n.pairs))
	}
	for _, by := range slower {
		fmt.Fprintf(&b, "\n  %2.0f%% slower: seen in %d (%.1f%%)", 100*(by-1), n.found[by],
			100*float64(n.found[by])/float64(n.pairs))
	}
	fmt.Fprintf(&b, "\n  nothing can be said of the time for each command buffer in %d; programs with changes that are "+
		"none: %v", n.untested, n.programs)
	return b.String()
}

// TestNoiseOfRecordings measures how often a comparison of a program with itself reports a change, and how often it
// notices that the second run takes longer. Its output is the source of the figures in docs/reading.md.
func TestNoiseOfRecordings(t *testing.T) {
	if *kept == "" {
		t.Skip("measures recordings: -kept FOLDER")
	}
	single, repeated := newNoise(0.05, 0.08, 0.10, 0.15, 0.20), newNoise(0.01, 0.02, 0.05)
	runs := keptRuns(t, *kept)
	for program, paths := range runs {
		var list []*Run
		for _, path := range paths {
			run, err := Read(path)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, run)
		}
		for i := 0; i+1 < len(list); i += 2 {
			single.add(t, program, list[i:i+1], list[i+1:i+2])
		}
		for i := 0; i+5 < len(list); i += 6 {
			repeated.add(t, program, list[i:i+3], list[i+3:i+6])
		}
	}
	t.Logf("one run a side: %v", single)
	t.Logf("three runs a side: %v", repeated)
}
