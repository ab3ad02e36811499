package summary

import (
	"mtrace/analyze/xctrace"
)

// Rows are the rows of a recording that a filter selects.
type Rows struct{ scope *scope }

// Select applies a filter to a recording.
func Select(r *xctrace.Recording, f Filter) (*Rows, error) {
	s, err := newScope(r, f)
	if err != nil {
		return nil, err
	}
	return &Rows{s}, nil
}

// Samples calls f for each CPU sample of the subject in the requested time range, even outside the window of the GPU's
// work. They come from time-profile or cpu-profile if there is one, otherwise from time-sample, from which those are
// derived.
func (r *Rows) Samples(f func(*xctrace.CPUSample)) {
	s := r.scope
	best := sampleTableOf(s)
	for i := range s.Recording.CPU.Samples {
		if x := &s.Recording.CPU.Samples[i]; x.Schema == best && s.asked(x.Time) && s.own(s.processOf(x)) {
			f(x)
		}
	}
}

// sampleTableOf returns the table whose CPU samples count; "" if there is none.
func sampleTableOf(s *scope) (best string) {
	for i := range s.Recording.CPU.Samples {
		if x := s.Recording.CPU.Samples[i].Schema; best == "" || best == "time-sample" {
			best = x
		}
	}
	return best
}

// Window returns the time range that the rows cover.
func (r *Rows) Window() (from, to Nanos) { return r.scope.from, r.scope.to }
