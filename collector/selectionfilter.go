package collector

import (
	"time"

	"mtrace/collector/wire"
)

// A selectionFilter drops the records of a process that a Selection does not want. A thread or a command buffer gets
// its name only after it was created, and the name may arrive by another ring. Therefore records wait, compressed,
// for one second, in which the ring buffers of all threads are read; then the names are known. The trace's mutex
// guards it.
type selectionFilter struct {
	trace     *processTrace
	selection *Selection
	rings     *[wire.RingCount]*ring
	names     *names // that rules ask for
}

const (
	// decideAfter is how long records wait for the names of their objects. It must be much longer than longestPause
	// (50 ms), within which each ring buffer is read.
	decideAfter = time.Second
	// mostUndecided limits the memory of the waiting records, in bytes. Beyond it the oldest are decided at once,
	// with the names that are known.
	mostUndecided = 256 << 20
)

// A ringSelection has the waiting records of one thread's ring buffer, and the state of the decision between two of
// its records.
type ringSelection struct {
	waiting backlog
	thread  uint64      // the system's id of the thread whose records are being decided
	half    wire.Record // the last record, whose More record has not arrived
	keeps   bool        // the last record was kept, so its More record is kept, too
	leftOut uint64      // records that are not in the trace
}

// add takes new records of a thread's ring buffer; they wait until names are known. position is the ring position of
// the first one, counted as if no record had been dropped. The caller holds the mutex.
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

// whole reports whether the newest record is complete: either it has no More record (further arguments), or that has
// arrived. Cutting between the two would separate a call from its arguments.
func (b *backlog) whole() bool {
	n := len(b.open)
	return n > 0 && b.open[n-1].Flags&wire.HasMore == 0
}

// decideQuiet decides about records that have waited long enough in ring buffers that get no new records. Without it
// the last calls of an idle thread would stay out of the trace until the end.
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

// learn stores the names of objects that the records contain. If a call's More record (further arguments) has not
// arrived yet, its record is kept in half until the next call of learn.
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

// setAside compresses the newest undecided records of a ring buffer, and counts their memory, which is limited.
func (f *selectionFilter) setAside(b *backlog) {
	piece := b.takePiece()
	f.selection.held.Add(int64(piece.data.Size()))
	b.pieces = append(b.pieces, piece)
}

// decidePiece writes the wanted records of the oldest piece of a ring buffer's backlog, and drops the others.
func (f *selectionFilter) decidePiece(r *ring) {
	backlog := &r.selection.waiting
	piece := backlog.pieces[0]
	backlog.pieces[0] = backlogPiece{}
	backlog.pieces = backlog.pieces[1:]
	f.selection.held.Add(-int64(piece.data.Size()))
	f.choose(r, piece.position, piece.unpack())
}

// choose writes the wanted ones of a ring buffer's records to the trace and counts the others in leftOut. position is
// the ring position of the first record, as if no record had been dropped. A More record follows the decision of the
// record before it.
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

// finish decides about all waiting records when the process has ended. It returns how many records of the whole
// recording were dropped. The caller holds the mutex.
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
