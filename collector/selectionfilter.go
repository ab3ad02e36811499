package collector

import (
	"time"

	"mtrace/collector/wire"
)

// A selectionFilter leaves out the records of a process that a Selection does not want. It is guarded by the trace's
// mutex. A thread is named, and a command buffer labelled, after it was made, and each ring is read by itself. So
// records wait, compressed, until all rings have been read up to their time.
type selectionFilter struct {
	trace     *processTrace
	selection *Selection
	rings     *[wire.RingCount]*ring
	names     *names // that rules ask for
}

const (
	// decideAfter is how long records wait. Rings are looked at every 50 ms at most (longestPause).
	decideAfter = time.Second
	// mostUndecided bounds what waits, in bytes; beyond it the oldest is decided at once.
	mostUndecided = 256 << 20
)

// A ringSelection holds the records of a ring that are not decided on, and the thread whose records come next.
type ringSelection struct {
	waiting backlog
	thread  uint64      // the system's id of the thread whose records are decided on
	half    wire.Record // that arrived last and has a More record
	keeps   bool        // the last record was kept: a More record that follows is, too
	leftOut uint64      // records that are not in the trace
}

// add takes in records whose places in the trace would be from position on if nothing was left out, with the mutex.
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

// whole says whether the newest record has its More record.
func (b *backlog) whole() bool {
	n := len(b.open)
	return n > 0 && b.open[n-1].Flags&wire.HasMore == 0
}

// decideQuiet decides on what has waited for long enough in rings into which nothing comes any more: the next record
// may be the last thing that happens.
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

// learn notes what rules ask for. A record may come without the More record that belongs to it, which is then the next.
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

// decidePiece decides on the oldest piece of a ring's backlog.
func (f *selectionFilter) decidePiece(r *ring) {
	backlog := &r.selection.waiting
	piece := backlog.pieces[0]
	backlog.pieces[0] = backlogPiece{}
	backlog.pieces = backlog.pieces[1:]
	f.selection.held.Add(-int64(piece.data.Size()))
	f.choose(r, piece.position, piece.unpack())
}

// choose writes what is wanted of records.
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

// finishSift decides on all that waits, with the mutex, and returns how many records are not in the trace.
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
