package tracesim

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mtrace/collector/wire"
)

// Costs are the CPU times of calls and the latencies of the device, in nanoseconds.
type Costs struct {
	Acquire, Encoder, Dispatch, EndEncoding, Commit int64
	Schedule                                        int64 // from commit to ready for the GPU
	// from the GPU's end, or the last handler's, to the waiter's return
	Notify int64
	Make   int64 // of memory
}

// DefaultCosts are of the order of what Apple's Metal takes.
var DefaultCosts = Costs{Acquire: 600, Encoder: 800, Dispatch: 300, EndEncoding: 200, Commit: 3000, Schedule: 15_000,
	Notify: 10_000, Make: 2000}

// A Sim runs threads on a simulated Metal and records what a tracer would.
type Sim struct {
	Costs
	Engines int  // command buffers that the GPU runs at the same time
	Serial  bool // of each queue, it runs one at a time
	// of each ForeignPeriod, the first part, in which another program has the GPU; it finishes what it has begun
	Foreign       int64
	ForeignPeriod int64
	Rest          int64 // how long an engine is idle after each command buffer
	Interrupts    bool  // the other program does not wait for what has begun
	// how much longer work takes for each other that the GPU runs at the same time, as a share of what it takes alone
	Shared     float64
	Processors Processors
	CommitLock *Lock   // held inside commit, invisible to the tracer
	Jitter     float64 // sigma of the log-normal factor on every duration
	Truth      SimTruth

	BeforeWrite func(*Process) // adds to what was recorded; nil adds nothing
	Delay       Delay          // that is added to the program

	random    *rand.Rand
	clock     clock
	file      *File
	process   *Process
	handlers  *Ring
	ids       uint32
	running   int
	gpu       sharing // where work is slower beside other work
	living    []*Thread
	queues    []*Queue
	pipelines map[string]uint32
	setup     *Ring
	events    map[uint32]uint64 // values
	threads   int
}

// SimTruth is what really happened.
type SimTruth struct {
	Started     int64 // when the first thread began
	Finished    int64 // when the last thread ended
	LockBlocked int64 // thread time blocked on locks
	Injected    int64 // the sum of Delay in all its places
}

// A Delay is added in each of these places, as mtrace experiment does.
type Delay struct {
	Commit  int64 // before a commit
	Wait    int64 // after a wait
	Hold    int64 // before a lock is released
	Handler int64 // in the completion handlers of a command buffer
}

// A Queue is a command queue.
type Queue struct {
	id       uint32
	capacity int
	used     int
	order    []*Buffer // enqueued, not begun
	waiting  []*Thread // for a free command buffer
	handled  int64     // when the handlers of its latest completed command buffer return
	running  bool      // the GPU runs the one that began last
}

// A Buffer is a command buffer.
type Buffer struct {
	id                            uint32
	queue                         *Queue
	duration                      int64
	enqueued, committed, complete bool
	ready, gpuBegin, gpuEnd       int64
	waiters                       []*Thread
	handlers                      []int64
	handler                       *Thread         // runs a completion handler; nil if none does
	completes                     func(now int64) // ends the completion, for the handler
	waits, signals                []eventValue
	encoded                       int
	failure                       string // what Metal says of its error; empty when it has none
}

type eventValue struct {
	event uint32
	value uint64
}

// A Lock is a mutex that hands itself to the one that waits longest.
type Lock struct {
	Seen    bool // the tracer sees who waits for it
	holder  *Thread
	waiting []*Thread
	tickets []*Thread // those that wait without sleeping, where the order counts
}

// NewSim is a simulated device with as many engines.
func NewSim(engines int, seed uint64) *Sim {
	s := &Sim{Costs: DefaultCosts, Engines: engines, Jitter: 0.05, random: rand.New(rand.NewPCG(seed, 7)), ids: 1,
		pipelines: map[string]uint32{}, events: map[uint32]uint64{}}
	s.file, s.process = NewFile()
	s.clock.now = 1_000_000_000
	s.setup = s.process.Thread(100, "main", s.clock.now)
	s.handlers = s.process.Thread(999, "completion", s.clock.now)
	return s
}

