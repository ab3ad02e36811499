package collector

import (
	"time"
)

// snapshotPatience is how long Snapshot waits for all processes together. A healthy process answers sooner, because
// its ring buffers are read at least every 50 ms.
const snapshotPatience = time.Second

// Snapshot writes everything recorded up to now, and the calls that threads are executing, to the trace and flushes
// it to the operating system. Afterwards the trace can be read while the recording continues.
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
			continue // the process does not use Metal, so it has no rings
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
		case <-time.After(time.Until(deadline)): // the process is ending
		}
	}
	return c.writer.Flush()
}
