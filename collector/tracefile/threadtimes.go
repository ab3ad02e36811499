package tracefile

import (
	"cmp"
	"slices"

	"mtrace/collector/wire"
)

// addThreadTimes collects thread times; they are written with the facts.
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

// ThreadTimes appends processor times of the process's threads; those of one thread in ascending order.
func (w *Writer) ThreadTimes(p ProcessIndex, times []wire.ThreadTime) error {
	return w.process(p).addThreadTimes(times)
}

// sortThreadTimes sorts them by thread, and those of a thread by time.
func sortThreadTimes(times []wire.ThreadTime) {
	slices.SortStableFunc(times, func(a, b wire.ThreadTime) int {
		return cmp.Or(cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.At, b.At))
	})
}
