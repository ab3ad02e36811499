package evidence

import "mtrace/analyze"

// A Matrix says how long each thread waited for each other: NS[i][j] is the time that Threads[i] waited for Threads[j].
type Matrix struct {
	Threads []*analyze.Thread
	NS      [][]analyze.Nanos
	index   map[*analyze.Thread]int
}

func newMatrix(threads []*ThreadTime) *Matrix {
	m := &Matrix{NS: make([][]analyze.Nanos, len(threads)), index: make(map[*analyze.Thread]int, len(threads))}
	for i, t := range threads {
		m.Threads = append(m.Threads, t.Thread)
		m.NS[i] = make([]analyze.Nanos, len(threads))
		m.index[t.Thread] = i
	}
	return m
}

func (ev *Evidence) newMatrices() {
	ev.WaitMatrix, ev.QueuedMatrix, ev.LockMatrix = newMatrix(ev.Threads), newMatrix(ev.Threads), newMatrix(ev.Threads)
}

func (ev *Evidence) allMatrices() [3]*Matrix {
	return [3]*Matrix{ev.WaitMatrix, ev.QueuedMatrix, ev.LockMatrix}
}

// Add adds time that waiter lost to holder; threads that the matrix does not have are left out.
func (m *Matrix) Add(waiter, holder *analyze.Thread, time analyze.Nanos) {
	i, waits := m.index[waiter]
	j, holds := m.index[holder]
	if waits && holds {
		m.NS[i][j] += time
	}
}

// matrices fills who waits for whom: for work that another thread committed, or was given to commit, and for locks that
// it held (WaitMatrix); for GPU time that another thread's work took while one's own was queued (QueuedMatrix); for
// locks alone (LockMatrix). The holder of a lock is the one that held it when the wait began.
func (ev *Evidence) matrices() {
	ev.newMatrices()
	for w := range analyze.Each(ev.Trace.Waits) {
		if ev.ForOthers(w) {
			ev.WaitMatrix.Add(w.Thread, ev.Awaited(w), w.Length())
			continue
		}
		ev.queuedBehind(w)
	}
	if ev.Handover.Holds() {
		for r := range analyze.Each(ev.Handover.Replies) {
			ev.WaitMatrix.Add(r.Thread, ev.Handover.To, r.Length())
		}
	}
	for _, l := range ev.Locks {
		if l.Holder != nil {
			ev.LockMatrix.Add(l.Thread, l.Holder, l.Own)
			ev.WaitMatrix.Add(l.Thread, l.Holder, l.Own)
		}
	}
}

// queuedBehind adds the time that a wait was queued behind others' work to QueuedMatrix. Each instant counts once, for
// the work that began first; an instant in which work of the thread itself ran does not count.
func (ev *Evidence) queuedBehind(w *analyze.Wait) {
	queued := ev.queuedPart(w)
	d := ev.DeviceOf(ev.Trace.WaitsFor(w))
	own := d.byThread[w.Thread]
	if d.all.Within(queued)-own.Within(queued) == 0 {
		return
	}
	at := queued.Begin
	for _, r := range d.from(queued.Begin) {
		if r.Begin >= queued.End {
			break
		}
		part := r.Interval.Within(analyze.Interval{Begin: at, End: queued.End})
		if part.Length() == 0 {
			continue
		}
		at = part.End
		if by := r.buffer.Committed.Thread; by != nil && by != w.Thread {
			ev.QueuedMatrix.Add(w.Thread, by, part.Length()-own.Within(part))
		}
	}
}
