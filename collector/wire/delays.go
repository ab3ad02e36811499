package wire

import (
	"sync/atomic"
	"time"
)

// DelayKind has a bit for each activity of a thread (calls, waits, lock releases) that an experiment delays. Each
// thread has one such word in shared memory. A traced call reads the word first; if the word is 0, the experiment
// costs the call only that load and a branch.
type DelayKind uint32

// The bits of a DelayKind.
const (
	DelayCalls    DelayKind = 1 << iota // the calls of Delays.Calls, before their originals
	DelayLock                           // releases of the lock
	DelayWaits                          // returns of the calls of Delays.Calls that wait
	DelayOwn                            // the thread's own code, before calls of Delays.Calls that are not nested
	DelayHandlers                       // completion handlers
	DelayPauses                         // the thread pauses after other threads ran a target that is virtually sped up
	DelayOthers                         // when the thread runs the target, all other threads are delayed
	DelaySleeps                         // the thread sleeps for its delay; without this bit it spins
	DelayItself                         // with DelayOthers: the thread itself pauses, too
)

// ShortestSleep is the shortest delay for which a thread sleeps, if DelaySleeps is set. For shorter delays the thread
// spins: a sleeping thread wakes up to about half of this time too late.
const ShortestSleep = 120 * time.Microsecond

// Delays describes which delays an experiment (mtrace experiment, which measures what delays cost the program)
// adds to a process at the moment. The zero value delays nothing.
type Delays struct {
	Kinds  DelayKind // activities delayed in the threads in Threads
	Others DelayKind // activities delayed in all other threads
	Calls  []Call
	Lock   uint64 // address of the lock that is held longer
	Length time.Duration
	// the time at which all delays end, even if the collector has died, in nanoseconds on the process's monotonic
	// clock
	Until    int64
	Threads  []uint64 // the system's ids of the selected threads; empty means all
	Progress StringID // the mark that is a unit of progress; 0 means completed command buffers
}

// of returns what an experiment delays in the thread with this id: d.Kinds if the thread is selected, otherwise
// d.Others.
func (d *Delays) of(thread uint64) DelayKind {
	if len(d.Threads) == 0 {
		return d.Kinds
	}
	for _, t := range d.Threads {
		if t == thread {
			return d.Kinds
		}
	}
	return d.Others
}

func (g Region) at32(offset int) *uint32 { return Ring(g).word32(offset) }
func (g Region) at64(offset int) *uint64 { return Ring(g).word64(offset) }

// SetDelays replaces the delays of the process. A delay that a thread has already begun is not shortened. Only one
// goroutine may call SetDelays at a time.
func (g Region) SetDelays(d Delays) {
	g.ArmDelays(Delays{}) // no thread may begin a delay with a half-written table
	sequence := g.load32(RegionDelaysOffset)
	atomic.StoreUint32(g.at32(RegionDelaysOffset), sequence|1)
	atomic.StoreUint64(g.at64(RegionDelayOffset), uint64(max(d.Length, 0)))
	atomic.StoreUint64(g.at64(RegionDelayUntilOffset), uint64(max(d.Until, 0)))
	atomic.StoreUint64(g.at64(RegionDelayLockOffset), d.Lock)
	atomic.StoreUint64(g.at64(RegionProgressOffset), uint64(d.Progress))
	var bits [DelayCallWords]uint64
	for _, c := range d.Calls {
		bits[int(c)/64%DelayCallWords] |= 1 << (c % 64)
	}
	for i, word := range bits {
		atomic.StoreUint64(g.at64(RegionDelayCallsOffset+8*i), word)
	}
	atomic.StoreUint32(g.at32(RegionDelaysOffset), max((sequence|1)+1, 2))
	due := g.DelayDue()
	for i := range g.RingsUsed() {
		atomic.StoreUint64(g.Ring(i).word64(RingPaidOffset), due)
	}
	g.ArmDelays(d)
}

// ArmDelays sets the delay word of each thread. Call it repeatedly, because threads that start later have only the
// default word.
func (g Region) ArmDelays(d Delays) {
	fresh := d.Others
	if len(d.Threads) == 0 {
		fresh = d.Kinds
	}
	atomic.StoreUint32(g.at32(RegionDelayKindsOffset), uint32(fresh))
	for i := range g.RingsUsed() {
		r := g.Ring(i)
		if kinds := uint32(d.of(r.Thread())); atomic.LoadUint32(r.word32(RingDelaysOffset)) != kinds {
			atomic.StoreUint32(r.word32(RingDelaysOffset), kinds)
		}
	}
}

// DelayDue returns how long each thread of the process must have paused in total because of virtual speed-ups, in
// nanoseconds. A virtual speed-up shows what a faster call would bring: instead of shortening the call, it pauses
// all threads except the caller.
func (g Region) DelayDue() uint64 { return g.load64(RegionDelayDueOffset) }

// An Injected holds what an experiment (mtrace experiment) counted for the threads that used one ring buffer:
// added delays, and units of progress such as completed command buffers. The counts only grow.
type Injected struct {
	Thread      uint64 // the thread that has the ring now, or had it last
	Occurrences uint64 // how often the target (such as a call) occurred, including delays of length 0
	Nanos       uint64 // how long the threads were delayed altogether, as measured, in nanoseconds
	Units       uint64 // units of progress completed
	UnitAt      Ticks  // when the last unit was completed; 0 if there was none
}

// Injected reads the counts of the experiment for the ring buffer's threads: the number of delays, their total time,
// and units of progress.
func (r Ring) Injected() Injected {
	return Injected{
		Thread:      r.Thread(),
		Occurrences: atomic.LoadUint64(r.word64(RingDelayedOffset)),
		Nanos:       atomic.LoadUint64(r.word64(RingInjectedOffset)),
		Units:       atomic.LoadUint64(r.word64(RingUnitsOffset)),
		UnitAt:      Ticks(atomic.LoadUint64(r.word64(RingUnitAtOffset))),
	}
}
