package hang

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
	"mtrace/collector/wire"
)

// signallers tells who signalled an object (a condition variable or semaphore) for which a thread now waits.
type signallers struct {
	handlers int                     // earlier waits that a signal from a completion handler ended
	threads  map[*analyze.Thread]int // by thread that signalled outside of handlers: earlier waits that it ended
	// earlier waits were compared without the line of the program, where the address alone may mean another object
	uncertain bool
	timed     bool // an earlier wait ended by its time limit, so the present one may too
}

// waits returns how many earlier waits the signals ended.
func (g *signallers) waits() (n int) {
	n = g.handlers
	for _, k := range g.threads {
		n += k
	}
	return n
}

// findUnsignalled finds the threads for which no signal can come any more. A signal can come from a thread that has
// not exited and does not itself wait for such a signal, and from a completion handler while a command buffer is
// outstanding or a thread can submit one. A thread counts only if enough earlier waits show who signals it.
func (s *surveyed) findUnsignalled() {
	s.unsignalled = map[*analyze.Thread]*signallers{}
	for _, u := range s.inside {
		if awaitsSignal(u) {
			s.unsignalled[u.Thread] = &signallers{threads: map[*analyze.Thread]int{}}
		}
	}
	if len(s.unsignalled) == 0 {
		return
	}
	s.recallSignals()
	for t, g := range s.unsignalled {
		if g.timed || g.waits() < policy.SignalsToKnow {
			delete(s.unsignalled, t)
		}
	}
	for changed := true; changed; {
		changed = false
		for t, g := range s.unsignalled {
			if s.mayBeSignalled(t, g) {
				delete(s.unsignalled, t)
				changed = true
			}
		}
	}
	for _, g := range s.unsignalled {
		s.uncertain = s.uncertain || g.uncertain
	}
}

// awaitsSignal reports whether u is a wait without a time limit for a condition variable or semaphore.
func awaitsSignal(u *analyze.UnfinishedCall) bool {
	return u.Group == wire.GroupSignal && u.Address != 0 && u.Child == 0 && u.Holder == nil && u.Polls == 0 &&
		!wire.HasTimeLimit(u.Selector)
}

// mayBeSignalled reports whether a signal for the waiting thread t may still come, from the threads or handlers that
// signalled it before.
func (s *surveyed) mayBeSignalled(t *analyze.Thread, g *signallers) bool {
	exited := false
	for by := range g.threads {
		if !s.stopped(by) {
			return true
		}
		exited = exited || by.Exited
	}
	if g.handlers > 0 && s.mayRunHandlers() {
		return true
	}
	// threads that exit may be followed by new ones with the same task, which another thread starts
	if exited || !s.submitters[t] {
		return slices.ContainsFunc(s.trace.Threads, func(x *analyze.Thread) bool { return s.mayAct(x) })
	}
	return false
}

// stopped reports whether a thread cannot act any more: it exited, or waits for a signal that cannot come.
func (s *surveyed) stopped(t *analyze.Thread) bool { return t.Exited || s.unsignalled[t] != nil }

// mayRunHandlers reports whether a completion handler may run in future: a command buffer with handlers is
// outstanding, or a thread that creates command buffers can act.
func (s *surveyed) mayRunHandlers() bool {
	for t := range s.submitters {
		if !s.stopped(t) {
			return true
		}
	}
	for q := range s.buffers {
		for _, b := range s.outstanding(q) {
			if b.Handlers > 0 {
				return true
			}
		}
	}
	return false
}

// mayAct reports whether a thread may do something without being signalled by another one. Threads that only wait for
// signals of others, or only run completion handlers, do not.
func (s *surveyed) mayAct(t *analyze.Thread) bool {
	if t.Process != s.process || t.OnlyIdle || t.Notified != analyze.NoCommandBuffer || s.stopped(t) {
		return false
	}
	u := s.byThread[t]
	if u == nil {
		return true
	}
	return u.Group != wire.GroupLock && u.Effect != wire.EffectJoins && !awaitsSignal(u)
}
