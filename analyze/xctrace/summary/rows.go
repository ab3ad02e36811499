package summary

import (
	"slices"

	"mtrace/analyze/xctrace"
)

// Rows are the rows of a recording that a Filter selects.
type Rows struct{ scope *scope }

// Select returns the rows of a recording that the filter selects. It returns an error if the filter names an unknown
// process.
func Select(r *xctrace.Recording, f Filter) (*Rows, error) {
	s, err := newScope(r, f)
	if err != nil {
		return nil, err
	}
	return &Rows{s}, nil
}

// Samples calls f for each CPU sample of the selected processes in the requested time range, also outside the window
// of GPU work. It uses one table, because the same samples may be in several.
func (r *Rows) Samples(f func(*xctrace.CPUSample)) {
	s := r.scope
	best := sampleTableOf(s)
	for i := range s.Recording.CPU.Samples {
		if x := &s.Recording.CPU.Samples[i]; x.Schema == best && s.asked(x.Time) && s.own(s.processOf(x)) {
			f(x)
		}
	}
}

// sampleTableOf returns the name of the table whose CPU samples are used, or "" if there are none.
func sampleTableOf(s *scope) (best string) {
	for i := range s.Recording.CPU.Samples {
		x := s.Recording.CPU.Samples[i].Schema
		if best == "" || slices.Index(sampleTables, x) < slices.Index(sampleTables, best) {
			best = x
		}
	}
	return best
}

// sampleTables are the tables with CPU samples, the best first. time-sample comes last because it has no symbols and no
// weights.
var sampleTables = []string{"time-profile", "cpu-profile", "counters-profile", "time-sample"}

// Window returns the time range that is summarised, in ns from the begin of the recording.
func (r *Rows) Window() (from, to Nanos) { return r.scope.from, r.scope.to }
