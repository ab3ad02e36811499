package timeline

import "mtrace/analyze"

// A lane is one of the tracks that a queue's GPU work is spread over, because slices of a track may nest but not cross,
// and the GPU runs command buffers of one queue side by side.
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
