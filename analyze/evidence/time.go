package evidence

import (
	"fmt"

	"mtrace/analyze"
)

// Share is how much of the whole a part is; 0 of nothing.
func Share(part, whole analyze.Nanos) float64 {
	if whole <= 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// Scaled is so much of a time.
func Scaled(n analyze.Nanos, by float64) analyze.Nanos { return analyze.Nanos(float64(n) * by) }

// atWork is when a thread worked; all the time it was seen in where that is not known.
func atWork(t *analyze.Thread) analyze.Interval {
	if t.Working.Length() == 0 {
		return t.Active
	}
	return t.Working
}

// ThreadName is a thread in words.
func ThreadName(t *analyze.Thread) string {
	if t.Name == "" {
		return fmt.Sprintf("thread %d", t.ID)
	}
	return fmt.Sprintf("%s %d", t.Name, t.ID)
}
