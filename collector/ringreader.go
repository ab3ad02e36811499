package collector

import (
	"cmp"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// The collector itself reads the ring buffers of all threads of a process in shared memory, as often as they
// fill. Sending each record through a socket would copy it twice more, and wake the reader every few hundred
// records. Inside the process, the tracer's library has a drainer thread. It sends the records of a ring only if
// the collector does not read that ring in time. When a ring fills fast, the drainer wakes the collector with a
// frame without records.

const (
	// takeAtOnce is the number of records that are copied before their slots are released to the writing thread. With
	// a larger value, slots stay occupied longer, and the ring buffer overflows more easily.
	takeAtOnce = wire.RecordsPerRing / 8
	// drainedInParallel is the fill level, in records, above which ring buffers are read concurrently. Read one after
	// another, several fast rings would fill faster than they are read.
	drainedInParallel = wire.RecordsPerRing / 4
	// maxHeld limits how many records of one thread's ring buffer may wait for older frames from the socket.
	// maxHeldFacts limits the waiting facts (names and other data of variable size), in bytes. A process that exceeds
	// a limit violates the protocol, and its connection is closed.
	maxHeld      = 4 * wire.RecordsPerRing
	maxHeldFacts = 4 * wire.FactsPerRing
	// recordsAtOnce is the maximum number of records that a thread publishes together: a call's record and its More
	// record (further arguments). If a thread died while it wrote, the contents of that many slots are not trusted.
	recordsAtOnce = 2
	// maxFact is the maximum size of a fact (a name or other data of variable size), in bytes. A thread that died
	// may have been writing one, so salvageFacts does not trust the oldest maxFact bytes of a full ring.
	maxFact = wire.MaxFactText + 64
)

// A ringReader reads the ring buffers of one process directly in shared memory.
type ringReader struct {
	trace *processTrace
	order *recordOrder
	peer  int         // the process id, as the kernel reports it
	fail  func(error) // ends the connection

	shared   mapping // valid if mapped is true
	mapped   bool
	touching sync.Mutex     // held while an experiment uses shared, and while it is unmapped
	times    *threadSampler // nil if the threads' processor times cannot be read

	hurry        chan struct{} // signalled when records came by the socket: a ring fills faster than it is read
	stopWatching func()        // waits until the rings are no longer read
	watched      atomic.Bool   // the rings are being read

	asked chan chan<- struct{} // requests of Snapshot: closed when the rings' contents were delivered to the trace
}

// attach maps the shared memory behind fd, begins the process's clock and starts the goroutine that reads the ring
// buffers.
func (reader *ringReader) attach(fd int) error {
	m, err := mapRegion(fd)
	if err != nil {
		return err
	}
	reader.shared, reader.mapped = m, true
	var kind wire.ClockKind
	var numer, denom uint32
	var first wire.ClockSample
	err = guard(func() error {
		kind, first = m.Clock(), m.FirstSample()
		numer, denom = m.Timebase()
		return nil
	})
	if err != nil {
		return err
	}
	reader.trace.beginClock(kind, numer, denom, first)
	reader.trace.sampleClock()
	if clock := openThreadClock(reader.peer); clock != nil {
		reader.times = &threadSampler{clock: clock}
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	reader.stopWatching = func() { close(stop); <-stopped }
	reader.watched.Store(true)
	go func() {
		defer close(stopped)
		reader.watchRings(stop)
	}()
	return nil
}

// A ring is the collector's state for one ring buffer (a thread's records in shared memory): what was read from it so
// far, and what waits for older data.
type ring struct {
	index    uint16
	mutex    sync.Mutex // held while records are joined; locked before the trace's mutex, which guards the rest
	records  joiner[wire.Record]
	facts    joiner[byte]
	factsEnd uint64 // the byte position after the delivered facts
	partial  []byte // an incomplete fact

	head    uint64 // value at the previous reading, to compute how fast the ring fills
	dropped uint64 // value at the previous reading
	losses  []tracefile.Loss

	window    ringWindow    // the state of the window filter, if there is one
	selection ringSelection // the state of the selection filter, if there is one
}

// watchLosses attributes the records that were dropped since its last call to the ring's current thread. If the ring
// buffer had another owner between the two calls, that thread's losses are wrongly attributed to the current one.
func (r *ring) watchLosses(shared wire.Ring, l limit) {
	dropped := l.believe(shared.Dropped(), r.where(), "dropped records")
	if dropped <= r.dropped {
		return
	}
	n, thread := dropped-r.dropped, shared.Thread()
	r.dropped = dropped
	for i := range r.losses {
		if r.losses[i].Thread == thread {
			r.losses[i].Records += n
			return
		}
	}
	r.losses = append(r.losses, tracefile.Loss{Thread: thread, Records: n})
}

// checkHead returns an error unless positions tail to head fit into a ring of this capacity. Both positions come from
// the process's memory, where the program may have overwritten them.
func checkHead(index uint16, head, tail, capacity uint64) error {
	if head < tail || head-tail > capacity {
		return fmt.Errorf("ring %d states that it holds positions %d to %d, which is impossible", index, tail, head)
	}
	return nil
}

// takeRing reads all records and facts (names and other data of variable size) from a thread's ring buffer. It reads
// nothing if the drainer in the process has claimed the ring. taken is the number of records that it read.
func (reader *ringReader) takeRing(index int) (taken uint64, err error) {
	shared, r := reader.shared.Ring(index), reader.order.ring(uint16(index))
	head, tail := shared.Head(), shared.Tail()
	factsHead, factsTail := shared.FactsHead(), shared.FactsTail()
	if head == tail && factsHead == factsTail {
		return 0, nil
	}
	if reader.order.waiting(r) || !shared.TryClaim(wire.ClaimCollector) {
		return 0, nil
	}
	defer shared.Unclaim()
	// Read the positions again: the drainer in the process may have sent records between the first reading and this
	// claim. With the old positions they would be taken a second time.
	head, tail = shared.Head(), shared.Tail()
	factsHead, factsTail = shared.FactsHead(), shared.FactsTail()
	if err := checkHead(r.index, head, tail, wire.RecordsPerRing); err != nil {
		return 0, err
	}
	if err := checkHead(r.index, factsHead, factsTail, wire.FactsPerRing); err != nil {
		return 0, err
	}
	copy := copies.Get().(*copied)
	defer copies.Put(copy)
	if factsHead != factsTail {
		if err := reader.order.joinFacts(r, factsTail, copy.takeFacts(shared, factsTail, factsHead)); err != nil {
			return 0, err
		}
		shared.SetFactsTail(factsHead)
	}
	for ; tail < head; tail = min(tail+takeAtOnce, head) {
		to := min(tail+takeAtOnce, head)
		records := copy.takeRecords(shared, tail, to)
		shared.SetTail(to)
		if err := reader.order.joinRecords(r, tail, records); err != nil {
			return taken, err
		}
		taken += to - tail
	}
	return taken, nil
}

// drainParallel reads the ring buffers with these indices concurrently, with one goroutine per processor. It returns
// the first error, after all goroutines have ended.
func (reader *ringReader) drainParallel(rings []int) error {
	var next atomic.Int64
	failures := make(chan error, len(rings))
	var workers sync.WaitGroup
	for range min(len(rings), runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(rings)); i = next.Add(1) - 1 {
				failures <- guard(func() error {
					_, err := reader.takeRing(rings[i])
					return err
				})
			}
		})
	}
	workers.Wait()
	close(failures)
	var err error
	for failure := range failures {
		err = cmp.Or(err, failure)
	}
	return err
}

