package cause_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/analyze/policy"
	"mtrace/fixtures/race"
	"mtrace/fixtures/tracesim"
)

// keptEnv names folders of kept recordings (the matrix's --keep), separated by colons. TestSensitivity then varies each
// threshold on those recordings, with predictions, because verdicts depend on predictions.
const keptEnv = "MTRACE_KEPT"

// moves are the factors by which each threshold is moved.
var moves = [2]float64{0.7, 1.3}

// mostThresholds is the maximum number of thresholds: each further one could be tuned.
const mostThresholds = 30

// mostFlips is the share of the verdicts that may change with a threshold that was not tuned.
const mostFlips = 0.01

// recordings returns the traces on which thresholds are varied: the kept ones, or else one simulated trace for each
// verdict.
func recordings(t *testing.T) (all []*analyze.Trace) {
	if folders := os.Getenv(keptEnv); folders != "" {
		for _, folder := range strings.Split(folders, ":") {
			found, _ := filepath.Glob(filepath.Join(folder, "*.mtrace"))
			for _, path := range found {
				all = append(all, load(t, path))
			}
		}
		if len(all) == 0 {
			t.Fatalf("no .mtrace in %s", folders)
		}
		return all
	}
	seen := map[string]bool{}
	for _, s := range tracesim.Scenarios {
		if cause := s.Causes[0]; !seen[cause] {
			seen[cause] = true
			all = append(all, load(t, s.Build(1).Run(t)))
		}
	}
	return all
}

// TestSensitivity changes each threshold by three tenths, up and down and no share beyond 1, and counts the verdicts
// that change. A threshold that changes more than one verdict in a hundred was tuned; docs/analysis.md has their
// number. With only the simulator's recording for each verdict, only a few may change at all. Under the race detector
// three recordings are enough: the others run the same code.
func TestSensitivity(t *testing.T) {
	traces, kept := recordings(t), os.Getenv(keptEnv) != ""
	if race.Enabled {
		traces = traces[:3]
	}
	verdicts := func() (all []string) {
		for _, trace := range traces {
			all = append(all, cause.Analyze(trace, cause.Options{Unpredicted: !kept, Permutations: 50}).Verdict.Cause)
		}
		return all
	}
	if n := len(policy.All()); n > mostThresholds {
		t.Errorf("%d thresholds, want at most %d: one value may stand for one idea wherever that is asked for", n,
			mostThresholds)
	}
	before, tuned := verdicts(), 0
	for _, th := range policy.All() {
		was := th.Value
		row := fmt.Sprintf("| %s | %g | %s |", th.Name, was, th.Unit)
		worst := 0
		for _, by := range moves {
			if th.Value = was * by; th.Unit == "share" {
				th.Value = min(1, th.Value)
			}
			flips, names := 0, map[string]int{}
			for i, v := range verdicts() {
				if v != before[i] {
					flips++
					names[before[i]+" to "+v]++
				}
			}
			th.Value = was
			worst = max(worst, flips)
			row += fmt.Sprintf(" %d %v |", flips, names)
		}
		if float64(worst) > mostFlips*float64(len(traces)) {
			tuned++
			row += " tuned"
		}
		t.Log(row)
	}
	t.Logf("%d thresholds, %d of them change more than %g of %d verdicts", len(policy.All()), tuned, mostFlips,
		len(traces))
	if !kept && tuned > len(policy.All())/3 {
		t.Errorf("%d of %d thresholds change a verdict of the simulator's programs when they are moved by three tenths",
			tuned, len(policy.All()))
	}
	if after := verdicts(); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Error("the verdicts are others with the thresholds as they were: something remembers them")
	}
}
