package collector

import (
	"time"

	"mtrace/collector/wire"
)

// What of a ring's records is wanted, where there is a Selection. A thread is named, and a command buffer labelled, after it was made, and each
// ring is read by itself: so records wait, compressed, until what came at their time has been heard of from all rings.

const (
	// siftAfter is how long records wait. Rings are looked at every 50 ms at most (longestPause).
	siftAfter = time.Second
	// mostSifted bounds what waits, in bytes; beyond it the oldest is decided at once.
	mostSifted = 256 << 20
)

// A sieve is what of one ring is not decided, and where its reader is.
type sieve struct {
	waiting past
	thread  uint64      // the system's id of the thread whose records are decided on
	half    wire.Record // that arrived last and has a More record
	keeps   bool        // the last record was kept: a More record that follows is, too
	leftOut uint64      // records that are not in the trace
}

// A naming is what rules ask for of a command buffer.
type naming struct {
	queue wire.ObjectID // 0 when not known
	label wire.StringID // 0 when it has none
}

// A choice is what was decided on an object.
type choice uint8

const (
	undecided choice = iota // or nothing is known of it
	wanted
	unwanted
)

// A page is the choices on 256 objects, whose numbers follow each other.
type page [256]choice

// names are what a process said that rules ask for, guarded by the process's mutex.
type names struct {
	threads map[uint64]string
	texts   map[wire.StringID]string
	queues  map[wire.ObjectID]wire.StringID // their labels
	buffers map[wire.ObjectID]naming        // command buffers that are not decided on
	owners  map[wire.ObjectID]wire.ObjectID // command buffers of encoders that are not decided on
	pages   map[wire.ObjectID]*page
}

func newNames() *names {
	return &names{threads: map[uint64]string{}, texts: map[wire.StringID]string{}, queues: map[wire.ObjectID]wire.StringID{},
		buffers: map[wire.ObjectID]naming{}, owners: map[wire.ObjectID]wire.ObjectID{}, pages: map[wire.ObjectID]*page{}}
}

// facts learns from facts.
func (n *names) facts(facts []wire.Fact) {
	for _, f := range facts {
		switch f.Kind {
		case wire.FactString:
			n.texts[wire.StringID(f.Key)] = f.Text
		case wire.FactThreadName:
			n.threads[f.Key] = f.Text
		}
	}
}

// record learns from a record as it arrives, with what belongs to it.
func (n *names) record(r *wire.Record, more *wire.More) {
	row, object := r.Call.Row(), r.Object
	switch {
	case row.Makes(wire.KindQueue):
		n.queues[wire.ObjectID(r.Arg)] = labelOf(&row, r, more)
	case row.Makes(wire.KindCommandBuffer):
		made := naming{label: labelOf(&row, r, more)}
		if row.Object.Kind == wire.KindQueue {
			made.queue = object
		}
		n.buffers[wire.ObjectID(r.Arg)] = made
	case row.Makes(wire.KindEncoder):
		owner := object
		if of, known := n.owners[object]; known { // of a parallel encoder
			owner = of
		}
		n.owners[wire.ObjectID(r.Arg)] = owner
	case row.Effect == wire.EffectLabels && row.Object.Kind == wire.KindQueue:
		n.queues[object] = wire.StringID(r.Arg)
	case row.Effect == wire.EffectLabels && row.Object.Kind == wire.KindCommandBuffer:
		if b, known := n.buffers[object]; known {
			b.label = wire.StringID(r.Arg)
			n.buffers[object] = b
		}
	case row.Effect.Commits() && row.Object.Kind == wire.KindQueue:
		n.committed(&row, r, more)
	}
}

// labelOf is the label that a call gives to what it makes.
func labelOf(row *wire.Row, r *wire.Record, m *wire.More) wire.StringID {
	if f, found := row.Find(wire.RoleLabel); found {
		return wire.StringID(f.At.Of(r, m))
	}
	return 0
}

// committed notes the queue of command buffers that are made without one.
func (n *names) committed(row *wire.Row, r *wire.Record, m *wire.More) {
	for _, f := range row.More {
		id := wire.ObjectID(f.At.Of(r, m))
		if b, known := n.buffers[id]; known && f.Role == wire.RoleMember && f.Kind == wire.KindCommandBuffer {
			b.queue = r.Object
			n.buffers[id] = b
		}
	}
}

// choice is what was decided on an object.
func (n *names) choice(id wire.ObjectID) choice {
	if p := n.pages[id>>8]; p != nil {
		return p[id&0xff]
	}
	return undecided
}

// decide notes what holds for an object from now on.
func (n *names) decide(id wire.ObjectID, c choice) choice {
	p := n.pages[id>>8]
	if p == nil {
		p = &page{}
		n.pages[id>>8] = p
	}
	p[id&0xff] = c
	return c
}

// object says whether calls on a command buffer, or on an encoder of it, are wanted; once it was asked, the answer stays.
func (n *names) object(s *Selection, id wire.ObjectID) bool {
	if c := n.choice(id); c != undecided {
		return c == wanted
	}
	if owner, known := n.owners[id]; known {
		delete(n.owners, id)
		c := unwanted
		if n.object(s, owner) {
			c = wanted
		}
		return n.decide(id, c) == wanted
	}
	b, known := n.buffers[id]
	if !known {
		return true
	}
	delete(n.buffers, id)
	c := wanted
	if b.queue != 0 && !n.queue(s, b.queue) || !s.wants(ofLabel, n.texts[b.label], 0) {
		c = unwanted
	}
	return n.decide(id, c) == wanted
}

