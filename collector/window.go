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

// A Window says which times of a recording are kept. The traced programs record all of it, as ever: what is not kept is
// left out here, so that they do not pay for the choice, and so that what is decided late still holds from when it
// should: the last two seconds are always at hand.
//
// Of what is left out, the records that hold for all that comes later are kept: which thread has a ring, what a queue
// or a pipeline state is. The rings' positions in the trace are without what was left out, so that nothing seems to be
// lost.
type Window struct {
	Closed   bool          // nothing is kept before it is opened
	Duration time.Duration // how long it is open each time; 0 is until it is closed
	Last     time.Duration // keep the end, and so much before it; it is never open
	StartOn  string        // the mark that opens it; empty is none
	StopOn   string        // the mark that closes it; empty is none
	MostSize int64         // of the trace, about, or, with Last, of what is kept in memory: bytes; 0 is no bound

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
	floor  instant    // of the backlog that was dropped to make room: all that is kept is later
	given  bool       // floor is there
}

// A change is an opening or a closing.
type change struct {
	open bool
	at   instant
	why  string
}

const (
	// leadIn is kept of what was before a window: what is alive in it began there.
	leadIn = 250 * time.Millisecond
	// graceTime is for how long completions are kept behind a window: they say when the GPU ran in it.
	graceTime = 2 * time.Second
	// readBack is how long the backlog reaches back while the window is closed; a mark is seen later than what follows it
	// on other threads.
	readBack = 2 * time.Second
	// usualMemory bounds the backlogs, in bytes, where the user gave no bound.
	usualMemory = 256 << 20
)

// theStart is why a window is open that was never closed.
const theStart = "the start"

// begin makes the window that of a collector.
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

// Toggle opens the window when it is closed, and closes it when it is open, from now on.
func (w *Window) Toggle(why string) {
	if w.Last == 0 {
		w.change(!w.opened(), now(), why)
	}
}

// OpenAfter opens the window so much after now.
func (w *Window) OpenAfter(d time.Duration, why string) { w.later(d, true, now(), why) }

// Finish ends the changes: what comes from now on does not change what is kept.
func (w *Window) Finish() {
	w.opening.Lock()
	defer w.opening.Unlock()
	w.done = true
}

// later makes a change so much after an instant, to the nanosecond, however late the timer is.
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

// full closes the window for good at an instant: the trace is as large as it may be.
func (w *Window) full(at instant) {
	w.change(false, at, "--max-size")
	w.Finish()
}

// mark opens or closes the window where a mark says so.
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

// recorded is what is kept, for the trace.
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
			r.From, r.Began = w.floor.nanos, fmt.Sprintf("as much of --last %v as there is room for: --max-size", w.Last)
		}
		list = append(list, r)
	}
	return list
}

// room returns how many bytes the backlogs may have.
func (w *Window) room() int64 {
	if w.MostSize > 0 {
		return w.MostSize
	}
	return usualMemory
}

// seen notes the newest instant and what of the past was given up.
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
