package timeline

import (
	"cmp"
	"slices"

	"mtrace/analyze"
)

// A lane is one of the tracks that a queue's GPU work is spread over, because slices of a track may nest but not cross, and the
// GPU runs command buffers of one queue side by side.
type lane struct {
	track trackID
	until analyze.Nanos
}

// freeLane is the first lane that is free at an instant; nil when there is none.
func freeLane(lanes []*lane, at analyze.Nanos) *lane {
	for _, l := range lanes {
		if l.until <= at {
			return l
		}
	}
	return nil
}

type step struct {
	at    analyze.Nanos
	value int64
}

// inFlight are the moments of a slice at which command buffers of a queue were committed and completed. What is never completed, in no slice, is not in flight.
func inFlight(s *analyze.Slice, buffers []*analyze.CommandBuffer) []step {
	var changes []step
	for _, b := range buffers {
		from, to := b.Committed.Begin, max(b.GPU.End, b.Completed.Begin)
		if !b.Committed.Known() {
			continue
		}
		if s.Held(from) && (to > from || !s.Last()) {
			changes = append(changes, step{from, 1})
		}
		if to > from && s.Held(to) {
			changes = append(changes, step{to, -1})
		}
	}
	return changes
}

// A counter is a track of levels.
type counter struct {
	of    track // its id is 0 until there is something to count
	level int64
}

// count writes the level from each instant on at which it changed. Changes of later slices come later.
func (w *Writer) count(c *counter, changes []step) {
	if c.of.id == 0 {
		c.of.id = w.newTrack(c.of)
	}
	slices.SortFunc(changes, func(a, b step) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.value, b.value)) })
	for i, change := range changes {
		c.level += change.value
		if i+1 == len(changes) || changes[i+1].at != change.at {
			w.out.count(c.of.id, change.at, c.level)
		}
	}
}
