package collector

import (
	"time"

	"mtrace/collector/wire"
)

// A selectionFilter leaves out the records of a process that a Selection does not want. The trace's mutex guards it. A
// thread is named, and a command buffer labelled, only after it was created, and the rings are read separately.
// Therefore records wait, compressed, until all rings have been read up to their time.
type selectionFilter struct {
	trace     *processTrace
	selection *Selection
	rings     *[wire.RingCount]*ring
	names     *names // that rules ask for
}

const (
	// decideAfter is how long records wait. Rings are read every 50 ms at most (longestPause).
	decideAfter = time.Second
	// mostUndecided is the maximum size of the waiting records, in bytes; beyond it the oldest are decided at once.
	mostUndecided = 256 << 20
)

// A ringSelection holds the undecided records of a ring, and the thread of the next record.
type ringSelection struct {
	waiting backlog
	thread  uint64      // the system's id of the thread whose records are being decided
	half    wire.Record // the last record, whose More record has not arrived
	keeps   bool        // the last record was kept, so its More record is kept, too
	leftOut uint64      // records that are not in the trace
}

// add takes records. position is the trace position of the first one, counted as if no record were left out. The caller
// holds the mutex.
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

// whole reports whether the newest record has its More record.
func (b *backlog) whole() bool {
	n := len(b.open)
	return n > 0 && b.open[n-1].Flags&wire.HasMore == 0
}

// decideQuiet decides about records that have waited long enough in rings without new records.
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

// learn stores names for the rules. A record may come without its More record, which is then the next.
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

// setAside compresses the newest records of a backlog.
func (f *selectionFilter) setAside(b *backlog) {
	piece := b.takePiece()
	f.selection.held.Add(int64(piece.data.Size()))
	b.pieces = append(b.pieces, piece)
}

// decidePiece decides about the oldest piece of a ring's backlog.
func (f *selectionFilter) decidePiece(r *ring) {
	backlog := &r.selection.waiting
	piece := backlog.pieces[0]
	backlog.pieces[0] = backlogPiece{}
	backlog.pieces = backlog.pieces[1:]
	f.selection.held.Add(-int64(piece.data.Size()))
	f.choose(r, piece.position, piece.unpack())
}

// choose writes the wanted records.
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

// finish decides about all waiting records and returns how many records were left out. The caller holds the mutex.
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
