package collector

import (
	"time"

	"mtrace/collector/tracefile"
)

// The processes' current counters are written to the trace periodically. If the collector is killed, or its destination
// disappears, only these show how much is missing.

const (
	// soFarPause is the interval while the process makes calls, soFarIdle while it makes none; the latter shows until
	// when the collector was running.
	soFarPause = 250 * time.Millisecond
	soFarIdle  = 5 * time.Second
)

// A soFar stores the last counters that were written for a process.
type soFar struct {
	told  time.Time
	count uint64 // of what was counted by then

	closed bool // nothing was kept by then
}

// tell writes the counters if that is due. Only the reader of the rings calls it.
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
