package tracefile

import (
	"cmp"
	"slices"

	"mtrace/collector/wire"
)

// addThreadTimes collects samples of threads' processor times; flushLocked writes them.
func (p *processWriter) addThreadTimes(times []wire.ThreadTime) error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, t := range times {
		p.threadTimes = wire.AppendThreadTime(p.threadTimes, t)
	}
	if len(p.threadTimes) >= factsPerBlock {
		p.flushLocked()
	}
	return p.writer.Err()
}

// ThreadTimes appends samples of the processor times of a process's threads. The samples of one thread must be in the
// order of time.
func (w *Writer) ThreadTimes(p ProcessIndex, times []wire.ThreadTime) error {
	return w.process(p).addThreadTimes(times)
}

func sortThreadTimes(times []wire.ThreadTime) {
	slices.SortStableFunc(times, func(a, b wire.ThreadTime) int {
		return cmp.Or(cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.At, b.At))
	})
}
