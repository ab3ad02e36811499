package timeline

import "mtrace/analyze"

// A lane is one of several tracks for the GPU work of a queue. A queue needs several, because the GPU may run its
// command buffers concurrently, and slices (named intervals) on one track must not overlap partly.
type lane struct {
	track trackID
	until analyze.Nanos
}

// freeLane returns the first lane (track for GPU work of a queue) without work at an instant; nil if all have work.
func freeLane(lanes []*lane, at analyze.Nanos) *lane {
	for _, l := range lanes {
		if l.until <= at {
			return l
		}
	}
	return nil
}
