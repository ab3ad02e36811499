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

// The collector reads the rings of a process itself, all of them in one look, at the pace at which they fill: through a socket each
// record is copied twice more and the reader is woken for every few hundred. What comes by the socket all the same is what the drainer
// in the process found neglected; when one fills in a hurry it calls, by a frame without records.

const (
	// takeAtOnce is how many records are copied before their slots are given back.
	takeAtOnce = wire.RecordsPerRing / 8
	// takenBeside is how many records a ring has that is taken beside others: one after the other they may fill faster than they are taken.
	takenBeside = wire.RecordsPerRing / 4
	// maxHeld bounds what waits for older frames, in records of one ring; maxHeldFacts the same in bytes.
	maxHeld      = 4 * wire.RecordsPerRing
	maxHeldFacts = 4 * wire.FactsPerRing
	// recordsAtOnce is how many records a thread publishes together, at most: a call and its More record.
	recordsAtOnce = 2
	// maxFact bounds the size of a fact, in bytes.
	maxFact = wire.MaxFactText + 64
)

// A ring is what the collector knows of one ring of a process.
type ring struct {
	index    uint16
	mutex    sync.Mutex // of who joins records, from the socket or the memory; taken before the process's, which guards what follows
	records  joiner[wire.Record]
	facts    joiner[byte]
	factsEnd uint64 // the byte position behind those handed on
	partial  []byte // the beginning of a fact whose end has not come

	head    uint64 // as last seen, to tell how fast the ring fills
	dropped uint64 // as last seen
	losses  []tracefile.Loss

	window windowed // of what is kept of it, where that is not all
	sieve  sieve    // the same of what was selected
}

// watchLosses notes which thread has dropped records since the last look. Threads that had the ring for less than the time
// between two looks are counted as the one that has it now.
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

// checkHead refuses what a ring cannot be.
func checkHead(index uint16, head, tail, capacity uint64) error {
	if head < tail || head-tail > capacity {
		return fmt.Errorf("ring %d claims to hold positions %d to %d", index, tail, head)
	}
	return nil
}

// takeRing takes what is in a ring that nobody is draining. It returns how many records were taken.
func (p *process) takeRing(index int) (taken uint64, err error) {
	shared, r := p.shared.Ring(index), p.ring(uint16(index))
	head, tail := shared.Head(), shared.Tail()
	factsHead, factsTail := shared.FactsHead(), shared.FactsTail()
	if head == tail && factsHead == factsTail {
		return 0, nil
	}
	if p.waiting(r) || !shared.TryClaim(wire.ClaimCollector) {
		return 0, nil
	}
	defer shared.Unclaim()
	// What the drainer took before the claim was its own is not in the ring any more.
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
		if err := p.joinFacts(r, factsTail, copy.takeFacts(shared, factsTail, factsHead)); err != nil {
			return 0, err
		}
		shared.SetFactsTail(factsHead)
	}
	for ; tail < head; tail = min(tail+takeAtOnce, head) {
		to := min(tail+takeAtOnce, head)
		records := copy.takeRecords(shared, tail, to)
		shared.SetTail(to)
		if err := p.joinRecords(r, tail, records); err != nil {
			return taken, err
		}
		taken += to - tail
	}
	return taken, nil
}

