package collector

import (
	"errors"
	"fmt"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// ErrEnded is returned by Subject.Touch if the process has ended or its shared memory is no longer mapped.
var ErrEnded = errors.New("the process has ended")

// A Subject is a running, recorded process in which an experiment can inject delays.
type Subject struct {
	process *process
	index   tracefile.ProcessIndex
}

// Subjects returns the processes that are being recorded and whose shared memory is mapped.
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

// Index returns the process's index in the trace.
func (s Subject) Index() tracefile.ProcessIndex { return s.index }

// Touch runs f on the shared memory of the process, which stays mapped until f returns. It returns ErrEnded if the
// memory is no longer mapped, or if the process truncated it during f.
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

// Now returns the current time on the process's own monotonic clock, in nanoseconds. The experiment's times in shared
// memory must use this clock: in another time namespace it differs from the collector's.
func (s Subject) Now() int64 { return monotonic() + s.process.trace.aheadBy() }

// At converts a tick of the process's recording clock to nanoseconds on the process's own monotonic clock. The tick 0
// means "never" and stays 0.
func (s Subject) At(tick wire.Ticks) int64 {
	if tick == 0 {
		return 0
	}
	t := s.process.trace
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.instantOf(tick).nanos + t.ahead
}

// Write writes facts (names and other data of variable size) about the experiment into the process's part of the
// trace.
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

// release turns off the experiment's delays and unmaps the shared memory. It waits for a running Subject.Touch:
// unmapping while an experiment uses the memory would crash the collector. Delays that stayed on would slow a program
// that continues.
func (reader *ringReader) release() {
	reader.touching.Lock()
	defer reader.touching.Unlock()
	reader.watched.Store(false)
	guard(func() error { reader.shared.ArmDelays(wire.Delays{}); return nil }) // the process may continue
	reader.shared.unmap()
}
