package tracesim

import "mtrace/collector/wire"

// A Shelf is where threads take what they do, and wait for it.
type Shelf struct {
	pieces, kept int
	waiting      []*Thread
	closed       bool
	by           *Thread // who put something there last
}

// Put puts a piece of work there. Who began to wait last mostly gets it: its processor is still awake.
func (t *Thread) Put(s *Shelf) {
	s.pieces, s.by = s.pieces+1, t
	n := len(s.waiting)
	if n == 0 {
		return
	}
	k := n - 1
	if t.Random() < 0.3 {
		k = int(t.Random() * float64(n))
	}
	got := s.waiting[k]
	s.waiting = append(s.waiting[:k:k], s.waiting[k+1:]...)
	s.kept++ // for the one that is woken
	got.wake(5000)
}

// Close says that nothing more will come.
func (t *Thread) Close(s *Shelf) {
	s.closed = true
	for _, w := range s.waiting {
		w.wake(5000)
	}
	s.waiting = nil
}

// Take takes a piece, if there will be one.
func (t *Thread) Take(s *Shelf) bool {
	if s.pieces == s.kept && !s.closed {
		begin := t.Now()
		s.waiting = append(s.waiting, t)
		t.block()
		if s.by != nil && s.kept > 0 {
			s.kept--
		}
		t.ring.AddMore(wire.Record{Begin: wire.Ticks(begin), End: wire.Ticks(t.Now()), Arg: s.by.id,
			Call: wire.MustLookup(wire.FamilySignal, "pthread_cond_wait")},
			wire.More{X0: t.sim.process.String("work"), X1: 0x7000, X3: 5000})
	}
	if s.pieces == 0 {
		return false
	}
	s.pieces--
	return true
}
