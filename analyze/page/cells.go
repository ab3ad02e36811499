package page

import (
	"slices"
	"sort"

	"mtrace/analyze"
)

// Cells are time ranges of equal length that sum up blocks too short to be stored. Only cells with blocks are in the
// lists. The lists have no pointers, so the garbage collector need not scan them.
type cells struct {
	at    []int64 // the number of each cell, ascending
	count []int64 // the number of blocks that begin in each cell
	// by kind: the time that it took in each cell; nil for kinds that do not occur, which are most
	time [kinds][]analyze.Nanos
}

// size returns the number of cells.
func (c *cells) size() int { return len(c.at) }

// place returns the index of the cell with a number. It inserts the cell if necessary.
func (c *cells) place(at int64) int {
	n := len(c.at)
	i := n
	if n > 0 && c.at[n-1] >= at {
		if i = n - 1; c.at[i] > at {
			i = sort.Search(n, func(i int) bool { return c.at[i] >= at })
		}
		if c.at[i] == at {
			return i
		}
	}
	c.at, c.count = slices.Insert(c.at, i, at), slices.Insert(c.count, i, 0)
	for k, list := range &c.time {
		if list != nil {
			c.time[k] = slices.Insert(list, i, 0)
		}
	}
	return i
}

// add adds time of a kind to the cell with index i.
func (c *cells) add(i int, kind uint8, time analyze.Nanos) {
	if c.time[kind] == nil {
		c.time[kind] = make([]analyze.Nanos, len(c.at), cap(c.at))
	}
	c.time[kind][i] += time
}

// merge adds the cell with index i of another list to the cell with a number.
func (c *cells) merge(at int64, from *cells, i int) {
	to := c.place(at)
	c.count[to] += from.count[i]
	for k, list := range &from.time {
		if list != nil && list[i] != 0 {
			c.add(to, uint8(k), list[i])
		}
	}
}

// empty returns an empty list that uses the memory of c.
func (c *cells) empty() cells {
	out := cells{at: c.at[:0], count: c.count[:0]}
	for k, list := range &c.time {
		if list != nil {
			out.time[k] = list[:0]
		}
	}
	return out
}

// clone returns a copy that shares no memory with c.
func (c *cells) clone() cells {
	out := cells{at: slices.Clone(c.at), count: slices.Clone(c.count)}
	for k, list := range &c.time {
		out.time[k] = slices.Clone(list)
	}
	return out
}
