package collector

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// A Window selects the time ranges of a recording that are kept. The traced programs still record everything, so that
// the selection costs them nothing, and so that a late decision can apply from an earlier instant: the collector holds
// the last two seconds of records in memory, and leaves out unwanted records.
//
// Records that stay valid for all later records are always kept: which thread has a ring, what a queue or a pipeline
// state is. The rings' positions in the trace do not count records that were left out, so that nothing seems to be
// lost.
type Window struct {
	Closed   bool          // nothing is kept before it is opened
	Duration time.Duration // how long it stays open each time; 0 means until it is closed
	Last     time.Duration // keep only this time before the end; such a window is never open
	StartOn  string        // the mark that opens it; empty means none
	StopOn   string        // the mark that closes it; empty means none
	// approximate maximum size in bytes of the trace or, with Last, of the data kept in memory; 0 means no limit
	MostSize int64

	collector *Collector
	opening   sync.Mutex // held while it is opened or closed
	changes   atomic.Pointer[[]change]
	held      atomic.Int64 // bytes of all backlogs
	starts    wire.StringID
	stops     wire.StringID
	done      bool // for good, guarded by opening
	timer     *time.Timer

	mutex  sync.Mutex // guards what follows
	newest instant    // of what was seen, with Last
	floor  instant    // the latest instant of dropped backlog: all data that is kept is later
	given  bool       // floor is there
}

// A change is an opening or a closing of the window.
type change struct {
	open bool
	at   instant
	why  string
}

const (
	// leadIn is the time before a window that is also kept, because objects that are alive in the window were created
	// then.
	leadIn = 250 * time.Millisecond
	// graceTime is the time after a window in which completions are still kept: they have the GPU times of work in the
	// window.
	graceTime = 2 * time.Second
	// readBack is the time that the backlog covers while the window is closed. A mark may be read later than records of
	// other threads that follow it.
	readBack = 2 * time.Second
	// usualMemory is the maximum size of the backlogs, in bytes, if the user gave no limit.
	usualMemory = 256 << 20
)

// theStart is the reason for a window that is open from the start.
const theStart = "the start"

// begin connects the window to a collector.
func (w *Window) begin(c *Collector) {
	w.collector = c
	if w.StartOn != "" {
		w.starts = wire.HashString(w.StartOn)
	}
	if w.StopOn != "" {
		w.stops = wire.HashString(w.StopOn)
	}
	w.changes.Store(&[]change{})
	if !w.Closed && w.Last == 0 {
		w.change(true, now(), theStart)
	}
}

// all are the changes so far.
func (w *Window) all() []change { return *w.changes.Load() }

// opened says whether it is open.
func (w *Window) opened() bool {
	all := w.all()
	return len(all) > 0 && all[len(all)-1].open
}

// Toggle opens a closed window and closes an open one, from now on.
func (w *Window) Toggle(why string) {
	if w.Last == 0 {
		w.change(!w.opened(), now(), why)
	}
}

// OpenAfter opens the window after a delay.
func (w *Window) OpenAfter(d time.Duration, why string) { w.later(d, true, now(), why) }

// Finish ends the changes: later changes have no effect on the data that is kept.
func (w *Window) Finish() {
	w.opening.Lock()
	defer w.opening.Unlock()
	w.done = true
}

// later schedules a change at a delay after an instant. The change takes effect at exactly that instant, however late
// the timer is.
func (w *Window) later(d time.Duration, open bool, from instant, why string) *time.Timer {
	return time.AfterFunc(d, func() { w.change(open, from.after(d, now()), why) })
}

// change opens or closes the window at an instant.
func (w *Window) change(open bool, at instant, why string) {
	w.opening.Lock()
	defer w.opening.Unlock()
	if w.done || open == w.opened() {
		return
	}
	all := append(slices.Clone(w.all()), change{open, at, why})
	w.changes.Store(&all)
	if w.timer != nil {
		w.timer.Stop()
	}
	if open && w.Duration > 0 {
		w.timer = w.later(w.Duration, false, at, fmt.Sprintf("--duration %v", w.Duration))
	}
	w.collector.writer.Recorded(w.recorded())
}

// full closes the window for good at an instant, because the trace has reached its maximum size.
func (w *Window) full(at instant) {
	w.change(false, at, "--max-size")
	w.Finish()
}

// mark opens or closes the window at the marks that the user named.
func (w *Window) mark(t *processTrace, records []wire.Record) {
	if w.starts == 0 && w.stops == 0 {
		return
	}
	for i := range records {
		r := &records[i]
		if r.Call != callMark {
			continue
		}
		name, opened := wire.StringID(r.Arg), w.opened()
		switch {
		case name == w.starts && !opened && w.starts != 0:
			w.change(true, t.instantOf(r.Begin), "mark:"+w.StartOn)
		case name == w.stops && opened && w.stops != 0:
			w.change(false, t.instantOf(r.Begin), "mark:"+w.StopOn)
		}
	}
}

// callMark is the record of a mark.
var callMark = wire.MustLookup(wire.FamilyTracer, "mark")

// recorded returns the time ranges that are kept, for the trace.
func (w *Window) recorded() (list []tracefile.Recorded) {
	all := w.all()
	if len(all) == 1 && all[0].why == theStart {
		return nil // it is all
	}
	for _, c := range all {
		if c.open {
			list = append(list, tracefile.Recorded{From: c.at.nanos, Began: c.why})
		} else {
			last := &list[len(list)-1]
			last.To, last.Ended = c.at.nanos, c.why
		}
	}
	if w.Last > 0 {
		w.mutex.Lock()
		defer w.mutex.Unlock()
		r := tracefile.Recorded{From: w.newest.nanos - w.Last.Nanoseconds(), To: w.newest.nanos,
			Began: fmt.Sprintf("--last %v", w.Last), Ended: "the end"}
		if w.given && w.floor.nanos > r.From {
			r.From, r.Began = w.floor.nanos, fmt.Sprintf("as much of --last %v as fits into the limit: --max-size", w.Last)
		}
		list = append(list, r)
	}
	return list
}

// room returns the maximum size of the backlogs, in bytes.
func (w *Window) room() int64 {
	if w.MostSize > 0 {
		return w.MostSize
	}
	return usualMemory
}

// seen updates the newest instant and drops backlog that is no longer needed.
func (w *Window) seen(newest instant) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if newest.nanos > w.newest.nanos {
		w.newest = newest
	}
}

func (w *Window) gaveUp(floor instant) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if !w.given || floor.nanos > w.floor.nanos {
		w.floor, w.given = floor, true
	}
}
