package evidence

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// LockKey identifies a lock across its waits. For an interpreter's lock the address is 0.
type LockKey struct {
	process *analyze.Process
	address uint64
	name    string
}

// Compare orders locks by address, name and process, so that the reports of equal traces list them in the same order.
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

// KeyOf returns the key of the lock that a thread waited for. An interpreter's lock (GIL) consists of a mutex and
// condition variables; all of them get one key, so that their waits count as waits for one lock.
func KeyOf(l *analyze.LockWait) LockKey {
	if l.OfInterpreter() {
		return LockKey{l.Thread.Process, 0, l.Name}
	}
	return LockKey{l.Thread.Process, l.Lock, l.Name}
}

// Label returns the lock's name, or its address if it has no name.
func (k LockKey) Label() string { return cmp.Or(k.name, fmt.Sprintf("%#x", k.address)) }

// ThreadWaits has the threads' waits for locks and for each other's signals.
type ThreadWaits struct {
	Locks   []analyze.LockWait   // without waits at semaphores of work queues
	Signals []analyze.SignalWait // with waits at semaphores of work queues
	// Signals, but consecutive waits of a thread that woke spuriously and waited again are joined into one
	Merged []analyze.SignalWait
	idle   map[*analyze.Thread]idleTime
}

// FindThreadWaits separates waits for locks from waits for work. Idle workers of an executor wait at a semaphore, and
// each posts the semaphore again after taking an item, as in CPython's SimpleQueue. In the trace that looks like a
// lock. The difference: only the holder releases a lock, while a producer also posts the semaphore of a work queue.
// All waits at such a semaphore become signal waits; otherwise idle workers would be reported as lock contention.
func FindThreadWaits(t *analyze.Trace) *ThreadWaits {
	w := &ThreadWaits{Locks: t.CPUWaits.Locks, Signals: t.CPUWaits.Signals, idle: map[*analyze.Thread]idleTime{}}
	if queues := workQueues(t); len(queues) > 0 {
		w.moveWaitsForWork(t, queues)
	}
	w.Merged = mergeSignalWaits(w.Signals)
	return w
}

// moveWaitsForWork moves the waits at semaphores of work queues from Locks to Signals: a thread that waits there is
// idle and does not contend for a lock. The trace has counted these waits as lock time (PartLock), so w.idle records
// how much of a thread's lock time must be counted as idle time instead.
func (w *ThreadWaits) moveWaitsForWork(trace *analyze.Trace, queues map[LockKey]*analyze.Thread) {
	w.Locks, w.Signals = nil, slices.Clone(w.Signals)
	for _, l := range trace.CPUWaits.Locks {
		post, idle := queues[queueOf(&l)]
		if !idle || l.Thread == nil || l.OfInterpreter() {
			w.Locks = append(w.Locks, l)
			continue
		}
		w.Signals = append(w.Signals, analyze.SignalWait{Call: l.Call, Selector: l.Selector, Object: l.Lock,
			Name: l.Name, Signaller: post, Earlier: l.Earlier})
		if !trace.Includes(l.End) {
			continue
		}
		t := w.idle[l.Thread]
		w.idle[l.Thread] = idleTime{t.all + l.Exclusive, t.working + min(l.Exclusive, overlap(l.Interval, atWork(l.Thread)))}
	}
	slices.SortStableFunc(w.Signals, func(x, y analyze.SignalWait) int { return cmp.Compare(x.Begin, y.Begin) })
}

// mergeSignalWaits joins a wait with the thread's previous one at the same object if it follows at once: the thread
// woke spuriously and waited again. The joined wait takes its end and its signal from the later one.
func mergeSignalWaits(waits []analyze.SignalWait) []analyze.SignalWait {
	all := make([]analyze.SignalWait, 0, len(waits))
	last := map[*analyze.Thread]int{}
	for _, w := range waits {
		if i, before := last[w.Thread]; before {
			if b := &all[i]; b.Object == w.Object && w.LastSignalled == 0 && w.Begin-b.End <= policy.LongestWakeup.Nanos() {
				b.End, b.Signaller, b.Signalled, b.AcquirerReleased, b.Fetched, b.TimedOut = w.End, w.Signaller, w.Signalled,
					w.AcquirerReleased,
					w.Fetched, w.TimedOut
				continue
			}
		}
		last[w.Thread] = len(all)
		all = append(all, w)
	}
	return all
}

// idleTime is the time that a thread waited for work at semaphores that the trace reports as locks: in total (all),
// and within the thread's working time.
type idleTime struct{ all, working analyze.Nanos }

func queueOf(l *analyze.LockWait) LockKey { return LockKey{process: l.Thread.Process, address: l.Lock} }

// workQueues returns the semaphores that belong to work queues and not to locks: another thread's post ended enough
// of their waits. The value is the thread that made most of the posts; nil if no thread made most of them.
func workQueues(t *analyze.Trace) map[LockKey]*analyze.Thread {
	uses := map[LockKey]*struct {
		asLock, asSignal int
		by               map[*analyze.Thread]int
	}{}
	for w := range analyze.Each(t.CPUWaits.Signals) {
		if w.Object == 0 || w.AcquirerReleased || w.TimedOut || w.Thread == nil {
			continue
		}
		u := entry(uses, LockKey{process: w.Thread.Process, address: w.Object})
		if u.asSignal++; u.by == nil {
			u.by = map[*analyze.Thread]int{}
		}
		u.by[w.Signaller]++
	}
	for l := range analyze.Each(t.CPUWaits.Locks) {
		if l.Lock != 0 && l.Thread != nil && !l.OfInterpreter() {
			if u := uses[queueOf(l)]; u != nil {
				u.asLock++
			}
		}
	}
	queues := map[LockKey]*analyze.Thread{}
	for k, u := range uses {
		if u.asLock == 0 || u.asSignal < policy.FewestThreadOccurrences.Count() ||
			!policy.AtLeast(policy.WorthNaming, u.asSignal,
				u.asLock+u.asSignal) {
			continue
		}
		queues[k] = nil
		for by, n := range u.by {
			if policy.MoreThan(policy.Majority, n, u.asSignal) {
				queues[k] = by
			}
		}
	}
	return queues
}
