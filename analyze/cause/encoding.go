package cause

import (
	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// replaceCalls names the call that makes up most of the encoding, with the call that could replace it, in a finding of
// which that is a large share.
func (r *Finding) replaceCalls(ev *evidence.Evidence) {
	c := ev.Launch.Encoding
	if c.Selector == "" || !policy.AtLeast(policy.LargeShare, c.Time, r.Lost) {
		return
	}
	between := ""
	if c.Between*2 > c.Time {
		between = " with the program's own time between them"
	}
	r.say("%s of the time for encoding is %s: %s in %s%s", percent(evidence.Share(c.Time, c.Encoding)), c.Selector,
		analyze.Plural(c.Count, "call"), c.Time, between)
	r.Advice = c.Advice + "; then " + r.Advice
}
