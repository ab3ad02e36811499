package summary

import (
	"mtrace/analyze/xctrace"
)

// Rows are the rows of a recording that a filter lets through.
type Rows struct{ scope *scope }

// Select applies a filter to a recording.
func Select(r *xctrace.Recording, f Filter) (*Rows, error) {
	s, err := newScope(r, f)
	if err != nil {
		return nil, err
	}
	return &Rows{s}, nil
}

// Samples calls f for each CPU sample of the subject in the range of time that was asked for, also beside the window of
// the GPU's work: of time-profile or cpu-profile where they are, else of time-sample, which is where they come from.
func (r *Rows) Samples(f func(*xctrace.CPUSample)) {
	s := r.scope
	best := sampleTableOf(s)
	for i := range s.Recording.CPU.Samples {
		if x := &s.Recording.CPU.Samples[i]; x.Schema == best && s.asked(x.Time) && s.own(s.processOf(x)) {
			f(x)
		}
	}
}

// sampleTableOf is the table whose CPU samples count; "" without any.
func sampleTableOf(s *scope) (best string) {
	for i := range s.Recording.CPU.Samples {
		if x := s.Recording.CPU.Samples[i].Schema; best == "" || best == "time-sample" {
			best = x
		}
	}
	return best
}

// Window is the time that the rows are of.
func (r *Rows) Window() (from, to Nanos) { return r.scope.from, r.scope.to }
