package timeline

import "mtrace/analyze"

// A lane is one of the tracks among which a queue's GPU work is distributed. Slices of a track may nest but not cross,
// and the GPU runs command buffers of one queue concurrently.
type lane struct {
	track trackID
	until analyze.Nanos
}

// freeLane returns the first lane that is free at an instant; nil if there is none.
func freeLane(lanes []*lane, at analyze.Nanos) *lane {
	for _, l := range lanes {
		if l.until <= at {
			return l
		}
	}
	return nil
}
