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

// A Window selects the time ranges of a recording that are written to the trace. The traced programs still record
// everything, so that opening and closing cost them nothing. The collector holds the last two seconds of records in
// memory, so that a late decision can apply from an earlier instant, and drops unwanted records.
//
// Records that later records depend on, for example the creation of a queue, are always kept. Positions in the trace
// do not count dropped records; otherwise these would be reported as lost.
type Window struct {
	Closed   bool          // the window is closed at first: no records are kept before it is opened
	Duration time.Duration // how long the window stays open each time; 0 means until an event closes it
	Last     time.Duration // keep only this time before the end; such a window is never open
	StartOn  string        // name of the mark that opens the window; empty means none
	StopOn   string        // name of the mark that closes the window; empty means none
	// approximate maximum size in bytes: of the trace or, with Last, of the records held in memory; 0 means no limit
	MostSize int64

	collector *Collector
	opening   sync.Mutex // held while the window is opened or closed
	changes   atomic.Pointer[[]change]
	held      atomic.Int64 // bytes of all backlogs
	starts    wire.StringID
	stops     wire.StringID
	done      bool // no change is allowed any more; guarded by opening
	timer     *time.Timer

	mutex  sync.Mutex // guards what follows
	newest instant    // the latest instant of a record; used only with Last
	floor  instant    // the latest instant of dropped backlog: all data that is kept is later
	given  bool       // floor is set
}

// A change is one opening or closing of the window (the time ranges written to the trace), with its instant and the
// reason that the trace shows.
type change struct {
	open bool
	at   instant
	why  string
}

const (
	// leadIn is how long before each opening records are kept, too: objects that are used in the window may have
	// been created shortly before it.
	leadIn = 250 * time.Millisecond
	// graceTime is how long after each closing completions of command buffers are still kept: they have the GPU times
	// of work that was submitted in the window.
	graceTime = 2 * time.Second
	// readBack is for how long records are held in memory while the window is closed. The collector may read the mark
	// that opens the window only after it read later records of other threads; these are then still in memory.
	readBack = 2 * time.Second
	// usualMemory limits the memory of all held records (recent records that may still be written), in bytes, if
	// the user set no limit.
	usualMemory = 256 << 20
)

// theStart is what the trace shows as the reason of the first opening, if the window is open from the beginning
// of the recording.
const theStart = "the start"

// begin prepares the window for a collector's recording, and opens it unless it shall begin closed.
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

// all returns the openings and closings so far, oldest first.
func (w *Window) all() []change { return *w.changes.Load() }

// opened reports whether the window is open at this moment.
func (w *Window) opened() bool {
	all := w.all()
	return len(all) > 0 && all[len(all)-1].open
}

// Toggle starts writing records to the trace, or stops it: it opens a closed window or closes an open one. It does
// nothing if the user asked for the end of the recording (Last), because such a window is never open.
func (w *Window) Toggle(why string) {
	if w.Last == 0 {
		w.change(!w.opened(), now(), why)
	}
}

// OpenAfter opens the window when the time d has passed. The trace shows why as the reason.
func (w *Window) OpenAfter(d time.Duration, why string) { w.later(d, true, now(), why) }

// Finish makes all later openings and closings have no effect.
func (w *Window) Finish() {
	w.opening.Lock()
	defer w.opening.Unlock()
	w.done = true
}

// later opens or closes the window at the instant d after from. The change applies from exactly that instant, even if
// the timer fires late.
func (w *Window) later(d time.Duration, open bool, from instant, why string) *time.Timer {
	return time.AfterFunc(d, func() { w.change(open, from.after(d, now()), why) })
}

// change opens or closes the window at an instant. It does nothing if the window is already in that state, or if
// Finish was called. The trace shows why as the reason.
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

// full closes the window for good, because the trace has reached the maximum size that the user set.
func (w *Window) full(at instant) {
	w.change(false, at, "--max-size")
	w.Finish()
}

// mark opens or closes the window if records contain the mark (an event that the program names) that the user chose
// for that.
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

// callMark is the call number of records that state a mark, an event that the program names.
var callMark = wire.MustLookup(wire.FamilyTracer, "mark")

// recorded returns the time ranges that the trace has, with the reasons for their beginning and end; nil means the
// whole recording.
func (w *Window) recorded() (list []tracefile.Recorded) {
	all := w.all()
	if len(all) == 1 && all[0].why == theStart {
		return nil // the whole recording is in the trace
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
			r.From, r.Began = w.floor.nanos, fmt.Sprintf("as much of --last %v as fits into --max-size", w.Last)
		}
		list = append(list, r)
	}
	return list
}

// room returns how many bytes of memory all held records may use together.
func (w *Window) room() int64 {
	if w.MostSize > 0 {
		return w.MostSize
	}
	return usualMemory
}

// seen moves w.newest, the latest instant of a record, forward. With Last (only the end of the run is kept), the
// kept range ends at this instant.
func (w *Window) seen(newest instant) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if newest.nanos > w.newest.nanos {
		w.newest = newest
	}
}

// gaveUp notes that records up to the instant floor were dropped because the held records exceeded the memory limit.
func (w *Window) gaveUp(floor instant) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if !w.given || floor.nanos > w.floor.nanos {
		w.floor, w.given = floor, true
	}
}
