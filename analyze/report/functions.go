package report

import (
	"maps"

	"mtrace/analyze"
)

// functionsOf joins the sums of one function on one class into one. The trace has two sums for functions such as
// sem_wait: some of its calls wait for a lock, others for a signal; a user expects one row.
func functionsOf(calls []*analyze.CallStat) (list []*analyze.CallStat) {
	type function struct{ selector, class string }
	known := map[function]int{}
	for _, s := range calls {
		key := function{s.Selector, s.Class}
		i, there := known[key]
		if !there {
			known[key], list = len(list), append(list, s)
			continue
		}
		list[i] = addedUp(list[i], s)
	}
	return list
}

// addedUp adds two sums.
func addedUp(a, b *analyze.CallStat) *analyze.CallStat {
	c := *a
	c.Count, c.Total, c.Unfinished = a.Count+b.Count, a.Total+b.Total, a.Unfinished+b.Unfinished
	switch {
	case a.Count+a.Unfinished == 0:
		c.Min, c.Max = b.Min, b.Max
	case b.Count+b.Unfinished > 0:
		c.Min, c.Max = min(a.Min, b.Min), max(a.Max, b.Max)
	}
	c.Exclusive, c.Counts = map[*analyze.Thread]analyze.Nanos{}, map[*analyze.Thread]int64{}
	maps.Copy(c.Exclusive, a.Exclusive)
	maps.Copy(c.Counts, a.Counts)
	for th, n := range b.Exclusive {
		c.Exclusive[th] += n
	}
	for th, n := range b.Counts {
		c.Counts[th] += n
	}
	c.Durations = nil
	if a.Durations != nil && b.Durations != nil {
		c.Durations = &analyze.Durations{}
		c.Durations.Merge(a.Durations)
		c.Durations.Merge(b.Durations)
	}
	return &c
}
