package claims

import (
	"fmt"

	"mtrace/analyze/gate"
)

// Gate returns the results in the form from which package gate writes files for CI servers.
func (d *Document) Gate() *gate.Gate {
	g := &gate.Gate{Command: "mtrace check", Name: d.Name, Columns: []string{"result", "target", ""}}
	if g.Name == "" {
		g.Name = d.Claims
	}
	if d.Incomplete != "" {
		g.Warnings = []string{d.Incomplete}
	}
	if d.Software {
		g.Warnings = append(g.Warnings, softwareNote)
	}
	for _, r := range d.Results {
		c := gate.Case{Name: r.name(), Detail: r.Expr, Cells: []string{r.Result, r.Target, r.Reason}}
		if r.Result != "" {
			c.Detail = fmt.Sprintf("%s: %s, target %s", r.Expr, r.Result, r.Target)
		}
		switch r.Status {
		case Fail:
			c.Outcome, c.Why = gate.Failed, r.Expr+" does not hold"
			if r.Result != "" {
				c.Why = fmt.Sprintf("%s, target %s", r.Result, r.Target)
			}
		case Skipped:
			c.Outcome, c.Why = gate.Skipped, r.Reason
		}
		g.Cases = append(g.Cases, c)
	}
	return g
}