// queue says whether a queue is wanted. One whose making was not seen is.
func (n *names) queue(s *Selection, id wire.ObjectID) bool {
	label, known := n.queues[id]
	return !known || s.wants(ofQueue, n.texts[label], uint64(id))
}

// wants says whether a record of a thread is wanted.
func (n *names) wants(s *Selection, thread uint64, r *wire.Record) bool {
	row := r.Call.Row()
	switch {
	case r.Call.Lasts(), row.Effect == wire.EffectMeters:
		return true
	case row.Effect == wire.EffectCompletes, row.Effect == wire.EffectFails, row.Effect == wire.EffectSchedules, row.Effect == wire.EffectTimes:
		return n.object(s, r.Object) // whichever thread Metal's handlers run on
	case !s.wants(ofThread, n.threads[thread], thread):
		return false
	case row.Makes(wire.KindCommandBuffer), row.Makes(wire.KindEncoder):
		if r.Arg != 0 && !n.object(s, wire.ObjectID(r.Arg)) {
			return false
		}
	case row.Object.Kind == wire.KindQueue:
		if !n.queue(s, r.Object) {
			return false
		}
	case row.Object.Kind.Base() == wire.KindCommandBuffer, row.Object.Kind.Base() == wire.KindEncoder:
		if !n.object(s, r.Object) {
			return false
		}
	}
	return row.Family == wire.FamilyTracer || s.wants(ofCall, row.Selector, 0)
}

// sift takes in records whose places in the trace would be from position on if nothing was left out, with the mutex.
func (p *process) sift(s *Selection, r *ring, position uint64, records []wire.Record) {
	p.learn(r, records)
	past := &r.sieve.waiting
	if len(past.open) > 0 && position != past.from+uint64(len(past.open)) {
		p.setAside(s, past)
	}
	if len(past.open) == 0 {
		past.from, past.began = position, time.Now()
	}
	past.open = append(past.open, records...)
	if len(past.open) >= pieceRecords && past.whole() {
		p.setAside(s, past)
	}
	for len(past.pieces) > 0 && (time.Since(past.pieces[0].came) > siftAfter || s.held.Load() > mostSifted) {
		p.siftPiece(s, r)
	}
}

// whole says whether the newest record has its More record.
func (past *past) whole() bool {
	n := len(past.open)
	return n > 0 && past.open[n-1].Flags&wire.HasMore == 0
}

// siftQuiet decides on what has waited for long enough in rings into which nothing comes any more: the next record may be the last thing that happens.
func (p *process) siftQuiet(now time.Time) {
	s := p.collector.selected
	if s == nil {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, r := range p.rings {
		if r == nil {
			continue
		}
		past := &r.sieve.waiting
		for len(past.pieces) > 0 && now.Sub(past.pieces[0].came) > siftAfter {
			p.siftPiece(s, r)
		}
		if past.whole() && now.Sub(past.began) > siftAfter {
			p.choose(s, r, past.from, past.open)
			past.open = past.open[:0]
		}
	}
}

// learn notes what rules ask for. A record may come without the More record that belongs to it, which is then the next.
func (p *process) learn(r *ring, records []wire.Record) {
	for i := range records {
		record := &records[i]
		switch {
		case record.Call == wire.CallMore:
			more := record.More()
			p.names.record(&r.sieve.half, &more)
		case record.Flags&wire.HasMore != 0:
			r.sieve.half = *record
		default:
			p.names.record(record, &wire.More{})
		}
	}
}

// setAside makes a piece of the newest.
func (p *process) setAside(s *Selection, past *past) {
	piece := past.piece()
	s.held.Add(int64(piece.data.Size()))
	past.pieces = append(past.pieces, piece)
}

// siftPiece decides on the oldest piece of a ring.
func (p *process) siftPiece(s *Selection, r *ring) {
	past := &r.sieve.waiting
	piece := past.pieces[0]
	past.pieces[0] = piecePast{}
	past.pieces = past.pieces[1:]
	s.held.Add(-int64(piece.data.Size()))
	p.choose(s, r, piece.position, piece.unpack())
}

// choose writes what is wanted of records.
func (p *process) choose(s *Selection, r *ring, position uint64, records []wire.Record) {
	sieve, from := &r.sieve, 0
	flush := func(to int) {
		if sieve.keeps && to > from {
			p.collector.written(p.collector.writer.Records(p.index, r.index, position+uint64(from)-sieve.leftOut, records[from:to]))
		} else {
			sieve.leftOut += uint64(to - from)
		}
		from = to
	}
	for i := range records {
		record := &records[i]
		if record.Call == wire.CallMore {
			continue
		}
		if record.Call == wire.CallThreadStart {
			sieve.thread = record.Arg
		}
		if keeps := p.names.wants(s, sieve.thread, record); keeps != sieve.keeps {
			flush(i)
			sieve.keeps = keeps
		}
	}
	flush(len(records))
}

// finishSift decides on all that waits, with the mutex, and returns how many records are not in the trace.
func (p *process) finishSift(s *Selection) (leftOut uint64) {
	for _, r := range p.rings {
		if r == nil {
			continue
		}
		for len(r.sieve.waiting.pieces) > 0 {
			p.siftPiece(s, r)
		}
		past := &r.sieve.waiting
		p.choose(s, r, past.from, past.open)
		past.open = nil
		leftOut += r.sieve.leftOut
	}
	return leftOut
}