// waiting reports whether too many records or facts of the ring buffer already wait for older frames from the socket.
// Reading more would only use memory.
func (o *recordOrder) waiting(r *ring) bool {
	o.trace.mutex.Lock()
	defer o.trace.mutex.Unlock()
	return r.records.count > maxHeld/2 || r.facts.count > maxHeldFacts/2
}

// A copied is a reusable buffer for data that was copied out of shared memory.
type copied struct {
	records []wire.Record
	facts   []byte
}

var copies = sync.Pool{New: func() any { return &copied{} }}

func (c *copied) takeRecords(shared wire.Ring, from, to uint64) []wire.Record {
	c.records = c.records[:0]
	for piece := range shared.Slots(from, to) {
		c.records, _ = wire.DecodeRecords(c.records, piece)
	}
	return c.records
}

func (c *copied) takeFacts(shared wire.Ring, from, to uint64) []byte {
	a, b := shared.FactBytes(from, to)
	c.facts = append(append(c.facts[:0], a...), b...)
	return c.facts
}

// The bounds for the interval between two readings of the rings. Within them, a thread's ring buffer that fills at a
// constant rate is read when it is one eighth full. A user who watches the recording sees a call within 100 ms.
const (
	shortestPause = time.Millisecond
	longestPause  = 50 * time.Millisecond
	// If a reading of the rings starts more than lateAfter too late, the reading thread probably waited for a busy
	// processor; the rotation then moves it to another one. Go's timers alone are up to a millisecond late.
	lateAfter = 2 * time.Millisecond
)

