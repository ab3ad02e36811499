package replay

import "mtrace/analyze"

// A server works on several things at the same time, and the slower on each the more they are: a processor, which is shared out, or a GPU that begins
// all that is ready. Each thing's rank is what served is when it is done.
type server[T any] struct {
	slope   float64       // how much longer a thing takes for each other beside it, as a share of what it takes alone; 1 is shared evenly
	served  float64       // what a thing that was there all the while would have had done of it, in ns of having all to itself
	at      analyze.Nanos // as of then
	running binaryHeap[T]
}

// stretch is how many times as long as alone things take with n of them.
func (s *server[T]) stretch(n int) float64 { return 1 + s.slope*float64(n-1) }

func (s *server[T]) pass(now analyze.Nanos) {
	if n := len(s.running); n > 0 {
		s.served += float64(now-s.at) / s.stretch(n)
	}
	s.at = now
}

// begin begins a thing that takes so long alone. The number tells those apart that are done at the same time.
func (s *server[T]) begin(now, alone analyze.Nanos, number int, of T) {
	s.pass(now)
	s.running.push(ranked[T]{s.served + float64(alone), number, of})
}

// first is when the first thing is done, if nothing else begins; false when there is none.
func (s *server[T]) first() (at analyze.Nanos, any bool) {
	n := len(s.running)
	if n == 0 {
		return 0, false
	}
	return s.at + analyze.Nanos(max(0, s.running[0].rank-s.served)*s.stretch(n)+0.5), true
}

// firstDone is the server whose first thing is the first of all to be done, and when; false when nothing runs.
func firstDone[T any](servers []server[T]) (k int, at analyze.Nanos, any bool) {
	for i := range servers {
		if t, runs := servers[i].first(); runs && (!any || t < at) {
			k, at, any = i, t, true
		}
	}
	return k, at, any
}

// end ends the first thing.
func (s *server[T]) end(now analyze.Nanos) T {
	s.pass(now)
	return s.running.pop()
}
