package evidence

import (
	"cmp"
	"iter"
	"slices"
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A counter counts how many of a list of intervals are open at any time. After the last add, sort must be called;
// otherwise the binary searches of at and sweep give wrong numbers.
type counter struct{ begins, ends []analyze.Nanos }

// counterOf returns a sorted counter of the intervals in `list`.
func counterOf(list []analyze.Interval) *counter {
	c := &counter{}
	for _, i := range list {
		c.add(i)
	}
	c.sort()
	return c
}

func (c *counter) add(i analyze.Interval) {
	c.begins = append(c.begins, i.Begin)
	c.ends = append(c.ends, i.End)
}

func (c *counter) sort() {
	slices.Sort(c.begins)
	slices.Sort(c.ends)
}

// at returns the number of intervals that began before t and end after `t`.
func (c *counter) at(t analyze.Nanos) int {
	begun := sort.Search(len(c.begins), func(i int) bool { return c.begins[i] >= t })
	ended := sort.Search(len(c.ends), func(i int) bool { return c.ends[i] > t })
	return max(0, begun-ended)
}

// sweep yields, in order of time, each time range in which no interval of any counter begins or ends, with the number
// of open intervals of each counter. The slice of numbers is reused: do not keep it after the loop body.
func sweep(counters ...*counter) iter.Seq2[analyze.Interval, []int] {
	type edge struct {
		at     analyze.Nanos
		of, by int
	}
	n := 0
	for _, c := range counters {
		n += 2 * len(c.begins)
	}
	edges := make([]edge, 0, n)
	for of, c := range counters {
		for i := range c.begins {
			edges = append(edges, edge{c.begins[i], of, 1}, edge{c.ends[i], of, -1})
		}
	}
	slices.SortFunc(edges, func(x, y edge) int { return cmp.Compare(x.at, y.at) })
	return func(yield func(analyze.Interval, []int) bool) {
		open := make([]int, len(counters))
		for i, e := range edges {
			if i > 0 && edges[i-1].at < e.at && !yield(analyze.Interval{Begin: edges[i-1].at, End: e.at}, open) {
				return
			}
			open[e.of] += e.by
		}
	}
}

// most returns the largest number of intervals that were open at the same time.
func (c *counter) most() (most int) {
	for _, open := range sweep(c) {
		most = max(most, open[0])
	}
	return most
}

// when returns the times in which at least n intervals were open.
func (c *counter) when(n int) *Busy {
	b := &Busy{}
	for i, open := range sweep(c) {
		if open[0] >= n {
			b.extend(i)
		}
	}
	b.add()
	return b
}

// levels tells for how long each number of intervals was open at the same time.
type levels struct {
	running []analyze.Nanos // indexed by the number of open intervals; the last element includes all larger numbers
	backlog analyze.Nanos   // time in which at least one ran and at least one was pending
	// Slope (0 to 1) of a linear fit of the running intervals over the running and pending ones, in the time of
	// `backlog`. Near 0, a further interval only waits, because the maximum is running. It is also 0 if the number of
	// intervals did not vary.
	growth float64
}

// times returns for how long each number of c's intervals was open, and how that number grew with the number of
// running and pending intervals.
func (c *counter) times(pending *counter) *levels {
	l := &levels{running: make([]analyze.Nanos, policy.MostNumberedBuffers)}
	var grows regression
	for i, open := range sweep(c, pending) {
		run, pending := open[0], open[1]
		if run == 0 {
			continue
		}
		l.running[min(run, policy.MostNumberedBuffers-1)] += i.Length()
		if pending > 0 {
			l.backlog += i.Length()
			grows.add(float64(run+pending), float64(run), float64(i.Length()))
		}
	}
	l.growth = grows.slope()
	return l
}

// capacity returns the largest number of intervals that were open at the same time. It ignores numbers that were
// reached for less than 1% of `busy`: imprecise timestamps make intervals overlap that did not.
func (l *levels) capacity(busy analyze.Nanos) int {
	total := analyze.Nanos(0)
	for k := len(l.running) - 1; k >= 1; k-- {
		if total += l.running[k]; policy.AtLeast(policy.NegligibleShare, total, busy) && total > 0 {
			return k
		}
	}
	return 0
}
