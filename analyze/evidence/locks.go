package evidence

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// LockKey tells locks apart.
type LockKey struct {
	process *analyze.Process
	address uint64
	name    string
}

// Compare puts locks in an order that is the same in every analysis.
func (k LockKey) Compare(o LockKey) int {
	pid := func(p *analyze.Process) int64 {
		if p == nil {
			return -1
		}
		return int64(p.ID)
	}
	return cmp.Or(cmp.Compare(k.address, o.address), strings.Compare(k.name, o.name),
		cmp.Compare(pid(k.process), pid(o.process)))
}

// KeyOf is the lock that a thread waited for. The mutex and the condition variables that an interpreter's lock is made
// of are one lock.
func KeyOf(l *analyze.LockWait) LockKey {
	if l.OfInterpreter() {
		return LockKey{l.Thread.Process, 0, l.Name}
	}
	return LockKey{l.Thread.Process, l.Lock, l.Name}
}

// Label is the lock's name, or its address.
func (k LockKey) Label() string { return cmp.Or(k.name, fmt.Sprintf("%#x", k.address)) }

// sortLocks tells waits for locks from waits for work: at some semaphores threads wait for something to do, though each
// gives its semaphore back when it has taken something, as a lock is given back. So do the idle workers of an executor,
// at CPython's SimpleQueue. A lock is given back only by who has it; a queue's semaphore is posted by who puts
// something in, too. All waits there are waits for the signal of that one.
func (ev *Evidence) sortLocks() {
	ev.Locks, ev.SignalWaits, ev.forWork = ev.Trace.Locks, ev.Trace.SignalWaits, map[*analyze.Thread]idleTime{}
	queues := workQueues(ev.Trace)
	if len(queues) == 0 {
		return
	}
	ev.Locks, ev.SignalWaits = nil, slices.Clone(ev.SignalWaits)
	for _, l := range ev.Trace.Locks {
		post, idle := queues[queueOf(&l)]
		if !idle || l.Thread == nil || l.OfInterpreter() {
			ev.Locks = append(ev.Locks, l)
			continue
		}
		ev.SignalWaits = append(ev.SignalWaits, analyze.SignalWait{Call: l.Call, Selector: l.Selector, Object: l.Lock,
			Name: l.Name, Signaller: post, Earlier: l.Earlier})
		if !ev.Trace.Holds(l.End) {
			continue
		}
		t := ev.forWork[l.Thread]
		ev.forWork[l.Thread] = idleTime{t.all + l.Own, t.working + min(l.Own, overlap(l.Interval, atWork(l.Thread)))}
	}
	slices.SortStableFunc(ev.SignalWaits, func(x, y analyze.SignalWait) int { return cmp.Compare(x.Begin, y.Begin) })
}

// idleTime is what the trace counts as waiting for locks, and is waiting for work.
type idleTime struct{ all, working analyze.Nanos }

func queueOf(l *analyze.LockWait) LockKey { return LockKey{process: l.Thread.Process, address: l.Lock} }

// workQueues are those semaphores, with the thread that posts most of what the trace shows posts of; nil where none
// does.
func workQueues(t *analyze.Trace) map[LockKey]*analyze.Thread {
	uses := map[LockKey]*struct {
		asLock, asSignal int
		by               map[*analyze.Thread]int
	}{}
	for w := range analyze.Each(t.SignalWaits) {
		if w.Object == 0 || w.GivenBack || w.TimedOut || w.Thread == nil {
			continue
		}
		u := entry(uses, LockKey{process: w.Thread.Process, address: w.Object})
		if u.asSignal++; u.by == nil {
			u.by = map[*analyze.Thread]int{}
		}
		u.by[w.Signaller]++
	}
	for l := range analyze.Each(t.Locks) {
		if l.Lock != 0 && l.Thread != nil && !l.OfInterpreter() {
			if u := uses[queueOf(l)]; u != nil {
				u.asLock++
			}
		}
	}
	queues := map[LockKey]*analyze.Thread{}
	for k, u := range uses {
		if u.asLock == 0 || u.asSignal < policy.Handful.Count() || !policy.AtLeast(policy.WorthNaming, u.asSignal,
			u.asLock+u.asSignal) {
			continue
		}
		queues[k] = nil
		for by, n := range u.by {
			if policy.MoreThan(policy.Most, n, u.asSignal) {
				queues[k] = by
			}
		}
	}
	return queues
}
