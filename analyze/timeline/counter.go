package timeline

import (
	"cmp"
	"slices"

	"mtrace/analyze"
)

// A counter is a track of levels.
type counter struct {
	of    track // its id is 0 until there is something to count
	level int64
}

// changes are those of a level in a slice of the run, in no order. Those up and those down are nearly in order, each
// for themselves.
type changes struct{ up, down []step }

type step struct {
	at    analyze.Nanos
	value int64
}

func (c *changes) add(at analyze.Nanos, value int64) {
	if value < 0 {
		c.down = append(c.down, step{at, value})
	} else {
		c.up = append(c.up, step{at, value})
	}
}

// empty forgets the changes, but keeps their room.
func (c *changes) empty() { c.up, c.down = c.up[:0], c.down[:0] }

// count writes the level from each instant on at which it changed. Changes of later slices come later.
func (w *Writer) count(c *counter, by *changes) {
	if c.of.id == 0 {
		c.of.id = w.newTrack(c.of)
	}
	up, down := inOrder(by.up), inOrder(by.down)
	for len(up)+len(down) > 0 {
		var at analyze.Nanos
		if len(down) == 0 || len(up) > 0 && up[0].at < down[0].at {
			at = up[0].at
		} else {
			at = down[0].at
		}
		for ; len(up) > 0 && up[0].at == at; up = up[1:] {
			c.level += up[0].value
		}
		for ; len(down) > 0 && down[0].at == at; down = down[1:] {
			c.level += down[0].value
		}
		w.out.count(c.of.id, at, c.level)
	}
}

// inOrder is the list, sorted by time if it is not.
func inOrder(list []step) []step {
	byTime := func(a, b step) int { return cmp.Compare(a.at, b.at) }
	if !slices.IsSortedFunc(list, byTime) {
		slices.SortFunc(list, byTime)
	}
	return list
}
