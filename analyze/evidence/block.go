package evidence

import (
	"cmp"
	"fmt"
	"strings"

	"slices"
	"sort"

	"mtrace/analyze"
)

// blockKind is why a thread did not run.
type blockKind uint8

const (
	blockWait    blockKind = iota // in a wait
	blockLock                     // for a lock
	blockSlot                     // for a free command buffer
	blockSignal                   // for another thread's signal
	blockCompile                  // not blocked, but compiling: a part of the path of its own
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
	return cmp.Or(cmp.Compare(k.address, o.address), strings.Compare(k.name, o.name), cmp.Compare(pid(k.process), pid(o.process)))
}

// KeyOf is the lock that a thread waited for. The mutex and the condition variables that an interpreter's lock is made of are one lock.
func KeyOf(l *analyze.LockWait) LockKey {
	if l.OfInterpreter() {
		return LockKey{l.Thread.Process, 0, l.Name}
	}
	return LockKey{l.Thread.Process, l.Lock, l.Name}
}

// A block is a time in which a thread did not go on by itself.
type block struct {
	analyze.Interval
	kind   blockKind
	wait   *analyze.Wait
	holder *analyze.Thread // of the lock, when the wait began; or who gave the signal
	signal analyze.Nanos   // when that was
	handed bool            // the signal says that work is done which the thread had handed over
	lock   LockKey
	queue  *analyze.Queue // that was full
}

// blocks lists what held up each thread, by time, without overlap.
func (ev *Evidence) blocks() map[*analyze.Thread][]block {
	by := map[*analyze.Thread][]block{}
	for i := range ev.Trace.Waits {
		w := &ev.Trace.Waits[i]
		by[w.Thread] = append(by[w.Thread], block{Interval: w.Interval, kind: blockWait, wait: w})
	}
	for _, l := range ev.Locks {
		by[l.Thread] = append(by[l.Thread], block{Interval: l.Interval, kind: blockLock, holder: l.Holder, lock: KeyOf(&l)})
	}
	for i := range ev.ForSignals {
		if w := &ev.ForSignals[i]; w.Signaller != nil && w.Signaller != w.Thread && w.Signalled > w.Begin {
			handed := ev.Handover.Holds() && w.Signaller == ev.Handover.To && !w.GivenBack
			by[w.Thread] = append(by[w.Thread], block{Interval: w.Interval, kind: blockSignal, holder: w.Signaller, signal: w.Signalled, handed: handed})
		}
	}
	for b := range ev.BlockedOnQueue {
		by[b.Created.Thread] = append(by[b.Created.Thread], block{Interval: b.Created.Interval, kind: blockSlot, queue: b.Queue})
	}
	for _, c := range ev.Trace.Compilations {
		by[c.Thread] = append(by[c.Thread], block{Interval: c.Interval, kind: blockCompile})
	}
	for t, list := range by {
		slices.SortStableFunc(list, func(x, y block) int { return cmp.Compare(x.Begin, y.Begin) })
		kept := list[:0]
		for _, b := range list {
			if b.Length() > 0 && (len(kept) == 0 || b.Begin >= kept[len(kept)-1].End) {
				kept = append(kept, b)
			}
		}
		by[t] = kept
	}
	return by
}

// lastBlock is the last block that began before t; nil when there is none.
func lastBlock(list []block, t analyze.Nanos) *block {
	i := sort.Search(len(list), func(i int) bool { return list[i].Begin >= t })
	if i == 0 {
		return nil
	}
	return &list[i-1]
}

// Label is the lock's name, or its address.
func (k LockKey) Label() string { return cmp.Or(k.name, fmt.Sprintf("%#x", k.address)) }
