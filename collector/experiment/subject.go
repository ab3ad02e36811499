package experiment

import (
	"errors"
	"time"

	"mtrace/collector"
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// A Subject is the process in which an experiment injects delays: a collector.Subject or, in tests, a simulation.
type Subject interface {
	Index() tracefile.ProcessIndex
	Touch(func(wire.Region)) error
	Now() int64
	At(wire.Ticks) int64
	Write(...wire.Fact)
}

// A tally has the counts of an experiment (delays, units of progress) of all threads of a process at one instant.
// The difference of two tallies shows what happened in between.
type tally struct {
	at      int64 // nanoseconds on the process's clock
	rings   []wire.Injected
	commits []uint64 // command buffers committed, by the number of the ring
	due     uint64   // nanoseconds that each thread must have paused for virtual speed-ups
}

// quickTally is the longest acceptable time for reading all counters. A slower reading is repeated: the counters
// would include events that happened after the planned instant.
const quickTally = 100 * time.Microsecond

func count(s Subject) (t tally, err error) {
	for range 5 {
		began := s.Now()
		t = tally{}
		err = s.Touch(func(g wire.Region) {
			t.due = g.DelayDue()
			for i := range g.RingsUsed() {
				t.rings = append(t.rings, g.Ring(i).Injected())
				t.commits = append(t.commits, g.Ring(i).Commits().Reached)
			}
		})
		t.at = s.Now()
		if err != nil || t.at-began < quickTally.Nanoseconds() {
			break
		}
	}
	return t, err
}

type change struct {
	took        int64 // nanoseconds
	occurrences uint64
	busiest     uint64 // occurrences on the thread with the most
	injected    uint64
	units       uint64
	threads     int // threads that committed or, if commits are not counted, completed units
}

func between(a, b tally) (c change) {
	c.took = b.at - a.at
	committed, completed := 0, 0
	for i, now := range b.rings {
		var was wire.Injected
		var commits uint64
		if i < len(a.rings) {
			was, commits = a.rings[i], a.commits[i]
		}
		occurrences, units := now.Occurrences-was.Occurrences, now.Units-was.Units
		c.occurrences += occurrences
		c.busiest = max(c.busiest, occurrences)
		c.injected += now.Nanos - was.Nanos
		c.units += units
		if b.commits[i] > commits {
			committed++
		}
		if units > 0 {
			completed++
		}
	}
	if c.threads = committed; committed == 0 {
		c.threads = completed
	}
	return c
}

// lastUnit returns the time at which the latest of the counted units of progress was completed, in nanoseconds on the
// process's clock; 0 if there is none.
func (t tally) lastUnit(s Subject) int64 {
	var last wire.Ticks
	for _, r := range t.rings {
		last = max(last, r.UnitAt)
	}
	return s.At(last)
}

var errNoProgress = errors.New("the program made no countable progress")

// findSubject waits until a process makes progress, and returns the process with the most progress. It waits until
// one process has ten units, but at most one second after the first unit. Closing done ends the wait with
// errNoProgress.
func findSubject(done <-chan struct{}, c *collector.Collector, progress wire.StringID) (Subject, error) {
	const pause, enoughUnits, patience = 20 * time.Millisecond, 10, time.Second
	seen := map[tracefile.ProcessIndex]bool{}
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	var first time.Time
	for {
		select {
		case <-done:
			return nil, errNoProgress
		case <-ticker.C:
		}
		var most Subject
		mostUnits := uint64(0)
		for _, s := range c.Subjects() {
			if !seen[s.Index()] {
				seen[s.Index()] = true
				s.Touch(func(g wire.Region) { g.SetDelays(wire.Delays{Progress: progress}) })
			}
			t, err := count(s)
			if units := between(tally{}, t).units; err == nil && units > mostUnits {
				most, mostUnits = s, units
			}
		}
		if mostUnits > 0 && first.IsZero() {
			first = time.Now()
		}
		if most != nil && (mostUnits >= enoughUnits || time.Since(first) > patience) {
			return most, nil
		}
	}
}
