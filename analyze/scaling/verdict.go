package scaling

import (
	"fmt"
	"strings"

	"mtrace/analyze/policy"
)

// A Verdict is the cause that slowed the runs that had the same number of threads. It is taken from the reports on the
// traces of these runs.
type Verdict struct {
	Threads    int      `json:"threads"`
	Verdict    string   `json:"verdict"`
	Share      float64  `json:"share"` // share of the threads' time that the cause explains
	Confidence float64  `json:"confidence"`
	Summary    string   `json:"summary"`
	Speedup    *float64 `json:"speedup_if_removed"` // null if the gain was not predicted
	Runs       int      `json:"runs"`
	Agree      int      `json:"runs_that_agree"` // number of runs that have this verdict
	Traces     []string `json:"traces"`
}

// CauseAtKnee returns why throughput stops growing: the verdict at the first number of threads that gained little. If
// that verdict names no cause, CauseAtKnee returns the verdict at the first larger number of threads that names one.
// It returns nil if throughput keeps growing, or if none of these runs has a verdict.
func (d *Document) CauseAtKnee() *Verdict {
	if len(d.Series) == 0 || d.Series[0].Knee == nil {
		return nil
	}
	var first *Verdict
	for i := range d.Verdicts {
		v := &d.Verdicts[i]
		if v.Threads < d.Series[0].Knee.Next {
			continue
		}
		if v.Verdict != none {
			return v
		}
		if first == nil && v.Confidence > 0 {
			first = v
		}
	}
	return first
}

// none is the verdict of a report that found no cause.
const none = "none"

// NoteNoise adds a warning if runs with the same number of threads differ so much that the table is uncertain, or if
// there is only one run of each.
func (d *Document) NoteNoise() {
	for _, s := range d.Series {
		once, widest := true, Row{}
		for _, r := range s.Rows {
			once = once && r.Runs == 1
			if widest.Runs == 0 || (r.Max-r.Min)/r.Throughput > (widest.Max-widest.Min)/widest.Throughput {
				widest = r
			}
		}
		switch spread := (widest.Max - widest.Min) / widest.Throughput; {
		case once:
			d.Warnings = append(d.Warnings, "one run each: the variation between runs is not known")
		case spread > policy.NoisyRuns:
			d.Warnings = append(d.Warnings, fmt.Sprintf("runs with %s differ by %.0f%%: "+
				"the knee and the fits are uncertain; use a quieter machine, longer runs, or more runs",
				threadsOf(widest.Threads), 100*spread))
		}
	}
}

// writeVerdicts writes the verdict for each number of threads, and the cause at the knee.
func (d *Document) writeVerdicts(b *strings.Builder) {
	if len(d.Verdicts) == 0 {
		return
	}
	b.WriteString("\nthreads  verdict             share\n")
	last := ""
	for _, v := range d.Verdicts {
		note := ""
		if last != "" && v.Verdict != last {
			note = "  ← was " + last
		}
		if v.Confidence == 0 {
			note += "  (not enough data)"
		}
		if v.Agree < v.Runs {
			note += fmt.Sprintf("  (%d of %d runs)", v.Agree, v.Runs)
		}
		fmt.Fprintf(b, "%7d  %-18s  %4.0f%%%s\n", v.Threads, v.Verdict, 100*v.Share, note)
		last = v.Verdict
	}
	v := d.CauseAtKnee()
	if v == nil {
		return
	}
	at := "at the knee"
	if v.Threads > d.Series[0].Knee.Next {
		at = "beyond the knee (the runs at the knee name no cause)"
	}
	fmt.Fprintf(b, "cause %s, with %s: %s\n  %s\n", at, threadsOf(v.Threads), v.Verdict, v.Summary)
	if v.Speedup != nil {
		fmt.Fprintf(b, "  removing it: %.2fx faster, predicted\n", *v.Speedup)
	}
}
