package collector

import (
	"time"

	"mtrace/collector/tracefile"
)

// The collector writes each process's counters, such as the number of dropped records, to the trace at intervals, and
// once more when the process ends. If the collector is killed or its disk fails, the final counters are missing. Only
// the earlier ones then show how many records are lost.

const (
	// soFarPause is the interval at which a process's counters are written to the trace while the process makes calls;
	// soFarIdle is the interval while it makes none. Even an idle process's counters are written: their time shows
	// until when the collector was running.
	soFarPause = 250 * time.Millisecond
	soFarIdle  = 5 * time.Second
)

// A soFar remembers when a process's counters were last written to the trace.
type soFar struct {
	told  time.Time
	count uint64 // number of records at that time

	closed bool // the recording was paused at that time
}

// tell writes the process's counters to the trace if the last time was soFarPause ago, or soFarIdle for a process
// without new records. count is the number of records so far. Only the goroutine that reads the ring buffers may call
// tell.
func (s *soFar) tell(reader *ringReader, now time.Time, count uint64) {
	if since := now.Sub(s.told); since < soFarPause || count == s.count && since < soFarIdle {
		return
	}
	s.told, s.count = now, count
	if w := reader.trace.collector.window; w != nil {
		closed := !w.opened()
		if closed && s.closed {
			return // nothing was recorded since the last counters
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
