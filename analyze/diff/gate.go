package diff

import (
	"fmt"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/gate"
)

// Gate returns the comparison as a gate.Gate, from which package gate writes files for CI servers: one case per
// compared item. A case fails if the item became slower by more than the limit passed to Fail.
func (d *Document) Gate() *gate.Gate {
	g := &gate.Gate{Command: "mtrace diff", Name: d.A.line() + " → " + d.B.line(), Warnings: slices.Clone(d.Warnings),
		Columns: []string{"change", "A", "B", "B/A", "because"}}
	g.Notes = []string{"verdict: " + d.A.verdict() + " on both sides"}
	if d.A.verdict() != d.B.verdict() {
		g.Notes[0] = fmt.Sprintf("verdict: %s → %s", d.A.verdict(), d.B.verdict())
		if d.B.Summary != "" {
			g.Notes = append(g.Notes, d.B.Summary)
		}
	}
	if d.FailOver == nil {
		g.Undecided = "no limit was given (--fail-over), so nothing can fail"
	}
	for i := range d.Changes {
		g.Cases = append(g.Cases, d.gateCase(&d.Changes[i]))
	}
	return g
}

func (d *Document) gateCase(c *Change) gate.Case {
	a, b := duration(c.CountA, c.A), duration(c.CountB, c.B)
	to := gate.Case{Name: analyze.Printable(c.name()), Quiet: c.Minor || c.Status == Same || c.Status == Unclear ||
		c.Status == Untested,
		Detail: fmt.Sprintf("%s → %s", a, b),
		Cells:  []string{string(c.Status), a, b, "", c.Because}}
	if c.Ratio != nil {
		interval := fmt.Sprintf("%.3fx %s", *c.Ratio, c.interval())
		to.Cells[3], to.Detail = interval, to.Detail+", "+interval
	}
	switch {
	case slices.Contains(d.Failed, c.name()):
		to.Outcome, to.Why = gate.Failed, fmt.Sprintf("slower by more than %g%%: %s", 100**d.FailOver, to.Detail)
	case c.Status == Untested:
		to.Outcome, to.Why = gate.Skipped, c.Why
	}
	return to
}