// pause returns the interval until the rings are read next. last is the previous interval, and growth the number
// of records that the fastest ring buffer received in it. If the process woke the collector (hurried) because a
// ring filled up, the previous interval ended early, so growth does not show the rate; pause then returns the
// shortest interval.
func pause(last time.Duration, growth uint64, hurried bool) time.Duration {
	if hurried {
		return shortestPause
	}
	untilEighth := longestPause
	if growth > 0 {
		untilEighth = time.Duration(float64(last) * (wire.RecordsPerRing / 8) / float64(growth))
	}
	return min(max(untilEighth, shortestPause), longestPause, last*2)
}

// watchRings reads the ring buffers of a process again and again until stop is closed.
func (reader *ringReader) watchRings(stop <-chan struct{}) {
	wait := shortestPause
	var threads []uint64
	var full []int // the rings that are drained concurrently
	told := soFar{told: time.Now()}
	var seen seeing
	turns, due := newRotation(), time.Now().Add(wait)
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		hurried, late := false, false
		var asked chan<- struct{}
		select {
		case <-stop:
			return
		case <-timer.C:
			late = time.Since(due) > lateAfter
		case <-reader.hurry:
			hurried = true
		case asked = <-reader.asked:
			told.told = time.Time{}
		}
		turns.begin(late)
		growth, count := uint64(0), uint64(0)
		threads, full = threads[:0], full[:0]
		l := limit{reader.trace, reader.order.possible()}
		err := guard(func() error {
			for i := range reader.shared.RingsUsed() {
				shared, r := reader.shared.Ring(i), reader.order.ring(uint16(i))
				head := shared.Head()
				growth = max(growth, head-r.head)
				r.head = head
				r.watchLosses(shared, l)
				count += head + r.dropped
				if shared.State() == wire.RingLive {
					threads = append(threads, shared.Thread())
				}
				if head-shared.Tail() > drainedInParallel {
					full = append(full, i)
				} else if _, err := reader.takeRing(i); err != nil {
					return err
				}
			}
			if err := reader.drainParallel(full); err != nil {
				return err
			}
			told.tell(reader, time.Now(), count)
			if asked != nil {
				close(asked)
			}
			seen.tell(reader, time.Now())
			if f := reader.trace.selection; f != nil {
				f.decideQuiet(time.Now())
			}
			return nil
		})
		if err != nil {
			reader.fail(err)
			return
		}
		if reader.times != nil {
			reader.trace.handThreadTimes(reader.times.sampleIfDue(time.Now(), append(threads, wire.WholeProcess,
				wire.WholeMachine)))
		}
		if growth > wire.RecordsPerRing/2 {
			reader.trace.collector.behind()
		}
		turns.end()
		wait = pause(wait, growth, hurried)
		due = time.Now().Add(wait)
		timer.Reset(wait)
	}
}
