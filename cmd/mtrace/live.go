package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"mtrace/analyze"
	"mtrace/collector"
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// A liveTable shows what the program does with Metal while it runs: calls and command buffers a second, the GPU's share of the
// time, and the busiest threads, refreshed in place.
type liveTable struct {
	collector.Nobody
	mutex     sync.Mutex
	out       io.Writer
	threads   map[liveThread]*liveCounts
	current   map[liveRing]liveThread
	gpu       []analyze.Interval // of command buffers that completed since the last refresh
	committed int
	completed int
	failed    error // why what is shown is not in the trace any more
	drawn     int   // lines on the screen
	since     time.Time
	stop      chan struct{}
	stopped   sync.WaitGroup
}

type liveRing struct {
	process tracefile.ProcessIndex
	ring    uint16
}

type liveThread struct {
	process tracefile.ProcessIndex
	tid     uint64
}

// liveCounts are a thread's since the last refresh.
type liveCounts struct{ calls, commits, waits int }

const (
	liveInterval = 500 * time.Millisecond
	liveThreads  = 8
)

func newLiveTable(w io.Writer) *liveTable {
	l := &liveTable{out: w, threads: map[liveThread]*liveCounts{}, current: map[liveRing]liveThread{}, since: time.Now(), stop: make(chan struct{})}
	l.stopped.Add(1)
	go l.run()
	return l
}

func (l *liveTable) run() {
	defer l.stopped.Done()
	tick := time.NewTicker(liveInterval)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			l.refresh(now)
		case <-l.stop:
			l.erase()
			return
		}
	}
}

// fail says that what comes from here on is not in the trace.
func (l *liveTable) fail(err error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.failed = err
}

// close takes the table off the screen: the report comes next.
func (l *liveTable) close() {
	close(l.stop)
	l.stopped.Wait()
}

// Records implements collector.Observer.
func (l *liveTable) Records(p tracefile.ProcessIndex, ring uint16, records []wire.Record) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	at := liveRing{p, ring}
	for i, r := range records {
		row := r.Call.Row()
		switch {
		case r.Call == wire.CallThreadStart:
			l.current[at] = liveThread{p, r.Arg}
		case r.Call == wire.CallCompleted:
			l.completed++
			if i+1 < len(records) && records[i+1].Call == wire.CallMore {
				m := records[i+1].More()
				l.gpu = append(l.gpu, analyze.Interval{Begin: analyze.Nanos(m.X0), End: analyze.Nanos(m.X1)})
			}
		case row.Group != wire.GroupNone && row.Group != wire.GroupLock && row.Group != wire.GroupSignal:
			c := l.threads[l.current[at]]
			if c == nil {
				c = &liveCounts{}
				l.threads[l.current[at]] = c
			}
			c.calls++
			if row.Effect.Commits() && row.Object.Kind == wire.KindCommandBuffer {
				c.commits++
				l.committed++
			}
			if row.Group == wire.GroupWait {
				c.waits++
			}
		}
	}
}

// refresh draws the table over the last one and starts to count anew.
func (l *liveTable) refresh(now time.Time) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	seconds := now.Sub(l.since).Seconds()
	calls := 0
	for _, c := range l.threads {
		calls += c.calls
	}
	var b strings.Builder
	per := func(n int) float64 { return float64(n) / seconds }
	fmt.Fprintf(&b, "mtrace: %8.0f calls/s  %7.0f command buffers/s  GPU busy %3.0f %%  %d threads  %d not completed\n",
		per(calls), per(l.completed), 100*min(1, busy(l.gpu).Seconds()/seconds), len(l.threads), max(0, l.committed-l.completed))
	order := slices.SortedFunc(maps.Keys(l.threads), func(x, y liveThread) int {
		return cmp.Or(cmp.Compare(l.threads[y].calls, l.threads[x].calls), cmp.Compare(x.tid, y.tid))
	})
	for _, t := range order[:min(len(order), liveThreads)] {
		c := l.threads[t]
		fmt.Fprintf(&b, "  thread %-8d %8.0f calls/s  %7.0f commits/s  %7.0f waits/s\n", t.tid, per(c.calls), per(c.commits), per(c.waits))
		*c = liveCounts{}
	}
	for _, t := range order[min(len(order), liveThreads):] {
		*l.threads[t] = liveCounts{}
	}
	if l.failed != nil {
		fmt.Fprintf(&b, "  THE TRACE IS CUT, this is only counted: %v\n", l.failed)
	}
	l.rewind()
	io.WriteString(l.out, b.String())
	l.drawn = strings.Count(b.String(), "\n")
	l.gpu, l.completed, l.committed, l.since = l.gpu[:0], 0, max(0, l.committed-l.completed), now
}

// rewind goes back to the table's first line and clears from there (ECMA-48 CUU and ED).
func (l *liveTable) rewind() {
	if l.drawn > 0 {
		fmt.Fprintf(l.out, "\x1b[%dA\x1b[J", l.drawn)
	}
}

func (l *liveTable) erase() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.rewind()
}

// busy is the length of the union of intervals.
func busy(intervals []analyze.Interval) time.Duration {
	slices.SortFunc(intervals, func(a, b analyze.Interval) int { return cmp.Compare(a.Begin, b.Begin) })
	var sum, end analyze.Nanos
	for _, i := range intervals {
		if i.End > max(end, i.Begin) {
			sum += i.End - max(end, i.Begin)
			end = i.End
		}
	}
	return time.Duration(sum)
}
