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

// inFlight is how many of a queue's command buffers were committed and not completed, at every instant that it changed.
func inFlight(buffers []*analyze.CommandBuffer) []step {
	var changes []step
	for _, b := range buffers {
		from, to := b.Committed.Begin, max(b.GPU.End, b.Completed.Begin)
		if b.Committed.Known() && to > from {
			changes = append(changes, step{from, 1}, step{to, -1})
		}
	}
	return levels(changes)
}

// levels adds changes up: the level from each instant on at which it changed.
func levels(changes []step) []step {
	slices.SortFunc(changes, func(a, b step) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.value, b.value)) })
	var steps []step
	level := int64(0)
	for i, c := range changes {
		level += c.value
		if i+1 == len(changes) || changes[i+1].at != c.at {
			steps = append(steps, step{c.at, level})
		}
	}
	return steps
}
