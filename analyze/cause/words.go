package cause

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

func percent(x float64) string { return analyze.FormatShare(x) }

// busyWords inserts the GPU's busy share into words, which has one %s; it returns "" if the share is not known.
func busyWords(ev *evidence.Evidence, words string) string {
	if ev.Occupancy.Buffers == 0 {
		return ""
	}
	return fmt.Sprintf(words, percent(ev.Occupancy.Busy))
}

func queueName(q *analyze.Queue) string {
	if q == nil {
		return "unknown"
	}
	if q.Label != "" {
		return fmt.Sprintf("%q", q.Label)
	}
	return fmt.Sprint(q.ID)
}

// sharesOf names the threads with the largest shares of a time, at most policy.MostHolders: "worker-0 17 (60%),
// worker-3 20 (40%)".
func sharesOf(by map[*analyze.Thread]analyze.Nanos, of analyze.Nanos) string {
	threads := slices.SortedFunc(maps.Keys(by), func(x, y *analyze.Thread) int {
		return cmp.Or(cmp.Compare(by[y], by[x]), cmp.Compare(uint64(x.ID), uint64(y.ID)))
	})
	var words []string
	for _, t := range threads[:min(policy.MostHolders, len(threads))] {
		words = append(words, fmt.Sprintf("%s (%s)", evidence.ThreadName(t), percent(evidence.Share(by[t], of))))
	}
	return strings.Join(words, ", ")
}
