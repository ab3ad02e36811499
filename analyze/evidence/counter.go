package evidence

import (
	"slices"
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A counter counts how many intervals are open at a time.
type counter struct{ begins, ends []analyze.Nanos }

func (c *counter) add(i analyze.Interval) {
	c.begins = append(c.begins, i.Begin)
	c.ends = append(c.ends, i.End)
}

func (c *counter) sort() {
	slices.Sort(c.begins)
	slices.Sort(c.ends)
}

// at is how many intervals began before t and end after it.
func (c *counter) at(t analyze.Nanos) int {
	begun := sort.Search(len(c.begins), func(i int) bool { return c.begins[i] >= t })
	ended := sort.Search(len(c.ends), func(i int) bool { return c.ends[i] > t })
	return max(0, begun-ended)
}

func (c *counter) most() int {
	open, most, e := 0, 0, 0
	for _, b := range c.begins {
		for e < len(c.ends) && c.ends[e] <= b {
			open--
			e++
		}
		open++
		most = max(most, open)
	}
	return most
}

// levels is how long how many intervals were open.
type levels struct {
	running []analyze.Nanos // by number, the last for that many or more
	backlog analyze.Nanos   // time in which at least one ran and at least one was pending
	growth  float64         // in that time: by how many more ran for each more that ran or was pending; 0 when that did not change
}

// capacity is how many intervals were open at the same time, leaving out what there was for less than a hundredth of the time in which any was.
func (l *levels) capacity(busy analyze.Nanos) int {
	total := analyze.Nanos(0)
	for k := len(l.running) - 1; k >= 1; k-- {
		if total += l.running[k]; policy.AtLeast(policy.Negligible, total, busy) && total > 0 {
			return k
		}
	}
	return 0
}

// times sweeps over both counters.
func (c *counter) times(pending *counter) levels {
	const most = policy.MostAtOnce
	l := levels{running: make([]analyze.Nanos, most)}
	var bi, ei, pb, pe int
	var grows regression
	last := analyze.Nanos(0)
	for bi < len(c.begins) || ei < len(c.ends) {
		at := analyze.Nanos(1<<63 - 1)
		for _, next := range []struct {
			list []analyze.Nanos
			i    int
		}{{c.begins, bi}, {c.ends, ei}, {pending.begins, pb}, {pending.ends, pe}} {
			if next.i < len(next.list) {
				at = min(at, next.list[next.i])
			}
		}
		if open := bi - ei; open > 0 {
			l.running[min(open, most-1)] += at - last
			if pb > pe {
				l.backlog += at - last
				grows.add(float64(open+pb-pe), float64(open), float64(at-last))
			}
		}
		last = at
		bi, ei = advance(c.begins, bi, at), advance(c.ends, ei, at)
		pb, pe = advance(pending.begins, pb, at), advance(pending.ends, pe, at)
	}
	l.growth = grows.slope()
	return l
}

// A regression is of y over x, weighted.
type regression struct{ n, x, y, xx, xy float64 }

func (r *regression) add(x, y, weight float64) {
	r.n += weight
	r.x += weight * x
	r.y += weight * y
	r.xx += weight * x * x
	r.xy += weight * x * y
}

func (r *regression) slope() float64 {
	if r.n == 0 {
		return 0
	}
	mean := r.x / r.n
	variance := r.xx/r.n - mean*mean
	if variance < policy.LeastVariance {
		return 0
	}
	return (r.xy/r.n - mean*r.y/r.n) / variance
}

func advance(list []analyze.Nanos, i int, at analyze.Nanos) int {
	for i < len(list) && list[i] <= at {
		i++
	}
	return i
}
