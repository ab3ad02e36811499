package timeline

import (
	"cmp"
	"slices"

	"mtrace/analyze"
)

// A counter is a track that shows a quantity (the level) over time, such as allocated bytes.
type counter struct {
	of    track // its id is 0 until there is a value
	level int64
}

// changes are the changes of a level during one slice (part) of the run. Increases and decreases are separate lists,
// because each list is then nearly sorted by time.
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

// empty removes all changes but retains the memory for reuse.
func (c *changes) empty() { c.up, c.down = c.up[:0], c.down[:0] }

// write writes the level at each instant at which it changes. The changes of the run's slices (parts) must be written
// in the order of time.
func (c *counter) write(f *trackFile, by *changes) {
	if c.of.id == 0 {
		c.of.id = f.declare(c.of)
	}
	up, down := sortedByTime(by.up), sortedByTime(by.down)
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
		f.out.count(c.of.id, at, c.level)
	}
}

// sortedByTime returns the list sorted by time.
func sortedByTime(list []step) []step {
	byTime := func(a, b step) int { return cmp.Compare(a.at, b.at) }
	if !slices.IsSortedFunc(list, byTime) {
		slices.SortFunc(list, byTime)
	}
	return list
}
