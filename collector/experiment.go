package collector

import (
	"errors"
	"fmt"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// ErrEnded is returned if a process's part of the trace has ended.
var ErrEnded = errors.New("the process has ended")

// A Subject is a running process that an experiment may change.
type Subject struct {
	process *process
	index   tracefile.ProcessIndex
}

// Subjects returns the processes that are being recorded.
func (c *Collector) Subjects() (all []Subject) {
	c.mutex.Lock()
	var running []*process
	for _, r := range c.registry.running {
		running = append(running, r.process)
	}
	c.mutex.Unlock()
	for _, p := range running {
		p.trace.mutex.Lock()
		if p.rings.watched.Load() && p.trace.added {
			all = append(all, Subject{p, p.trace.index})
		}
		p.trace.mutex.Unlock()
	}
	return all
}

// Index returns the number of the process in the trace.
func (s Subject) Index() tracefile.ProcessIndex { return s.index }

// Touch runs f with the shared memory of the process, which stays mapped until f returns. It returns ErrEnded if the
// process has ended.
func (s Subject) Touch(f func(wire.Region)) error {
	reader := s.process.rings
	reader.touching.Lock()
	defer reader.touching.Unlock()
	if !reader.watched.Load() || reader.shared.memory == nil {
		return ErrEnded
	}
	if err := guard(func() error { f(reader.shared.Region); return nil }); err != nil {
		return fmt.Errorf("%w: %w", ErrEnded, err)
	}
	return nil
}

// Now returns the current time in nanoseconds on the process's own clock, which its experiment's blocks use.
func (s Subject) Now() int64 { return monotonic() + s.process.trace.aheadBy() }

// At converts a tick to nanoseconds on the process's own clock; 0 stays 0.
func (s Subject) At(tick wire.Ticks) int64 {
	if tick == 0 {
		return 0
	}
	t := s.process.trace
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.instantOf(tick).nanos + t.ahead
}

// Write writes facts about the experiment into the trace.
func (s Subject) Write(facts ...wire.Fact) {
	t := s.process.trace
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.collector.written(t.collector.writer.Facts(t.index, facts))
}

func (t *processTrace) aheadBy() int64 {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.ahead
}

// release unmaps the shared memory, after the last use by an experiment.
func (reader *ringReader) release() {
	reader.touching.Lock()
	defer reader.touching.Unlock()
	reader.watched.Store(false)
	guard(func() error { reader.shared.ArmDelays(wire.Delays{}); return nil }) // it may live on
	reader.shared.unmap()
}
