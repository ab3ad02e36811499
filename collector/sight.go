package collector

import (
	"time"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// A Sight is a snapshot of a process's activity. It is read from the shared memory between two polls of the rings.
type Sight struct {
	At      wire.Ticks // of the snapshot, on the process's clock
	Lost    uint64     // records lost so far, because a ring was full or all rings were in use
	Threads []Inside
}

// An Inside is a live thread with its current call, or CallNone.
type Inside struct {
	Ring   uint16
	Thread uint64 // the system's id
	Begin  wire.Ticks
	Object wire.ObjectID
	Call   wire.Call

	Blocked wire.Blocked // its current wait for a lock or a signal, possibly inside the call
	Polling wire.Polling // the loop in which it polls, if it has not left it
}

// sightPause is the reporting interval, short enough for a person at a screen.
const sightPause = 100 * time.Millisecond

// A seeing stores the time of the last report.
type seeing struct{ told time.Time }

// tell reports to the watcher if a report is due. Only the reader of the rings calls it.
func (s *seeing) tell(reader *ringReader, at time.Time) {
	if reader.trace.collector.watch == nil || at.Sub(s.told) < sightPause {
		return
	}
	s.told = at
	var index tracefile.ProcessIndex
	sight := Sight{Lost: reader.shared.Losses().Unringed} // outside the mutex: the memory may be gone
	for i := range reader.shared.RingsUsed() {
		shared := reader.shared.Ring(i)
		sight.Lost += shared.Dropped()
		if shared.State() == wire.RingLive {
			in := Inside{Ring: uint16(i), Thread: shared.Thread()}
			in.Begin, in.Object, in.Call = shared.Current()
			in.Blocked, in.Polling = shared.Blocked(), shared.Polling()
			sight.Threads = append(sight.Threads, in)
		}
	}
	reader.trace.mutex.Lock()
	sight.At, index = reader.trace.ticksOf(now()), reader.trace.index
	reader.trace.mutex.Unlock()
	reader.trace.collector.watch(index, sight)
}
