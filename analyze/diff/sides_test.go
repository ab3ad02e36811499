package diff

import (
	"strings"
	"testing"
	"time"

	"mtrace/analyze/report"
)

// ranAt is a run that began at a second, with a verdict's share and the processors' time that other programs used.
func ranAt(second int64, share, others float64) *Run {
	r := &Run{Report: &report.Report{}}
	r.Report.Source.Started, r.Report.Source.OthersShare = time.Unix(1e9+second, 0), &others
	r.Report.Serialization.Verdict, r.Report.Serialization.Share = "gpu-bound", share
	r.Report.Serialization.Summary = "The share is " + strings.Repeat("#", int(10*share)) + "."
	return r
}

// TestSidesOfSeveralRuns: a comparison of five runs a side showed the sentence of each side's first run, did not say
// how many runs there were, and did not repeat the warning that other programs used most of the machine.
func TestSidesOfSeveralRuns(t *testing.T) {
	a := []*Run{ranAt(0, 0.9, 0.9), ranAt(2, 0.2, 0.92), ranAt(4, 0.5, 0.94)}
	b := []*Run{ranAt(1, 0.3, 0.5), ranAt(3, 0.4, 0.5), ranAt(5, 0.1, 0.0)}
	d, err := Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Runs(); got != "3 runs a side, in turns" {
		t.Errorf("the runs: %q", got)
	}
	if got := strings.Join(d.Summaries(), " "); got != "A (the median of 3 runs): The share is #####. "+
		"B (the median of 3 runs): The share is ###." {
		t.Errorf("the summaries: %q", got)
	}
	var loud []string
	for _, w := range d.Warnings {
		if strings.HasPrefix(w, "BUSY MACHINE") {
			loud = append(loud, w)
		}
	}
	if len(loud) != 1 || loud[0] != "BUSY MACHINE: other programs used 92% of the machine's processors in A and 50% in B "+
		"(medians; 5 of 6 runs); work on processors is faster without them" {
		t.Errorf("the warnings: %q", loud)
	}
	if d, _ = Compare(b[:1], a[1:]); d.Runs() != "1 run of A and 2 of B, those of A first" {
		t.Errorf("one run and two: %q", d.Runs())
	}
	if d, _ = Compare(a[:1], b[2:]); d.Runs() != "" || len(d.Warnings) != 2 {
		t.Errorf("one run a side: %q, %q", d.Runs(), d.Warnings)
	}
	if d, _ = Compare(b[2:], b[2:]); strings.Contains(strings.Join(d.Warnings, ""), "BUSY") {
		t.Errorf("an idle machine: %q", d.Warnings)
	}
}

// TestExplainedShareOfTheChange: a headline named a kernel that was 17% of the change, while most of the rest was in
// kernels whose times are not identified.
func TestExplainedShareOfTheChange(t *testing.T) {
	at := func(x float64) *float64 { return &x }
	rope := Change{Kind: KindKernel, Name: "rope", Status: Slower, Ratio: at(1.39), Low: at(1.38), High: at(1.4), lost: 17}
	whole := Change{Kind: KindRun, Name: wholeRun, Status: Slower, A: 100, B: 200, Ratio: at(2), Low: at(1.9),
		High: at(2.1)}
	d := &Document{Changes: []Change{whole, rope}, unidentified: 67}
	if got := d.Answer(); got != "B is 2.00x slower (1.90x to 2.10x): kernel rope +39% (17% of the change), "+
		"kernels whose times are not identified (67% of the change)" {
		t.Errorf("the answer: %q", got)
	}
	if d.Changes[0].Status, d.unidentified = Unclear, 99; strings.Contains(d.Answer(), "of the change") {
		t.Errorf("shares of a change that is not clear: %q", d.Answer())
	}
}

// TestIntervalText: an interval whose ends are equal when rounded has one number, and an interval that excludes nothing
// has none.
func TestIntervalText(t *testing.T) {
	for want, ends := range map[string][2]float64{"[1.375]": {1.37489, 1.37501}, "[1.351, 1.379]": {1.3507, 1.3792},
		"[any]": {1.1e-8, 5.7e7}} {
		if got := (&Change{Low: &ends[0], High: &ends[1]}).interval(); got != want {
			t.Errorf("%v: %q, want %q", ends, got, want)
		}
	}
}
