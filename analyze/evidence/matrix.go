package evidence

import "mtrace/analyze"

// A Matrix has the time that threads waited for each other: NS[i][j] is the time that Threads[i] waited for
// Threads[j].
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

// Matrices has the times that threads waited for each other, by reason.
type Matrices struct {
	// waits for work that the other thread committed for itself or on request, and for locks that it held
	Waits  *Matrix
	Queued *Matrix // waits for the thread's own work while the GPU ran another thread's
	Locks  *Matrix // waits for locks that another thread held
}

func newMatrices(threads []*ThreadTime) Matrices {
	return Matrices{newMatrix(threads), newMatrix(threads), newMatrix(threads)}
}

func (m Matrices) all() [3]*Matrix { return [3]*Matrix{m.Waits, m.Queued, m.Locks} }

// Add adds time that waiter lost to holder. It does nothing if either thread is not in the matrix.
func (m *Matrix) Add(waiter, holder *analyze.Thread, time analyze.Nanos) {
	i, waits := m.index[waiter]
	j, holds := m.index[holder]
	if waits && holds {
		m.NS[i][j] += time
	}
}

// WhoWaitsForWhom computes the times that threads waited for each other. A wait for a lock counts for the thread that
// held the lock when the wait began.
func WhoWaitsForWhom(work *GPUWork, times *ThreadTimes, h *Delegation, locks []analyze.LockWait) Matrices {
	m := newMatrices(times.Threads)
	for w := range analyze.Each(work.trace.Waits) {
		if ForOtherThread(work.trace, w) {
			m.Waits.Add(w.Thread, Awaited(work.trace, w), w.Length())
			continue
		}
		m.Queued.addQueued(work, w)
	}
	if h.Confirmed() {
		for r := range analyze.Each(h.Replies) {
			m.Waits.Add(r.Thread, r.By, r.Length())
		}
	}
	for _, l := range locks {
		if l.Holder != nil {
			m.Locks.Add(l.Thread, l.Holder, l.Exclusive)
			m.Waits.Add(l.Thread, l.Holder, l.Exclusive)
		}
	}
	return m
}

// addHandlerWaits adds the waits for signals from completion handlers of other threads' command buffers.
func (m *Matrices) addHandlerWaits(list []HandlerWait) {
	for _, w := range list {
		m.Waits.Add(w.Thread, w.Buffer.Committed.Thread, w.Length())
	}
}

// addQueued adds the time that the wait w was queued behind other threads' GPU work. If several command buffers run
// at once, the time counts only for the one that began first. Time in which the waiting thread's own work ran does
// not count.
func (m *Matrix) addQueued(work *GPUWork, w *analyze.Wait) {
	queued := work.queued(w)
	d := work.Of(work.trace.WaitsFor(w))
	own := d.byThread[w.Thread]
	if d.all.LengthWithin(queued)-own.LengthWithin(queued) == 0 {
		return
	}
	at := queued.Begin
	for _, r := range d.from(queued.Begin) {
		if r.Begin >= queued.End {
			break
		}
		part := r.Interval.Intersect(analyze.Interval{Begin: at, End: queued.End})
		if part.Length() == 0 {
			continue
		}
		at = part.End
		if by := r.buffer.Committed.Thread; by != nil && by != w.Thread {
			m.Add(w.Thread, by, part.Length()-own.LengthWithin(part))
		}
	}
}
