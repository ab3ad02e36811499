package collector

import (
	"time"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// A Sight is a snapshot of what a process's threads are doing, for Options.Watch. The reader of the ring buffers
// takes it from shared memory.
type Sight struct {
	At      wire.Ticks // time of the snapshot, on the process's clock
	Lost    uint64     // records lost so far, because a ring was full or all rings were in use
	Threads []Inside
}

// An Inside is a running thread and the Metal call that it is executing, or CallNone.
type Inside struct {
	Ring   uint16
	Thread uint64 // the system's id
	Begin  wire.Ticks
	Object wire.ObjectID
	Call   wire.Call

	Blocked wire.Blocked // the thread's current wait for a lock or a signal, possibly inside the call
	Polling wire.Polling // the loop in which the thread polls; Call is CallNone if there is none
}

// sightPause is the shortest interval between two snapshots of a process for Options.Watch, short enough for a live
// display.
const sightPause = 100 * time.Millisecond

type seeing struct{ told time.Time }

// tell passes a snapshot of the process to Options.Watch if sightPause has passed since the last one. Only the
// goroutine that reads the ring buffers may call it.
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
