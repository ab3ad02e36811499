package serial

import (
	"fmt"

	"mtrace/analyze"
)

func percent(x float64) string { return analyze.FormatShare(x) }

// busyWords is what the GPU did, as the end of a sentence; empty when it is not known.
func (f *facts) busyWords(words string) string {
	if f.buffers == 0 {
		return ""
	}
	return fmt.Sprintf(words, percent(f.busy))
}

func plural(n int, noun string) string { return analyze.Plural(n, noun) }

func queueName(q *analyze.Queue) string {
	if q == nil {
		return "unknown"
	}
	if q.Label != "" {
		return fmt.Sprintf("%q", q.Label)
	}
	return fmt.Sprint(q.ID)
}

func threadName(t *analyze.Thread) string {
	if t.Name == "" {
		return fmt.Sprintf("thread %d", t.ID)
	}
	return fmt.Sprintf("%s %d", t.Name, t.ID)
}
