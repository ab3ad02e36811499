package collector

import (
	"time"

	"mtrace/collector/tracefile"
)

// Now and then the trace is told what a process has counted so far. When the collector is killed, or what it writes to
// goes away, this is all that tells how much is missing.

const (
	// soFarPause is how often that is while calls are made, and soFarIdle while none are: then it says when the
	// collector was still there.
	soFarPause = 250 * time.Millisecond
	soFarIdle  = 5 * time.Second
)

// A soFar remembers what the trace was told of a process.
type soFar struct {
	told  time.Time
	count uint64 // of what was counted by then

	closed bool // nothing was kept by then
}

// tell tells the trace, when it is time to. Only the watcher of the rings calls it.
func (s *soFar) tell(reader *ringReader, now time.Time, count uint64) {
	if since := now.Sub(s.told); since < soFarPause || count == s.count && since < soFarIdle {
		return
	}
	s.told, s.count = now, count
	if w := reader.trace.collector.window; w != nil {
		closed := !w.opened()
		if closed && s.closed {
			return // no record of it is expected
		}
		s.closed = closed
	}
	end := tracefile.End{Unix: now.UnixNano(), At: monotonic()}
	reader.readCounters(&end, false)
	reader.trace.mutex.Lock()
	end.Distrusted = reader.trace.doubts
	reader.trace.mutex.Unlock()
	reader.trace.collector.written(reader.trace.collector.writer.SoFar(reader.trace.index, end))
}
