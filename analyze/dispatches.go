package analyze

// dispatchRuns stores the dispatches of a thread's encoders in shared blocks, to avoid one allocation per encoder. A
// thread mostly fills one encoder after another, so an encoder's dispatches are at the end of the block and can grow
// in place. If a thread alternates between encoders, extend first copies the encoder's dispatches to the end.
type dispatchRuns struct {
	block []Dispatch
	used  int // number of used elements of block
}

// extend returns run with d appended.
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
