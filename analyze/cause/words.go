package cause

import (
	"fmt"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
)

func percent(x float64) string { return analyze.FormatShare(x) }

// busyWords is what the GPU did, as the end of a sentence; empty when it is not known.
func busyWords(ev *evidence.Evidence, words string) string {
	if ev.Buffers == 0 {
		return ""
	}
	return fmt.Sprintf(words, percent(ev.Busy))
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
