package evidence

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// workQueues finds the semaphores at which threads wait for work, though each gives its semaphore back when it has taken something, as a lock is
// given back: so does CPython's SimpleQueue, in which an executor's workers are idle. A lock is given back only by who has it; a queue's semaphore
// is posted by who puts something in, too, and its waits are then waits for a signal.
func (ev *Evidence) workQueues() map[LockKey]bool {
	type use struct{ asLock, asSignal int }
	uses := map[LockKey]*use{}
	of := func(p *analyze.Process, address uint64) *use {
		k := LockKey{process: p, address: address}
		if uses[k] == nil {
			uses[k] = &use{}
		}
		return uses[k]
	}
	for i := range ev.Trace.SignalWaits {
		if w := &ev.Trace.SignalWaits[i]; w.Object != 0 && !w.GivenBack && !w.TimedOut && w.Thread != nil {
			of(w.Thread.Process, w.Object).asSignal++
		}
	}
	if len(uses) == 0 {
		return nil
	}
	for i := range ev.Trace.Locks {
		if l := &ev.Trace.Locks[i]; l.Lock != 0 && l.Thread != nil && !l.OfInterpreter() {
			of(l.Thread.Process, l.Lock).asLock++
		}
	}
	queues := map[LockKey]bool{}
	for k, u := range uses {
		if u.asLock > 0 && u.asSignal >= policy.Handful.Count() && policy.AtLeast(policy.WorthNaming, u.asSignal, u.asLock+u.asSignal) {
			queues[k] = true
		}
	}
	return queues
}

// ForWork says whether a wait for a lock is a wait for something to do.
func (ev *Evidence) ForWork(l *analyze.LockWait) bool {
	return l.Thread != nil && ev.queues[LockKey{process: l.Thread.Process, address: l.Lock}] && !l.OfInterpreter()
}
