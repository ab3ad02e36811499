package record

import (
	"slices"
	"testing"

	"mtrace/analyze/cause"
	"mtrace/analyze/report"
	"mtrace/collector/experiment"
)

// TestRankedTargets: an experiment begins with the verdict and the changes that would help most, and ends with the
// targets about which the first recording says nothing.
func TestRankedTargets(t *testing.T) {
	r := &report.Report{Serialization: report.Serialization{Verdict: cause.CompileBound}}
	for _, w := range [][2]string{{"lock", "cache"}, {"call", "commit"}, {"kernel", "axpy"}, {"call", "setLabel:"},
		{"cause", cause.DeviceWideSync}} {
		r.WhatIf = append(r.WhatIf, report.WhatIf{What: report.Changed{Kind: w[0], Name: w[1]}})
	}
	got := rankedTargets(r)
	if want := []string{"compile", "lock", "commit", "wait"}; !slices.Equal(got[:len(want)], want) {
		t.Errorf("the order is %v, want %v first", got, want)
	}
	if slices.Sort(got); len(got) != len(experiment.Names()) {
		t.Errorf("the targets are %v, want all of %v", got, experiment.Names())
	}
	for cause, name := range targetOfCause {
		if _, err := parsed([]string{name}); err != nil {
			t.Errorf("%s: %v", cause, err)
		}
	}
}
