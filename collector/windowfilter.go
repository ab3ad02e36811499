package collector

import (
	"time"

	"mtrace/collector/wire"
)

// A windowFilter leaves out the records of a process that are not in a Window. The trace's mutex guards it. Each ring
// applies the window's changes separately, when it has records or ends.
type windowFilter struct {
	trace     *processTrace
	window    *Window
	rings     *[wire.RingCount]*ring
	newest    wire.Ticks        // the largest end of a call that may still be written to the trace
	pastTimes []wire.ThreadTime // the same of processor times
}

// A ringWindow is the state of one ring: the changes of the window that it has applied.
type ringWindow struct {
	backlog backlog
	changes int        // that were followed
	open    bool       // new records are kept
	until   wire.Ticks // when the window was closed: calls that began before are kept; 0 if it was never open
	grace   wire.Ticks // completions up to here are kept
	// the last record was kept although the window is closed, so a More record that follows is kept, too
	late    bool
	leftOut uint64 // records that are not in the trace
}

// left returns how many of the ring's records are left out of the trace, or not in it yet.
func (w *ringWindow) left() uint64 {
	n := w.leftOut + uint64(len(w.backlog.open))
	for i := range w.backlog.pieces {
		n += uint64(w.backlog.pieces[i].count)
	}
	return n
}

// add writes the records that are in the window, and adds those that may still become a part of it to the backlog.
func (f *windowFilter) add(r *ring, position uint64, records []wire.Record) {
	f.window.mark(f.trace, records)
	f.follow(r)
	if r.window.open {
		f.write(r, position, records)
		if f.window.MostSize > 0 && f.trace.collector.writer.Expected() > f.window.MostSize {
			f.window.full(f.trace.instantOf(newest(records)))
		}
		return
	}
	for from := 0; from < len(records); {
		late := f.isLate(r, &records[from])
		to := from + 1
		for to < len(records) && f.isLate(r, &records[to]) == late {
			to++
		}
		if late {
			f.emptyBacklog(r, nil)
			f.write(r, position+uint64(from), records[from:to])
		} else {
			f.addToBacklog(r, position+uint64(from), records[from:to])
		}
		from = to
	}
}

// newest returns the largest end of a call among records.
func newest(records []wire.Record) (end wire.Ticks) {
	for i := range records {
		if records[i].Call != wire.CallMore {
			end = max(end, records[i].End)
		}
	}
	return end
}

// isLate reports whether a record that arrives after the window was closed belongs to it: its call began in the window,
// or the record states what the GPU did then.
func (f *windowFilter) isLate(r *ring, record *wire.Record) bool {
	if record.Call == wire.CallMore {
		return r.window.late
	}
	until := r.window.until
	r.window.late = until != 0 && (record.Begin < until || record.End < r.window.grace && completes(record.Call))
	return r.window.late
}

// completes reports whether a record of the call has GPU times.
func completes(c wire.Call) bool {
	switch c.Row().Effect {
	case wire.EffectCompletes, wire.EffectFails, wire.EffectTimes:
		return true
	}
	return false
}

// follow applies the window's changes to the ring.
func (f *windowFilter) follow(r *ring) {
	all := f.window.all()
	for ; r.window.changes < len(all); r.window.changes++ {
		c := all[r.window.changes]
		if r.window.open = c.open; c.open {
			from := f.trace.ticksOf(f.trace.collector.after(c.at, -leadIn))
			f.emptyBacklog(r, func(record *wire.Record) bool { return record.End >= from })
			continue
		}
		r.window.until, r.window.grace = f.trace.ticksOf(c.at), f.trace.ticksOf(f.trace.collector.after(c.at, graceTime))
	}
}

// after returns the instant that is d after another.
func (c *Collector) after(i instant, d time.Duration) instant {
	began, here := instant{c.began.Nanos, c.began.Ticks}, now()
	// the sample that is farther away gives the rate of ticks more exactly
	if max(i.nanos-began.nanos, began.nanos-i.nanos) > max(i.nanos-here.nanos, here.nanos-i.nanos) {
		here = began
	}
	return i.after(d, here)
}

// write writes records at their positions minus the number of records that were left out before.
func (f *windowFilter) write(r *ring, position uint64, records []wire.Record) {
	f.trace.write(r, position-r.window.leftOut, records)
}

// writeWanted writes the records that are wanted or stay valid for all later records, each with its More record, and
// leaves out the others.
func (f *windowFilter) writeWanted(r *ring, position uint64, records []wire.Record, wanted func(*wire.Record) bool) {
	keep, from := false, 0
	flush := func(to int) {
		if keep && to > from {
			f.write(r, position+uint64(from), records[from:to])
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

// finish writes the wanted records in the backlogs of a process that has ended. The caller holds the mutex.
func (f *windowFilter) finish() {
	for _, r := range f.rings {
		if r == nil {
			continue
		}
		f.follow(r)
		var wanted func(*wire.Record) bool
		if f.window.Last > 0 && f.newest != 0 {
			newest := f.trace.instantOf(f.newest)
			f.window.seen(newest)
			from := f.trace.ticksOf(f.trace.collector.after(newest, -f.window.Last-leadIn))
			wanted = func(record *wire.Record) bool { return record.End >= from }
		}
		f.emptyBacklog(r, wanted)
	}
	if f.window.Last > 0 {
		f.trace.collector.written(f.trace.collector.writer.ThreadTimes(f.trace.index, f.pastTimes))
	}
	f.pastTimes = nil
}

// keepTimes holds threads' processor times as long as their calls.
func (f *windowFilter) keepTimes(times []wire.ThreadTime) {
	switch {
	case f.window.Last > 0:
		f.pastTimes = append(f.pastTimes, times...)
		oldest, drop := now().nanos-f.window.Last.Nanoseconds()-int64(time.Second), 0
		for drop < len(f.pastTimes) && f.pastTimes[drop].At < oldest {
			drop++
		}
		f.pastTimes = f.pastTimes[drop:]
	case f.window.opened():
		f.trace.collector.written(f.trace.collector.writer.ThreadTimes(f.trace.index, times))
	}
}
