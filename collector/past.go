package collector

import (
	"time"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// A past is the latest records of a ring that are not in the trace and may come to be: because the window may open (kept.go), or because it is
// not known yet whether they are wanted (sift.go).
type past struct {
	pieces []piecePast
	open   []wire.Record // the newest, which are no piece yet
	from   uint64        // the ring position of open[0]
	began  time.Time     // when open[0] came; it is kept by sift only
}

// A piecePast is some of them, compressed.
type piecePast struct {
	position uint64
	count    int
	last     wire.Ticks // the largest end of a call
	lasts    bool       // some records last
	came     time.Time
	data     tracefile.Packed
}

// pieceRecords is how many records a piece has: so many that they compress well, so few that what is too old is little.
const pieceRecords = 4096

// remember adds records to the past of a ring, and forgets what is too old, or too much.
func (p *process) remember(w *Window, r *ring, position uint64, records []wire.Record) {
	past := &r.window.past
	if len(past.open) > 0 && position != past.from+uint64(len(past.open)) {
		p.pack(w, r)
	}
	if len(past.open) == 0 {
		past.from = position
	}
	past.open = append(past.open, records...)
	p.newest = max(p.newest, newest(records))
	if n := len(past.open); n >= pieceRecords && past.open[n-1].Flags&wire.HasMore == 0 {
		p.pack(w, r)
	}
	long := readBack
	if w.Last > 0 {
		long = w.Last + leadIn + time.Second
	}
	for len(past.pieces) > 0 && time.Since(past.pieces[0].came) > long {
		p.drop(w, r)
	}
	for w.held.Load() > w.room() {
		if !p.dropOldest(w) {
			break
		}
	}
}

// pack makes a piece of the newest.
func (p *process) pack(w *Window, r *ring) {
	past := &r.window.past
	piece := past.piece()
	w.held.Add(int64(piece.data.Size()))
	past.pieces = append(past.pieces, piece)
}

// piece makes a piece of the newest, which are then no more.
func (past *past) piece() piecePast {
	piece := piecePast{position: past.from, count: len(past.open), came: time.Now()}
	raw := make([]byte, 0, len(past.open)*wire.RecordSize)
	for i := range past.open {
		record := &past.open[i]
		raw = wire.AppendRecord(raw, *record)
		if record.Call != wire.CallMore {
			piece.last = max(piece.last, record.End)
			piece.lasts = piece.lasts || record.Call.Lasts()
		}
	}
	piece.data = tracefile.Pack(raw)
	past.open = past.open[:0]
	return piece
}

// unpack is the records of a piece.
func (piece *piecePast) unpack() []wire.Record {
	raw, err := piece.data.Unpack()
	if err != nil {
		panic(err) // it was made here
	}
	records, _ := wire.DecodeRecords(nil, raw)
	return records
}

// drop forgets the oldest piece of a ring, but for what lasts.
func (p *process) drop(w *Window, r *ring) {
	past := &r.window.past
	piece := past.pieces[0]
	past.pieces[0] = piecePast{}
	past.pieces = past.pieces[1:]
	w.held.Add(-int64(piece.data.Size()))
	if !piece.lasts {
		r.window.leftOut += uint64(piece.count)
		return
	}
	p.sieve(r, piece.position, piece.unpack(), nil)
}

// dropOldest forgets the oldest piece of the process, for want of room; false when there is none.
func (p *process) dropOldest(w *Window) bool {
	var oldest *ring
	for _, r := range p.rings {
		if r != nil && len(r.window.past.pieces) > 0 && (oldest == nil || r.window.past.pieces[0].last < oldest.window.past.pieces[0].last) {
			oldest = r
		}
	}
	if oldest == nil {
		return false
	}
	w.gaveUp(p.instantOf(oldest.window.past.pieces[0].last))
	p.drop(w, oldest)
	return true
}

// forget empties the past of a ring. Of its records those that are wanted, or last, go into the trace.
func (p *process) forget(r *ring, wanted func(*wire.Record) bool) {
	past := &r.window.past
	w := p.collector.window
	for _, piece := range past.pieces {
		w.held.Add(-int64(piece.data.Size()))
		if wanted == nil && !piece.lasts {
			r.window.leftOut += uint64(piece.count)
			continue
		}
		p.sieve(r, piece.position, piece.unpack(), wanted)
	}
	p.sieve(r, past.from, past.open, wanted)
	past.pieces, past.open = nil, past.open[:0]
}
