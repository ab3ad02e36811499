package evidence

import (
	"mtrace/analyze"
	"mtrace/analyze/statistics"
)

// Tests are the statistical tests of whether threads delay each other.
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

// adjust adjusts the p-values of all tests together for multiple testing.
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

// SoloCommit returns the duration of a commit while no other thread is inside, if commits are served one at a time;
// otherwise there is no bound.
func (t *Tests) SoloCommit() analyze.Nanos {
	for i := range t.Interference {
		if x := &t.Interference[i]; x.What == "commit" && x.OneAtATime() {
			return x.Solo
		}
	}
	return 1 << 62
}
