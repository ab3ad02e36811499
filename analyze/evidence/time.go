package evidence

import (
	"fmt"

	"mtrace/analyze"
)

// Share returns part/whole; 0 if whole is 0.
func Share(part, whole analyze.Nanos) float64 {
	if whole <= 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// Scaled returns a time multiplied by a factor.
func Scaled(n analyze.Nanos, by float64) analyze.Nanos { return analyze.Nanos(float64(n) * by) }

// atWork returns the thread's working time (from its first command buffer to its last commit or wait), or all of its
// observed time if that is not known.
func atWork(t *analyze.Thread) analyze.Interval {
	if t.Working.Length() == 0 {
		return t.Active
	}
	return t.Working
}

// ThreadName returns a thread's name and number for the report.
func ThreadName(t *analyze.Thread) string {
	if t.Name == "" {
		return fmt.Sprintf("thread %d", t.ID)
	}
	return fmt.Sprintf("%s %d", t.Name, t.ID)
}
