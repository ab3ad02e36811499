// Package live shows a program's use of Metal while it runs: as a table on a terminal, or as lines elsewhere.
package live

import (
	"sync"
	"time"

	"mtrace/analyze"
	"mtrace/collector"
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// A Watcher counts records as they arrive at the collector, for the live table. It is a collector.Observer; Look is
// called with what the threads do at the moment.
type Watcher struct {
	collector.Nobody
	mutex     sync.Mutex
	processes map[tracefile.ProcessIndex]*process
	gpu       []analyze.Interval // GPU times of command buffers that completed since the last picture
	completed int                // command buffers that completed since the last picture
	inFlight  int                // negative if a completion arrived before its commit
	stopped   bool               // nobody asks for pictures any more
	failed    error              // the reason why records are counted but not written to the trace
	began     time.Time
	since     time.Time // time of the last picture
	progress  time.Time // time of the last record that shows progress
}

// process is what the watcher knows about one traced process.
type process struct {
	tracefile.Process // for the process's clock
	texts             map[wire.StringID]string
	rings             map[uint16]*thread
	committers        recent
	lost              uint64
	ended             bool
}

// thread is what the watcher knows about one traced thread.
type thread struct {
	id      uint64
	name    wire.StringID
	starts  bool // the previous record was the thread's start
	inside  collector.Inside
	at      wire.Ticks // time of the snapshot that inside comes from, on the process's clock
	seen    bool       // the last snapshot contained the thread
	calls   int        // calls, commits and waits are counted since the last picture
	commits int
	waited  map[awaited]int64 // nanoseconds
}

// awaited describes what a thread waited for: the kind of wait, and the thread that could end it (0 if unknown).
type awaited struct {
	what   State
	thread uint64
}

// NewWatcher returns a watcher without any counts.
func NewWatcher() *Watcher {
	now := time.Now()
	return &Watcher{processes: map[tracefile.ProcessIndex]*process{}, began: now, since: now, progress: now}
}

// Fail stores why the trace cannot be written any more (a full disk). From now on records are only counted.
func (w *Watcher) Fail(err error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.failed = err
}

// Process implements collector.Observer.
func (w *Watcher) Process(p tracefile.ProcessIndex, h wire.Hello) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.processes[p] = &process{Process: tracefile.Process{Hello: h}, texts: map[wire.StringID]string{},
		rings: map[uint16]*thread{}}
}

// Clock implements collector.Observer.
func (w *Watcher) Clock(p tracefile.ProcessIndex, kind wire.ClockKind, numer, denom uint32) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	q := w.processes[p]
	q.Process.Clock, q.TimebaseNumer, q.TimebaseDenom = kind, numer, denom
}

// Samples implements collector.Observer.
func (w *Watcher) Samples(p tracefile.ProcessIndex, samples []wire.ClockSample) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for _, s := range samples {
		w.processes[p].Sampled(s)
	}
}

// Facts implements collector.Observer.
func (w *Watcher) Facts(p tracefile.ProcessIndex, facts []wire.Fact) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for _, f := range facts {
		if f.Kind == wire.FactString {
			w.processes[p].texts[wire.StringID(f.Key)] = f.Text
		}
	}
}

// Stop ends the counting after the live display was closed. Each refresh of the display empties the list of GPU times;
// without refreshes the list would grow for ever.
func (w *Watcher) Stop() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.stopped, w.gpu = true, nil
}

// End implements collector.Observer.
func (w *Watcher) End(p tracefile.ProcessIndex, e tracefile.End) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	q := w.processes[p]
	q.ended, q.lost = true, max(q.lost, e.Lost())
}

// Records implements collector.Observer.
func (w *Watcher) Records(p tracefile.ProcessIndex, ring uint16, records []wire.Record) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.stopped {
		return
	}
	q := w.processes[p]
	t := q.thread(ring)
	for i, r := range records {
		row := r.Call.Row()
		if row.Group.Progress() || r.Call == wire.CallCompleted {
			w.progress = time.Now()
		}
		switch {
		case r.Call == wire.CallThreadStart:
			*t = thread{id: r.Arg, starts: true, waited: map[awaited]int64{}}
			continue
		case r.Call == wire.CallMore && t.starts:
			t.name = wire.StringID(r.More().X0)
		case r.Call == wire.CallCompleted:
			w.completed++
			w.inFlight--
			if i+1 < len(records) && records[i+1].Call == wire.CallMore {
				m := records[i+1].More()
				w.gpu = append(w.gpu, analyze.Interval{Begin: analyze.Nanos(m.X0), End: analyze.Nanos(m.X1)})
			}
		case row.Group != wire.GroupNone:
			w.inFlight += q.call(t, row, r)
		}
		t.starts = false
	}
}

func (q *process) thread(ring uint16) *thread {
	t := q.rings[ring]
	if t == nil {
		t = &thread{waited: map[awaited]int64{}}
		q.rings[ring] = t
	}
	return t
}

// call counts a call of the thread, and returns how many command buffers it committed.
func (q *process) call(t *thread, row wire.Row, r wire.Record) (committed int) {
	switch row.Group {
	case wire.GroupLock, wire.GroupSignal: // waits outside of Metal do not count as calls
		t.waited[awaited{stateOf(row), r.Arg}] += q.Nanos(r.End) - q.Nanos(r.Begin)
		return 0
	case wire.GroupWait:
		t.waited[awaited{AwaitsGPU, q.committers.of(r.Object)}] += q.Nanos(r.End) - q.Nanos(r.Begin)
	}
	t.calls++
	if !row.Effect.Commits() {
		return 0
	}
	switch row.Object.Kind {
	case wire.KindCommandBuffer:
		q.committers.add(r.Object, t.id)
		committed = 1
	case wire.KindQueue: // of Metal 4: so many at once
		committed = int(min(r.Arg, 1<<16))
	}
	t.commits += committed
	return committed
}

// Look notes what the threads of a process do at the moment. Collector.Watch calls it.
func (w *Watcher) Look(p tracefile.ProcessIndex, s collector.Sight) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	q := w.processes[p]
	q.lost = max(q.lost, s.Lost)
	for _, t := range q.rings {
		t.seen = false
	}
	for _, in := range s.Threads {
		t := q.thread(in.Ring)
		if t.id == 0 {
			t.id = in.Thread
		}
		t.inside, t.at, t.seen = in, s.At, t.id == in.Thread
	}
}

// recent remembers which thread committed each of the latest command buffers. It keeps the newest 65,536 at least,
// and drops older ones to bound the memory.
type recent struct{ now, before map[wire.ObjectID]uint64 }

const remembered = 1 << 16

func (c *recent) add(object wire.ObjectID, thread uint64) {
	if c.now == nil || len(c.now) >= remembered {
		c.now, c.before = map[wire.ObjectID]uint64{}, c.now
	}
	c.now[object] = thread
}

// of returns the thread that committed the command buffer; 0 if that is not known.
func (c *recent) of(object wire.ObjectID) uint64 {
	if t, ok := c.now[object]; ok {
		return t
	}
	return c.before[object]
}
