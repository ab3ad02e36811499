package collector

import (
	"time"
)

// snapshotPatience is how long Snapshot waits for one process, whose rings are read several times a second.
const snapshotPatience = time.Second

// Snapshot writes everything that the processes have recorded by now, with the calls that their threads are inside, to
// the trace, and flushes the trace to the operating system, so that it can be read while the recording continues.
func (c *Collector) Snapshot() error {
	c.mutex.Lock()
	var processes []*process
	for _, r := range c.registry.running {
		processes = append(processes, r.process)
	}
	c.mutex.Unlock()
	deadline := time.Now().Add(snapshotPatience)
	var answers []chan struct{}
	for _, p := range processes {
		if !p.rings.watched.Load() {
			continue // it does not use Metal
		}
		answer := make(chan struct{})
		select {
		case p.rings.asked <- answer:
			answers = append(answers, answer)
		default: // another snapshot is waiting already
		}
	}
	for _, answer := range answers {
		select {
		case <-answer:
		case <-time.After(time.Until(deadline)): // it ends just now
		}
	}
	return c.writer.Flush()
}