// Process is the simulated process, for what a test wants to add.
func (s *Sim) Process() *Process { return s.process }

func (s *Sim) id() uint32 { s.ids++; return s.ids }

// vary is d, more or less.
func (s *Sim) vary(d int64) int64 {
	if s.Jitter == 0 {
		return d
	}
	return int64(float64(d) * math.Exp(s.Jitter*s.random.NormFloat64()))
}

// NewQueue makes a queue before the threads begin. Capacity 0 is the default of 64.
func (s *Sim) NewQueue(label string, capacity int) *Queue {
	q := &Queue{id: s.id(), capacity: capacity}
	s.queues = append(s.queues, q)
	s.setup.AddMore(wire.Record{Begin: wire.Ticks(s.clock.now), End: wire.Ticks(s.clock.now + 2000), Object: 1,
		Arg:  uint64(q.id),
		Call: wire.MustLookup(wire.FamilyDevice, "newCommandQueueWithMaxCommandBufferCount:")},
		wire.More{X0: uint64(capacity)})
	if label != "" {
		s.setup.Add(wire.MustLookup(wire.FamilyQueue, "setLabel:"), s.clock.now+2000, s.clock.now+2100, q.id,
			s.process.String(label))
	}
	s.clock.now += 3000
	if q.capacity == 0 {
		q.capacity = 64
	}
	return q
}

// NewEvent makes a shared event before the threads begin.
func (s *Sim) NewEvent() uint32 {
	id := s.id()
	s.events[id] = 0
	s.setup.Add(wire.MustLookup(wire.FamilyDevice, "newSharedEvent"), s.clock.now, s.clock.now+1000, 1, uint64(id))
	s.clock.now += 1500
	return id
}

func (s *Sim) pipeline(kernel string) uint32 {
	id, known := s.pipelines[kernel]
	if !known {
		id = s.id()
		s.pipelines[kernel] = id
	}
	return id
}

// Thread adds a thread that runs the script.
func (s *Sim) Thread(script func(t *Thread)) {
	s.threads++
	t := &Thread{sim: s, id: uint64(200 + s.threads)}
	s.living = append(s.living, t)
	t.routine = s.clock.start(s.clock.now, func(*routine) {
		if s.Truth.Started == 0 {
			s.Truth.Started = s.clock.now
		}
		t.ring = s.process.Thread(t.id, fmt.Sprintf("worker %d", t.id-200), s.clock.now)
		script(t)
		s.Truth.Finished = max(s.Truth.Finished, s.clock.now)
		s.samples()
		s.living = slices.DeleteFunc(s.living, func(other *Thread) bool { return other == t })
	})
}

// Run runs all threads to their end and writes the trace.
func (s *Sim) Run(t testing.TB) string {
	t.Helper()
	s.gpu = sharing{clock: &s.clock, pace: func(n int) float64 { return 1 / (1 + s.Shared*float64(n-1)) }}
	s.Processors.open(&s.clock)
	s.sample()
	s.clock.run()
	at := wire.Ticks(1_000_000_000)
	for _, kernel := range slices.Sorted(maps.Keys(s.pipelines)) { // made before the work
		made := pipelineRecords(s.process, kernel, s.pipelines[kernel], at)
		s.setup.Records = slices.Insert(s.setup.Records, 2, made...) // after the ThreadStart and its More
	}
	for _, q := range s.queues {
		if len(q.order) > 0 {
			t.Fatalf("queue %d still has %d command buffers: the scenario hangs", q.id, len(q.order))
		}
	}
	if s.BeforeWrite != nil {
		s.BeforeWrite(s.process)
	}
	return s.file.Write(t)
}

func pipelineRecords(p *Process, kernel string, id uint32, at wire.Ticks) []wire.Record {
	r := &Ring{process: p}
	r.AddMore(wire.Record{Begin: at, End: at, Object: 1, Arg: uint64(id), Call: wire.MustLookup(wire.FamilyDevice,
		"newComputePipelineStateWithFunction:error:")},
		wire.More{X0: p.String(kernel)})
	return r.Records
}

