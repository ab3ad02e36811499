package collector

import (
	"time"
)

// snapshotPatience is how long Snapshot waits for one process: its rings are looked at several times a second.
const snapshotPatience = time.Second

// Snapshot hands to the trace what every process has recorded by now and which calls its threads are inside, and the
// trace to the operating system, so that it can be read while the recording continues.
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
		default: // it is being asked already
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
