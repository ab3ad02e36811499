package scaling

import (
	"fmt"
	"strings"
)

// A Verdict is what held the run with a number of threads back, from the report on its trace.
type Verdict struct {
	Threads    int      `json:"threads"`
	Verdict    string   `json:"verdict"`
	Share      float64  `json:"share"` // of the threads' time
	Confidence float64  `json:"confidence"`
	Summary    string   `json:"summary"`
	Speedup    *float64 `json:"speedup_if_removed"` // null when it was not replayed
	Runs       int      `json:"runs"`
	Agree      int      `json:"runs_that_agree"` // with the verdict
	Traces     []string `json:"traces"`
}

// CauseAtKnee is the verdict of the first number of threads that no longer paid; nil when throughput grows to the end, or
// there is no verdict for it.
func (d *Document) CauseAtKnee() *Verdict {
	if len(d.Series) == 0 || d.Series[0].Knee == nil {
		return nil
	}
	for i := range d.Verdicts {
		if d.Verdicts[i].Threads == d.Series[0].Knee.Next {
			return &d.Verdicts[i]
		}
	}
	return nil
}

// writeVerdicts writes how the verdict changes with the threads, and what it is at the knee.
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
	fmt.Fprintf(b, "cause at the knee, with %s: %s\n  %s\n", plural(v.Threads), v.Verdict, v.Summary)
	if v.Speedup != nil {
		fmt.Fprintf(b, "  without it: %.2fx, estimated by replay\n", *v.Speedup)
	}
}
