package analyze

// dispatchRuns gives the encoders of a thread room for their dispatches. A thread fills one encoder after another, so that one grows in
// place while nothing was put behind it.
type dispatchRuns struct {
	free []Dispatch
	last *Dispatch // the one before free
}

// extend is run with d added to it. The capacity of a run is not its own.
func (s *dispatchRuns) extend(run []Dispatch, d Dispatch) []Dispatch {
	n := len(run)
	if n > 0 && &run[n-1] == s.last && len(s.free) > 0 {
		run = run[:n+1]
	} else {
		if len(s.free) <= n {
			s.free = make([]Dispatch, max(256, 2*n))
		}
		moved := s.free[:n+1]
		copy(moved, run)
		run = moved
	}
	run[n], s.last, s.free = d, &run[n], run[n+1:cap(run)]
	return run
}