// feed gives the GPU what is ready, while it has a free engine.
func (s *Sim) feed() {
	if s.ForeignPeriod > 0 && s.clock.now%s.ForeignPeriod < s.Foreign {
		s.clock.at(s.clock.now-s.clock.now%s.ForeignPeriod+s.Foreign, s.feed)
		return
	}
	for s.running < s.Engines {
		var next *Buffer
		for _, q := range s.queues {
			if len(q.order) == 0 || s.Serial && q.running {
				continue
			}
			b := q.order[0]
			if b.committed && b.ready <= s.clock.now && s.reached(b.waits) && (next == nil || b.ready < next.ready) {
				next = b
			}
		}
		if next == nil {
			return
		}
		next.queue.order, next.queue.running = next.queue.order[1:], true
		s.running++
		next.gpuBegin = s.clock.now
		switch {
		case s.Shared > 0:
			s.gpu.begin(next.duration, nil, func() { s.done(next) })
			continue
		case s.Processors.AreGPU:
			s.Processors.all.begin(next.duration, nil, func() { s.done(next) })
			continue
		}
		s.clock.at(s.ends(max(1, next.duration)), func() { s.done(next) })
	}
}

// ends is when work that begins now ends.
func (s *Sim) ends(work int64) int64 {
	at := s.clock.now
	for s.Interrupts {
		ours := s.ForeignPeriod - at%s.ForeignPeriod
		if work <= ours {
			break
		}
		work -= ours
		at += ours + s.Foreign
	}
	return at + work
}

func (s *Sim) reached(waits []eventValue) bool {
	for _, w := range waits {
		if s.events[w.event] < w.value {
			return false
		}
	}
	return true
}

// done ends b's work on the GPU: events, handlers, then waiters.
func (s *Sim) done(b *Buffer) {
	b.gpuEnd, b.queue.running = s.clock.now, false
	for _, v := range b.signals {
		s.signal(v)
	}
	if s.Rest > 0 {
		s.clock.at(s.clock.now+s.Rest, func() { s.running--; s.feed() })
	} else {
		s.running--
		s.feed()
	}
	handled := s.clock.now + s.vary(s.Notify)/2
	if len(b.handlers) > 0 || s.Delay.Handler > 0 { // a queue completes one command buffer after the other
		handled = max(handled, b.queue.handled)
	}
	for _, h := range b.handlers {
		handled += h
	}
	handled += s.Delay.Handler
	s.Truth.Injected += s.Delay.Handler
	b.queue.handled = max(b.queue.handled, handled)
	completes := func(handled int64) {
		b.complete = true
		completed := wire.Record{Begin: wire.Ticks(handled), End: wire.Ticks(handled + 100), Object: wire.ObjectID(b.id),
			Arg: 4, Call: wire.CallCompleted}
		if b.failure != "" {
			completed.Arg, completed.Flags = 5|2<<8, wire.Failed
		}
		s.handlers.AddMore(completed, wire.More{X0: uint64(b.gpuBegin), X1: uint64(b.gpuEnd), X2: uint64(b.ready)})
		if b.failure != "" {
			s.handlers.Add(wire.MustLookup(wire.FamilyTracer, "failed"), handled, handled, b.id, s.process.String(b.failure))
		}
		b.queue.used--
		if w := b.queue.waiting; len(w) > 0 {
			b.queue.waiting = w[1:]
			w[0].wake(0)
		}
		for _, t := range b.waiters {
			t.wake(s.vary(s.Notify) / 2)
		}
	}
	if b.handler != nil {
		b.completes = completes
		b.handler.wake(s.vary(s.Notify) / 2)
		return
	}
	s.clock.at(handled, func() { completes(handled) })
}

func (s *Sim) signal(v eventValue) { s.events[v.event] = max(s.events[v.event], v.value) }
