package collector

import (
	"time"

	"mtrace/collector/wire"
)

// A selectionFilter drops the records of a process that a Selection does not include. A thread or a command buffer
// gets its name only after it was created, and the name may arrive in another thread's ring buffer. Therefore records
// wait, compressed, for one second. In this time all ring buffers are read, so the names are known. The trace's mutex
// guards the filter.
type selectionFilter struct {
	trace     *processTrace
	selection *Selection
	rings     *[wire.RingCount]*ring
	names     *names // names of threads, queues and command buffers, for the rules
}

const (
	// decideAfter is how long records wait for the names of their objects. It must be much longer than longestPause
	// (50 ms), within which each ring buffer is read.
	decideAfter = time.Second
	// mostUndecided limits the memory of the waiting records, in bytes. Beyond it the oldest records are decided at
	// once, even if names are still missing.
	mostUndecided = 256 << 20
)

// A ringSelection is the filter's state for one thread's ring buffer: the records that wait for a decision, and the
// properties of the last record on which the decision about the next record depends.
type ringSelection struct {
	waiting backlog
	thread  uint64      // the system's id of the thread whose records are being decided
	half    wire.Record // the last record, whose More record has not arrived
	keeps   bool        // the last record was kept, so its More record is kept, too
	leftOut uint64      // records that are not in the trace
}

// add takes new records of a thread's ring buffer; they wait until names are known. position is the ring position of
// the first record. Positions also count dropped records. The caller holds the mutex.
func (f *selectionFilter) add(r *ring, position uint64, records []wire.Record) {
	f.learn(r, records)
	backlog := &r.selection.waiting
	if len(backlog.open) > 0 && position != backlog.from+uint64(len(backlog.open)) {
		f.setAside(backlog)
	}
	if len(backlog.open) == 0 {
		backlog.from, backlog.began = position, time.Now()
	}
	backlog.open = append(backlog.open, records...)
	if len(backlog.open) >= pieceRecords && backlog.whole() {
		f.setAside(backlog)
	}
	for len(backlog.pieces) > 0 &&
		(time.Since(backlog.pieces[0].came) > decideAfter || f.selection.held.Load() > mostUndecided) {
		f.decidePiece(r)
	}
}

// whole reports whether the newest call is complete: it has no More record (further arguments), or the More record
// has arrived. Only then may the records be compressed or decided: a call and its More record share one decision.
func (b *backlog) whole() bool {
	n := len(b.open)
	return n > 0 && b.open[n-1].Flags&wire.HasMore == 0
}

// decideQuiet decides whether the trace gets records that have waited for decideAfter in ring buffers to which
// nothing is added. Without it, the last calls of an idle thread would be missing from the trace until the end.
func (f *selectionFilter) decideQuiet(now time.Time) {
	f.trace.mutex.Lock()
	defer f.trace.mutex.Unlock()
	for _, r := range f.rings {
		if r == nil {
			continue
		}
		backlog := &r.selection.waiting
		for len(backlog.pieces) > 0 && now.Sub(backlog.pieces[0].came) > decideAfter {
			f.decidePiece(r)
		}
		if backlog.whole() && now.Sub(backlog.began) > decideAfter {
			f.choose(r, backlog.from, backlog.open)
			backlog.open = backlog.open[:0]
		}
	}
}

// learn stores the names of objects that the records contain. If the last call's More record (further arguments) has
// not arrived yet, learn keeps the call's record in `half` until it is called with the More record.
func (f *selectionFilter) learn(r *ring, records []wire.Record) {
	for i := range records {
		record := &records[i]
		switch {
		case record.Call == wire.CallMore:
			more := record.More()
			f.names.record(&r.selection.half, &more)
		case record.Flags&wire.HasMore != 0:
			r.selection.half = *record
		default:
			f.names.record(record, &wire.More{})
		}
	}
}

// setAside compresses the newest undecided records of a ring buffer. It adds their size to the memory that
// mostUndecided limits.
func (f *selectionFilter) setAside(b *backlog) {
	piece := b.takePiece()
	f.selection.held.Add(int64(piece.data.Size()))
	b.pieces = append(b.pieces, piece)
}

// decidePiece decides about the oldest compressed records of a ring buffer: it writes those that the selection
// includes to the trace, and drops the others.
func (f *selectionFilter) decidePiece(r *ring) {
	backlog := &r.selection.waiting
	piece := backlog.pieces[0]
	backlog.pieces[0] = backlogPiece{}
	backlog.pieces = backlog.pieces[1:]
	f.selection.held.Add(-int64(piece.data.Size()))
	f.choose(r, piece.position, piece.unpack())
}

// choose writes those of a ring buffer's records that the selection includes, and counts the others in leftOut.
// position is the ring position of the first record; positions also count dropped records. A More record is treated
// like the record before it.
func (f *selectionFilter) choose(r *ring, position uint64, records []wire.Record) {
	decided, from := &r.selection, 0
	flush := func(to int) {
		if decided.keeps && to > from {
			f.trace.writeAt(r, position+uint64(from)-decided.leftOut, records[from:to])
		} else {
			decided.leftOut += uint64(to - from)
		}
		from = to
	}
	for i := range records {
		record := &records[i]
		if record.Call == wire.CallMore {
			continue
		}
		if record.Call == wire.CallThreadStart {
			decided.thread = record.Arg
		}
		if keeps := f.names.wants(f.selection, decided.thread, record); keeps != decided.keeps {
			flush(i)
			decided.keeps = keeps
		}
	}
	flush(len(records))
}

// finish decides about all waiting records when the process has ended. It returns how many of the process's records
// the filter dropped during the recording. The caller holds the mutex.
func (f *selectionFilter) finish() (leftOut uint64) {
	for _, r := range f.rings {
		if r == nil {
			continue
		}
		for len(r.selection.waiting.pieces) > 0 {
			f.decidePiece(r)
		}
		backlog := &r.selection.waiting
		f.choose(r, backlog.from, backlog.open)
		backlog.open = nil
		leftOut += r.selection.leftOut
	}
	return leftOut
}
