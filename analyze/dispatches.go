package analyze

// dispatchRuns gives the encoders of a thread room for their dispatches. A thread fills one encoder after another, so
// that one grows in place while nothing was put behind it.
type dispatchRuns struct {
	block []Dispatch
	used  int // of block
}

// extend is run with d added to it.
func (s *dispatchRuns) extend(run []Dispatch, d Dispatch) []Dispatch {
	n := len(run)
	if n == 0 || s.used == 0 || &run[n-1] != &s.block[s.used-1] || s.used == len(s.block) {
		if len(s.block)-s.used <= n {
			s.block, s.used = make([]Dispatch, max(256, 2*n)), 0
		}
		s.used += copy(s.block[s.used:], run)
	}
	s.block[s.used] = d
	s.used++
	return s.block[s.used-n-1 : s.used : s.used]
}
