package collector

import (
	"time"

	"mtrace/collector/wire"
)

// A windowFilter drops the records of a process that are outside a Window, the time ranges that the user wants. Ring
// buffers are read at different times. Therefore an opening or closing of the window takes effect for each ring buffer
// separately, when its next records arrive or the process ends. The trace's mutex guards the filter.
type windowFilter struct {
	trace     *processTrace
	window    *Window
	rings     *[wire.RingCount]*ring
	newest    wire.Ticks        // the largest end of a call that may still be written to the trace
	pastTimes []wire.ThreadTime // samples of processor times that may still be written to the trace
}

// A ringWindow is the state of one thread's ring buffer: its held records, and how many openings and closings of the
// window it has applied.
type ringWindow struct {
	backlog backlog
	changes int        // number of openings and closings that were applied
	open    bool       // new records are kept
	until   wire.Ticks // when the window was closed: calls that began before are kept; 0 if it was never open
	grace   wire.Ticks // completions up to this tick are kept
	// the last record was kept although the window is closed, so a More record (further arguments of the same call)
	// is kept, too
	late    bool
	leftOut uint64 // records that are not in the trace
}

// left returns how many of the ring's records are not in the trace: dropped, or held in memory.
func (w *ringWindow) left() uint64 {
	n := w.leftOut + uint64(len(w.backlog.open))
	for i := range w.backlog.pieces {
		n += uint64(w.backlog.pieces[i].count)
	}
	return n
}

// add writes the records that are in the window (the recorded time range) to the trace. It holds the others in
// memory, because the window may still be opened for a time that has already passed.
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

// newest returns the latest end of a call among records, or 0 if there is no call. It skips More records (further
// arguments of the call before), which have no end.
func newest(records []wire.Record) (end wire.Ticks) {
	for i := range records {
		if records[i].Call != wire.CallMore {
			end = max(end, records[i].End)
		}
	}
	return end
}

// isLate reports whether a record that arrives after its window was closed still belongs to the window. It does if
// its call began in the window, or if it has the GPU times of a command buffer and ends within graceTime after the
// window.
func (f *windowFilter) isLate(r *ring, record *wire.Record) bool {
	if record.Call == wire.CallMore {
		return r.window.late
	}
	until := r.window.until
	r.window.late = until != 0 && (record.Begin < until || record.End < r.window.grace && completes(record.Call))
	return r.window.late
}

// completes reports whether records of a call state the GPU times of a command buffer.
func completes(c wire.Call) bool {
	switch c.Row().Effect {
	case wire.EffectCompletes, wire.EffectFails, wire.EffectTimes:
		return true
	}
	return false
}

// follow applies to a thread's ring buffer the openings and closings of the window since the last call. At an opening
// it writes the held records of calls that ended after the opening, or at most leadIn before it.
func (f *windowFilter) follow(r *ring) {
	all := f.window.all()
	for ; r.window.changes < len(all); r.window.changes++ {
		c := all[r.window.changes]
		if r.window.open = c.open; c.open {
			from := f.trace.ticksOf(later(f.trace.collector.began, c.at, -leadIn))
			f.emptyBacklog(r, func(record *wire.Record) bool { return record.End >= from })
			continue
		}
		r.window.until, r.window.grace = f.trace.ticksOf(c.at), f.trace.ticksOf(later(f.trace.collector.began, c.at,
			graceTime))
	}
}

// later returns the instant d after i, on both clocks. first is the collector's own clock sample at its start.
func later(first wire.ClockSample, i instant, d time.Duration) instant {
	began, here := instant{first.Nanos, first.Ticks}, now()
	// compute the rate of the ticks from the farther of the two known samples: it gives a smaller error
	if max(i.nanos-began.nanos, began.nanos-i.nanos) > max(i.nanos-here.nanos, here.nanos-i.nanos) {
		here = began
	}
	return i.after(d, here)
}

// write writes records to the trace. position is the ring position of the first one; records dropped earlier are
// subtracted from it, so that the trace shows no gap.
func (f *windowFilter) write(r *ring, position uint64, records []wire.Record) {
	f.trace.write(r, position-r.window.leftOut, records)
}

// writeWanted writes the records for which wanted returns true, and those that later records depend on
// (wire.Call.Lasts). It drops the others. A More record (further arguments) is treated like the record before it.
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

// finish is called when the process has ended. Of the records that are still held it writes those in the window,
// and drops the others. The caller holds the mutex.
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
			from := f.trace.ticksOf(later(f.trace.collector.began, newest, -f.window.Last-leadIn))
			wanted = func(record *wire.Record) bool { return record.End >= from }
		}
		f.emptyBacklog(r, wanted)
	}
	if f.window.Last > 0 {
		f.trace.collector.written(f.trace.collector.writer.ThreadTimes(f.trace.index, f.pastTimes))
	}
	f.pastTimes = nil
}

// keepTimes writes samples of threads' times if the window is open. With Last it holds them in memory as long as the
// records of the same time.
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
