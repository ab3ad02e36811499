package cause

import (
	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
	"mtrace/collector/wire"
)

// mergeEncoders adds evidence and advice, and returns true, if a large share of the finding's time is spent on ending
// encoders and creating further ones of the same kind in the same command buffer.
func (r *Finding) mergeEncoders(ev *evidence.Evidence) bool {
	s := ev.Launch.Small
	if s.Usual < policy.FewestSmallEncoders || !policy.AtLeast(policy.LargeShare, s.Time, r.Lost) {
		return false
	}
	r.explain("a command buffer usually has %d encoders that follow one of the same kind; "+
		"ending and creating encoders there took %s, %s of the threads' time", s.Usual, s.Time,
		percent(ev.Submitters.Share(s.Time)))
	join := "encode the commands of successive encoders into one encoder"
	if policy.AtLeast(policy.Majority, s.Time, r.Lost) {
		r.Advice = join
	} else {
		r.Advice = join + "; then " + r.Advice
	}
	return true
}

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
