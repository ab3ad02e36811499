package doctor

import (
	"mtrace/interpose/inject"
)

// command checks whether the library can be injected into the user's command, and lists the programs through which
// the command starts (scripts, env, wrappers).
func (p *Probe) command(args []string, library string) Check {
	c := Check{ID: "command", Status: OK}
	plan, err := p.Host.Prepare(args, library, p.Environ)
	if err != nil {
		c.Status, c.Text = Fail, err.Error()
		return c
	}
	c.Data = plan
	for _, hop := range plan.Chain {
		line := hop.Path
		if hop.Via != "" {
			line += " (" + hop.Via + ")"
		}
		if hop.Image.Machine != "" {
			line += ", " + string(hop.Image.Format) + " " + hop.Image.Machine
		}
		if hop.Skipped {
			line += ", left out"
		}
		c.Details = append(c.Details, line)
	}
	c.Details = append(c.Details, lines("warning: ", plan.Warnings)...)
	switch {
	case plan.Injectable:
		c.Text = "can be traced: " + plan.Program
		if len(plan.Warnings) > 0 {
			c.Status, c.Advice = Warn, plan.Warnings[0].Advice
		}
	default:
		c.Status = Fail
		c.Text = "cannot be traced: " + plan.Program
		if len(plan.Reasons) > 0 {
			c.Text = plan.Reasons[0].Path + " cannot be traced: it " + plan.Reasons[0].Text
			c.Advice = plan.Reasons[0].Advice
			c.Details = append(c.Details, lines("reason: ", plan.Reasons[1:])...)
		}
		if plan.Inherited {
			c.Status = Warn
			c.Advice = "the programs that it starts are traced"
		}
	}
	return c
}

func lines(prefix string, findings []inject.Finding) []string {
	var all []string
	for _, f := range findings {
		all = append(all, prefix+f.String())
	}
	return all
}
