package evidence

import (
	"mtrace/analyze"
	"mtrace/analyze/statistics"
)

// Tests has the results of the statistical tests of whether threads delay each other.
type Tests struct {
	Exclusion    []Exclusion
	Interference []Interference
}

// RunTests tests whether threads of a trace avoid each other (Exclusion) and slow each other down (Interference).
func RunTests(trace *analyze.Trace, opts Options) Tests {
	opts = opts.withDefaults()
	by := intervalsOf(trace)
	t := Tests{testExclusions(by, opts), testInterferences(by, opts)}
	t.adjust()
	return t
}

// adjust sets the q-values of all tests together: p-values, adjusted so that many tests do not produce findings by
// chance.
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

// SoloCommit returns the duration of a commit while no other thread commits, if commits are served one at a time. A
// replay without locks shortens commits to it. If commits do not delay each other, it returns a huge value, which
// shortens none.
func (t *Tests) SoloCommit() analyze.Nanos {
	for i := range t.Interference {
		if x := &t.Interference[i]; x.What == "commit" && x.OneAtATime() {
			return x.Solo
		}
	}
	return 1 << 62
}
