package collector

import (
	"time"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// A backlog holds the newest records of a ring (one thread's buffer in shared memory) until it is decided whether
// they are written to the trace. windowFilter cannot decide yet because its window may still open, selectionFilter
// because the names in its rules are not known yet.
type backlog struct {
	pieces []backlogPiece
	open   []wire.Record // the newest records, not compressed yet
	from   uint64        // the ring position of open[0]
	began  time.Time     // when open[0] arrived; only selectionFilter sets it
}

// A backlogPiece is a compressed series of consecutive records of one thread's ring buffer. The field position is the
// ring position of the first record.
type backlogPiece struct {
	position uint64
	count    int
	last     wire.Ticks // the largest end of a call in the series
	lasts    bool       // later records depend on some of these records: see wire.Call.Lasts
	came     time.Time  // when the series was compressed
	data     tracefile.Packed
}

// pieceRecords is the number of records that are compressed together as a backlogPiece: enough to compress well, and
// few enough to drop old records early.
const pieceRecords = 4096

// addToBacklog holds records of a thread's ring buffer in memory, because the trace may still need them: the window may
// be opened for a time that has passed or, with Last, the end of the run is kept. It drops records that are too old
// for either, and the oldest ones if the memory of all held records exceeds the limit.
func (f *windowFilter) addToBacklog(r *ring, position uint64, records []wire.Record) {
	backlog := &r.window.backlog
	if len(backlog.open) > 0 && position != backlog.from+uint64(len(backlog.open)) {
		f.pack(r)
	}
	if len(backlog.open) == 0 {
		backlog.from = position
	}
	backlog.open = append(backlog.open, records...)
	f.newest = max(f.newest, newest(records))
	if n := len(backlog.open); n >= pieceRecords && backlog.open[n-1].Flags&wire.HasMore == 0 {
		f.pack(r)
	}
	long := readBack
	if f.window.Last > 0 {
		long = f.window.Last + leadIn + time.Second
	}
	for len(backlog.pieces) > 0 && time.Since(backlog.pieces[0].came) > long {
		f.drop(r)
	}
	for f.window.held.Load() > f.window.room() {
		if !f.dropOldest() {
			break
		}
	}
}

// pack compresses the newest records of a ring buffer's backlog (records that may still be written to the trace). It
// adds their compressed size to the memory that the window limits.
func (f *windowFilter) pack(r *ring) {
	backlog := &r.window.backlog
	piece := backlog.takePiece()
	f.window.held.Add(int64(piece.data.Size()))
	backlog.pieces = append(backlog.pieces, piece)
}

// takePiece compresses the newest records (b.open) into a backlogPiece and empties b.open. The caller must append the
// piece to b.pieces, otherwise its records are lost.
func (b *backlog) takePiece() backlogPiece {
	piece := backlogPiece{position: b.from, count: len(b.open), came: time.Now()}
	raw := make([]byte, 0, len(b.open)*wire.RecordSize)
	for i := range b.open {
		record := &b.open[i]
		raw = wire.AppendRecord(raw, *record)
		if record.Call != wire.CallMore {
			piece.last = max(piece.last, record.End)
			piece.lasts = piece.lasts || record.Call.Lasts()
		}
	}
	piece.data = tracefile.Pack(raw)
	b.open = b.open[:0]
	return piece
}

// unpack decompresses the records.
func (piece *backlogPiece) unpack() []wire.Record {
	raw, err := piece.data.Unpack()
	if err != nil {
		panic(err) // takePiece packed the data
	}
	records, _ := wire.DecodeRecords(nil, raw)
	return records
}

// drop frees the oldest compressed records of a ring buffer's backlog. It writes to the trace only those that later
// records depend on (wire.Call.Lasts), for example the creation of a queue.
func (f *windowFilter) drop(r *ring) {
	backlog := &r.window.backlog
	piece := backlog.pieces[0]
	backlog.pieces[0] = backlogPiece{}
	backlog.pieces = backlog.pieces[1:]
	f.window.held.Add(-int64(piece.data.Size()))
	if !piece.lasts {
		r.window.leftOut += uint64(piece.count)
		return
	}
	f.writeWanted(r, piece.position, piece.unpack(), nil)
}

// dropOldest frees the oldest compressed records among the backlogs of all threads of the process. It returns false
// if there are none.
func (f *windowFilter) dropOldest() bool {
	var oldest *ring
	for _, r := range f.rings {
		if r == nil || len(r.window.backlog.pieces) == 0 {
			continue
		}
		if oldest == nil || r.window.backlog.pieces[0].last < oldest.window.backlog.pieces[0].last {
			oldest = r
		}
	}
	if oldest == nil {
		return false
	}
	f.window.gaveUp(f.trace.instantOf(oldest.window.backlog.pieces[0].last))
	f.drop(oldest)
	return true
}

// emptyBacklog removes all records from the backlog of a thread's ring buffer. It writes to the trace those for which
// wanted returns true, and those that later records depend on (wire.Call.Lasts). If wanted is nil, only the latter
// are written.
func (f *windowFilter) emptyBacklog(r *ring, wanted func(*wire.Record) bool) {
	backlog := &r.window.backlog
	for _, piece := range backlog.pieces {
		f.window.held.Add(-int64(piece.data.Size()))
		if wanted == nil && !piece.lasts {
			r.window.leftOut += uint64(piece.count)
			continue
		}
		f.writeWanted(r, piece.position, piece.unpack(), wanted)
	}
	f.writeWanted(r, backlog.from, backlog.open, wanted)
	backlog.pieces, backlog.open = nil, backlog.open[:0]
}
