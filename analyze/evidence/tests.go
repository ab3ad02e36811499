package evidence

import (
	"mtrace/analyze"
	"mtrace/analyze/statistics"
)

// Tests are the statistical tests of whether threads hold each other up.
type Tests struct {
	Exclusion    []Exclusion
	Interference []Interference
}

// RunTests runs the statistical tests of a trace.
func RunTests(trace *analyze.Trace, opts Options) Tests {
	opts = opts.withDefaults()
	t := Tests{testExclusions(trace, opts), testInterferences(trace, opts)}
	t.adjust()
	return t
}

// adjust adjusts the p-values of all tests of the analysis together.
func (t *Tests) adjust() {
	var p []float64
	var q []*float64
	for e := range analyze.Each(t.Exclusion) {
		p, q = append(p, e.PValue), append(q, &e.QValue)
	}
	for i := range analyze.Each(t.Interference) {
		p, q = append(p, i.PValue), append(q, &i.QValue)
	}
	for i, adjusted := range statistics.FalseDiscovery(p) {
		*q[i] = adjusted
	}
}

// SoloCommit is what a commit takes when no other thread is inside, if commits are served one at a time; otherwise no
// bound.
func (t *Tests) SoloCommit() analyze.Nanos {
	for i := range t.Interference {
		if x := &t.Interference[i]; x.What == "commit" && x.OneAtATime() {
			return x.Solo
		}
	}
	return 1 << 62
}
