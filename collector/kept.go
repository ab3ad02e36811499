package collector

import (
	"time"

	"mtrace/collector/wire"
)

// What of a ring's records is kept, where there is a Window. Each ring follows the window's changes by itself, when it has records or ends.

// A windowed is where a ring is in the window's changes.
type windowed struct {
	past    past
	changes int        // that were followed
	open    bool       // what comes is kept
	until   wire.Ticks // when it was closed: what began before is kept; 0 when it never was open
	grace   wire.Ticks // completions up to here are kept
	late    bool       // the last record was kept although the window is closed: a More record that follows is, too
	leftOut uint64     // records that are not in the trace
}

// left is how many of the ring's records are not in the trace by request, or not yet.
func (w *windowed) left() uint64 {
	n := w.leftOut + uint64(len(w.past.open))
	for i := range w.past.pieces {
		n += uint64(w.past.pieces[i].count)
	}
	return n
}

// keep hands on what is in the window, and keeps what may come to be in it, with the mutex.
func (p *process) keep(w *Window, r *ring, position uint64, records []wire.Record) {
	w.mark(p, records)
	p.follow(w, r)
	if r.window.open {
		p.put(r, position, records)
		if w.MostSize > 0 && p.collector.writer.Expected() > w.MostSize {
			w.full(p.instantOf(newest(records)))
		}
		return
	}
	for from := 0; from < len(records); {
		late := p.isLate(r, &records[from])
		to := from + 1
		for to < len(records) && p.isLate(r, &records[to]) == late {
			to++
		}
		if late {
			p.forget(r, nil)
			p.put(r, position+uint64(from), records[from:to])
		} else {
			p.remember(w, r, position+uint64(from), records[from:to])
		}
		from = to
	}
}

// newest is the largest end of a call among records.
func newest(records []wire.Record) (end wire.Ticks) {
	for i := range records {
		if records[i].Call != wire.CallMore {
			end = max(end, records[i].End)
		}
	}
	return end
}

// isLate says of a record that comes when the window is closed whether it is in the window all the same: its call began there, or it says what
// the GPU did then.
func (p *process) isLate(r *ring, record *wire.Record) bool {
	if record.Call == wire.CallMore {
		return r.window.late
	}
	until := r.window.until
	r.window.late = until != 0 && (record.Begin < until || record.End < r.window.grace && completes(record.Call))
	return r.window.late
}

// completes says whether a record says when the GPU ran.
func completes(c wire.Call) bool {
	switch c.Row().Effect {
	case wire.EffectCompletes, wire.EffectFails, wire.EffectTimes:
		return true
	}
	return false
}

// follow makes the changes of the window the ring's.
func (p *process) follow(w *Window, r *ring) {
	all := w.all()
	for ; r.window.changes < len(all); r.window.changes++ {
		c := all[r.window.changes]
		if r.window.open = c.open; c.open {
			from := p.ticksOf(p.collector.after(c.at, -leadIn))
			p.forget(r, func(record *wire.Record) bool { return record.End >= from })
			continue
		}
		r.window.until, r.window.grace = p.ticksOf(c.at), p.ticksOf(p.collector.after(c.at, graceTime))
	}
}

// after is the instant so much after another.
func (c *Collector) after(i instant, d time.Duration) instant {
	began, here := instant{c.began.Nanos, c.began.Ticks}, now()
	if max(i.nanos-began.nanos, began.nanos-i.nanos) > max(i.nanos-here.nanos, here.nanos-i.nanos) { // which shows better how fast ticks are
		here = began
	}
	return i.after(d, here)
}

// put writes records; they have the places in the trace that they would have if what is left out had never been.
func (p *process) put(r *ring, position uint64, records []wire.Record) {
	p.write(r, position-r.window.leftOut, records)
}

// sieve writes those records that last or are wanted, each with the More record that belongs to it; the others are left out.
func (p *process) sieve(r *ring, position uint64, records []wire.Record, wanted func(*wire.Record) bool) {
	keep, from := false, 0
	flush := func(to int) {
		if keep && to > from {
			p.put(r, position+uint64(from), records[from:to])
		} else {
			r.window.leftOut += uint64(to - from)
		}
		from = to
	}
	for i := range records {
		record := &records[i]
		if record.Call == wire.CallMore {
			continue
		}
		if now := record.Call.Lasts() || wanted != nil && wanted(record); now != keep {
			flush(i)
			keep = now
		}
	}
	flush(len(records))
}

// finishWindow writes what is wanted of the past of a process that has ended, with the mutex.
func (p *process) finishWindow(w *Window) {
	for _, r := range p.rings {
		if r == nil {
			continue
		}
		p.follow(w, r)
		var wanted func(*wire.Record) bool
		if w.Last > 0 && p.newest != 0 {
			newest := p.instantOf(p.newest)
			w.seen(newest)
			from := p.ticksOf(p.collector.after(newest, -w.Last-leadIn))
			wanted = func(record *wire.Record) bool { return record.End >= from }
		}
		p.forget(r, wanted)
	}
	if w.Last > 0 {
		p.collector.written(p.collector.writer.ThreadTimes(p.index, p.pastTimes))
	}
	p.pastTimes = nil
}

// keepTimes keeps what is known of threads' processor times as long as their calls.
func (p *process) keepTimes(w *Window, times []wire.ThreadTime) {
	switch {
	case w.Last > 0:
		p.pastTimes = append(p.pastTimes, times...)
		oldest, drop := now().nanos-w.Last.Nanoseconds()-int64(time.Second), 0
		for drop < len(p.pastTimes) && p.pastTimes[drop].At < oldest {
			drop++
		}
		p.pastTimes = p.pastTimes[drop:]
	case w.opened():
		p.collector.written(p.collector.writer.ThreadTimes(p.index, times))
	}
}
