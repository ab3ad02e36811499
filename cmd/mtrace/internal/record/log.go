package record

import (
	"bufio"
	"cmp"
	"io"
	"slices"
	"sync"
	"time"

	"mtrace/collector"
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// A callLog prints each recorded call as a line: time since the first call, thread, selector, receiver, argument,
// result, duration. Records arrive in batches, each of one thread. To print the lines of all threads in order,
// callLog holds them back (holdBack) and sorts them by the end of the call.
type callLog struct {
	collector.Nobody
	mutex     sync.Mutex
	out       *bufio.Writer
	processes map[tracefile.ProcessIndex]*loggedProcess
	held      []logLine
	origin    int64
	stop      chan struct{}
	stopped   sync.WaitGroup
}

// A loggedProcess holds what is needed to print calls of one process: the process's clock, threads and texts.
type loggedProcess struct {
	tracefile.Process
	threads map[uint16]uint64 // the thread that uses each ring buffer, by the number of the ring
	texts   map[wire.StringID]string
	pending map[uint16]wire.Record // by ring: a record whose More record comes with the next batch
}

// logLine is a call that waits to be printed. It is formatted only when it is printed, because the names of its
// objects may arrive after the call.
type logLine struct {
	begin, end int64 // ns
	process    *loggedProcess
	thread     uint64
	record     wire.Record
	more       wire.More
}

// holdBack is how long lines wait for calls of other threads. The library's drainer, which sends the records, sleeps
// a little less than this between two batches.
const holdBack = 150 * time.Millisecond

func newCallLog(w io.Writer) *callLog {
	l := &callLog{out: bufio.NewWriter(w), processes: map[tracefile.ProcessIndex]*loggedProcess{},
		stop: make(chan struct{})}
	l.stopped.Add(1)
	go l.run()
	return l
}

func (l *callLog) run() {
	defer l.stopped.Done()
	tick := time.NewTicker(holdBack / 3)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			l.flush(int64(holdBack))
		case <-l.stop:
			l.flush(0)
			return
		}
	}
}

// close prints the remaining lines.
func (l *callLog) close() {
	close(l.stop)
	l.stopped.Wait()
}

// flush prints the calls that ended at least age nanoseconds before the newest one.
func (l *callLog) flush(age int64) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if len(l.held) == 0 {
		return
	}
	slices.SortStableFunc(l.held, func(a, b logLine) int { return cmp.Compare(a.end, b.end) })
	until := l.held[len(l.held)-1].end - age
	n, _ := slices.BinarySearchFunc(l.held, until+1, func(a logLine, end int64) int { return cmp.Compare(a.end, end) })
	for _, line := range l.held[:n] {
		line.write(l.out, l.origin)
	}
	l.held = slices.Delete(l.held, 0, n)
	l.out.Flush()
}

// Process implements collector.Observer.
func (l *callLog) Process(p tracefile.ProcessIndex, h wire.Hello) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.processes[p] = &loggedProcess{Process: tracefile.Process{Hello: h}, threads: map[uint16]uint64{},
		texts: map[wire.StringID]string{}, pending: map[uint16]wire.Record{}}
}

// Clock implements collector.Observer.
func (l *callLog) Clock(p tracefile.ProcessIndex, kind wire.ClockKind, numer, denom uint32) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	q := l.processes[p]
	q.Process.Clock, q.TimebaseNumer, q.TimebaseDenom = kind, numer, denom
}

// Samples implements collector.Observer.
func (l *callLog) Samples(p tracefile.ProcessIndex, samples []wire.ClockSample) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, s := range samples {
		l.processes[p].Sampled(s)
	}
}

// Facts implements collector.Observer.
func (l *callLog) Facts(p tracefile.ProcessIndex, facts []wire.Fact) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, f := range facts {
		if f.Kind == wire.FactString {
			l.processes[p].texts[wire.StringID(f.Key)] = f.Text
		}
	}
}

// Records implements collector.Observer.
func (l *callLog) Records(p tracefile.ProcessIndex, ring uint16, records []wire.Record) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	q := l.processes[p]
	for _, r := range records {
		before, waiting := q.pending[ring]
		switch {
		case r.Call == wire.CallMore && waiting:
			delete(q.pending, ring)
			l.add(q, ring, before, r.More())
		case r.Call == wire.CallMore:
		case r.Flags&wire.HasMore != 0:
			q.pending[ring] = r
		default:
			l.add(q, ring, r, wire.More{})
		}
	}
}

func (l *callLog) add(q *loggedProcess, ring uint16, r wire.Record, more wire.More) {
	if r.Call == wire.CallThreadStart {
		q.threads[ring] = r.Arg
	}
	row := r.Call.Row()
	if !logged(row) {
		return
	}
	begin, end := q.Nanos(r.Begin), q.Nanos(r.End)
	if l.origin == 0 {
		l.origin = begin
	}
	l.held = append(l.held, logLine{begin, end, q, q.threads[ring], r, more})
}
