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

// Samples calls f for each CPU sample of the subject in the window: of
// time-profile or cpu-profile where they are, else of time-sample, which is
// where they come from.
func (r *Rows) Samples(f func(*xctrace.CPUSample)) {
	s := r.scope
	best := ""
	for i := range s.Recording.Samples {
		if x := s.Recording.Samples[i].Schema; best == "" || best == "time-sample" {
			best = x
		}
	}
	for i := range s.Recording.Samples {
		x := &s.Recording.Samples[i]
		process := x.Process
		if process == 0 {
			process = s.Threads[x.Thread].Process
		}
		if x.Schema == best && x.Stack != 0 && s.inside(x.Time) && s.own(process) {
			f(x)
		}
	}
}

// Window is the window of the rows.
func (r *Rows) Window() (from, to Nanos) { return r.scope.from, r.scope.to }