// takeBeside takes rings, as many at a time as there are processors for Go.
func (p *process) takeBeside(rings []int) error {
	var next atomic.Int64
	failures := make(chan error, len(rings))
	var workers sync.WaitGroup
	for range min(len(rings), runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(rings)); i = next.Add(1) - 1 {
				failures <- guard(func() error {
					_, err := p.takeRing(rings[i])
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

// waiting says that much of the ring was taken already and cannot be handed on before older frames come: taking more would
// only pile it up here.
func (p *process) waiting(r *ring) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return r.records.count > maxHeld/2 || r.facts.count > maxHeldFacts/2
}

// A copied is memory for what is copied of the shared memory.
type copied struct {
	records []wire.Record
	facts   []byte
}

var copies = sync.Pool{New: func() any { return &copied{} }}

func (c *copied) takeRecords(shared wire.Ring, from, to uint64) []wire.Record {
	a, b := shared.Slots(from, to)
	c.records, _ = wire.DecodeRecords(c.records[:0], a)
	c.records, _ = wire.DecodeRecords(c.records, b)
	return c.records
}

func (c *copied) takeFacts(shared wire.Ring, from, to uint64) []byte {
	a, b := shared.FactBytes(from, to)
	c.facts = append(append(c.facts[:0], a...), b...)
	return c.facts
}

// The pace of looking at rings: often enough that a ring that fills as fast as it did is seen again at an eighth, and that who watches
// the recording sees a call within 100 ms.
const (
	shortestPause = time.Millisecond
	longestPause  = 50 * time.Millisecond
)

// pause is how long to wait after a look that found the fullest growth since the look before it. After one in a hurry it is short: what a ring has grown
// by since a look of long ago says little of how fast it grows now.
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

// watchRings looks at the rings and takes what is in them until stop is closed.
func (p *process) watchRings(stop <-chan struct{}) {
	wait := shortestPause
	var threads []uint64
	var full []int // the rings that are taken beside each other
	told := soFar{told: time.Now()}
	var seen seeing
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		hurried := false
		select {
		case <-stop:
			return
		case <-timer.C:
		case <-p.hurry:
			hurried = true
		}
		growth, count := uint64(0), uint64(0)
		threads, full = threads[:0], full[:0]
		l := limit{p, p.possible()}
		err := guard(func() error {
			for i := range p.shared.RingsUsed() {
				shared, r := p.shared.Ring(i), p.ring(uint16(i))
				head := shared.Head()
				growth = max(growth, head-r.head)
				r.head = head
				r.watchLosses(shared, l)
				count += head + r.dropped
				if shared.State() == wire.RingLive {
					threads = append(threads, shared.Thread())
				}
				if head-shared.Tail() > takenBeside {
					full = append(full, i)
				} else if _, err := p.takeRing(i); err != nil {
					return err
				}
			}
			if err := p.takeBeside(full); err != nil {
				return err
			}
			told.tell(p, time.Now(), count)
			seen.tell(p, time.Now())
			p.siftQuiet(time.Now())
			return nil
		})
		if err != nil {
			p.fail(err)
			return
		}
		if p.times != nil {
			p.handThreadTimes(p.times.look(time.Now(), append(threads, wire.WholeProcess, wire.WholeMachine)))
		}
		if growth > wire.RecordsPerRing/2 {
			p.collector.behind()
		}
		wait = pause(wait, growth, hurried)
		timer.Reset(wait)
	}
}

// salvage reads what a process that is gone left in its rings: everything that was published and did not come by the socket.
// Nobody writes any more, so claims are void and even slots that were given back are whole, but for the one that the thread
// was writing when it died. What is wrong with one ring costs the others nothing.
func (p *process) salvage() error {
	var wrong []error
	err := guard(func() error {
		for i := range p.shared.RingsUsed() {
			shared, r := p.shared.Ring(i), p.ring(uint16(i))
			r.watchLosses(shared, limit{p, p.possible()})
			wrong = append(wrong, p.salvageFacts(r, shared), p.salvageRecords(r, shared))
		}
		return nil
	})
	return cmp.Or(append(wrong, err)...)
}

func (p *process) salvageRecords(r *ring, shared wire.Ring) error {
	head := shared.Head()
	if err := p.checkPosition(r, head); err != nil {
		return err
	}
	from := max(r.records.next, oldest(head, shared.Tail()))
	copy := copies.Get().(*copied)
	defer copies.Put(copy)
	for from < head {
		to := min(from+takeAtOnce, head)
		if err := p.joinRecords(r, from, copy.takeRecords(shared, from, to)); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// oldest is the first position whose slot still holds its record, in the ring of a thread that is gone. Up to where the ring was
// given back nothing can have been overwritten; before that, all of the ring but what the thread may have been writing.
func oldest(head, tail uint64) uint64 {
	whole := head - min(head, wire.RecordsPerRing)
	return max(whole, min(tail, head-min(head, wire.RecordsPerRing-recordsAtOnce)))
}

// salvageFacts reads from where the socket ended when that is still there, or else from a place where a fact begins.
func (p *process) salvageFacts(r *ring, shared wire.Ring) error {
	head, tail := shared.FactsHead(), shared.FactsTail()
	from := r.facts.next
	if from >= head {
		return nil
	}
	if head-from > wire.FactsPerRing-maxFact {
		from = tail
	}
	if err := checkHead(r.index, head, from, wire.FactsPerRing); err != nil || head > farthest {
		return err
	}
	copy := copies.Get().(*copied)
	defer copies.Put(copy)
	return p.joinFacts(r, from, copy.takeFacts(shared, from, head))
}
