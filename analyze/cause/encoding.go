package cause

import (
	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
	"mtrace/collector/wire"
)

// replaceCalls adds evidence and advice if encoding is a large share of the finding's time: the call that takes most
// of the encoding time, and the call that could replace it.
func (r *Finding) replaceCalls(ev *evidence.Evidence) {
	c := ev.Launch.Encoding
	cure := wire.EncodingCure(c.Selector)
	if cure == "" || !policy.AtLeast(policy.LargeShare, c.Time, r.Lost) {
		return
	}
	between := ""
	if c.Between*2 > c.Time {
		between = " with the program's own time between them"
	}
	r.explain("%s of the time for encoding is %s: %s in %s%s", percent(evidence.Share(c.Time, c.Encoding)), c.Selector,
		analyze.Plural(c.Count, "call"), c.Time, between)
	r.Advice = cure + "; then " + r.Advice
}
