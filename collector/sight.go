package collector

import (
	"time"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// A Sight is what a process is at: what its shared memory says between two looks at its rings.
type Sight struct {
	At      wire.Ticks // of the look, on the process's clock
	Lost    uint64     // records so far, for want of room or of a ring
	Threads []Inside
}

// An Inside is a thread that lives, and the call that it is inside of: CallNone when it is in none.
type Inside struct {
	Ring   uint16
	Thread uint64 // the system's id
	Begin  wire.Ticks
	Object wire.ObjectID
	Call   wire.Call

	Blocked wire.Blocked // the wait for a lock or a signal that it is inside of, perhaps inside of the call
}

// sightPause is how often that is reported: often enough for a reader of a screen.
const sightPause = 100 * time.Millisecond

// A seeing remembers when it was told last.
type seeing struct{ told time.Time }

// tell tells who watches, when it is time to. Only the watcher of the rings calls it.
func (s *seeing) tell(reader *ringReader, at time.Time) {
	if reader.trace.collector.watch == nil || at.Sub(s.told) < sightPause {
		return
	}
	s.told = at
	var index tracefile.ProcessIndex
	sight := Sight{Lost: reader.shared.Losses().Unringed} // without the mutex: the memory may be gone
	for i := range reader.shared.RingsUsed() {
		shared := reader.shared.Ring(i)
		sight.Lost += shared.Dropped()
		if shared.State() == wire.RingLive {
			in := Inside{Ring: uint16(i), Thread: shared.Thread()}
			in.Begin, in.Object, in.Call = shared.Current()
			in.Blocked = shared.Blocked()
			sight.Threads = append(sight.Threads, in)
		}
	}
	reader.trace.mutex.Lock()
	sight.At, index = reader.trace.ticksOf(now()), reader.trace.index
	reader.trace.mutex.Unlock()
	reader.trace.collector.watch(index, sight)
}
