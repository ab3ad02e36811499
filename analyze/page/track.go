package page

import (
	"slices"

	"mtrace/analyze"
)

// kinds is the number of different kinds of blocks that a lane can have: parts of a thread's time, or colours.
const kinds = 16

// A block is a colored interval in a lane. Blocks of a lane do not overlap.
type block struct {
	analyze.Interval
	kind uint8
	name string
	// by is the number (from 1 on) of the block's peer: the thread that committed the work, holds the lock or sent
	// the signal; 0 if there is none
	by    int
	stack stackNumber
	of    *flow // its command buffer; nil when not known
}

// A track stores the blocks of one lane, sorted by begin, in bounded memory. Blocks shorter than a cell are summed up
// in cells. When there are too many blocks and cells, the length of cells doubles. Long blocks always stay exact.
type track struct {
	cell   analyze.Nanos // length of a cell
	blocks []block
	cells  cells
	spare  cells // memory for the cells of the next coarsen
	count  int64 // number of blocks that were added
	time   [kinds]analyze.Nanos
}

// add adds a block, which must not begin before the end of the previous one. Afterwards the track has no more blocks
// and cells than `most`.
func (t *track) add(b block, most int) {
	b.End = max(b.End, b.Begin)
	t.count++
	t.time[b.kind] += b.Length()
	t.put(b)
	for t.size() > most {
		t.coarsen()
	}
}

// put stores a block by itself, or adds it to a cell if it is shorter than a cell.
func (t *track) put(b block) {
	t.cell = max(t.cell, 1)
	if b.Length() >= t.cell {
		t.blocks = append(t.blocks, b)
		return
	}
	t.sum(&b)
}

// sum adds a block that is shorter than a cell to the cell in which it begins.
func (t *track) sum(b *block) {
	at := floor(b.Begin, t.cell)
	i := t.cells.place(at)
	t.cells.count[i]++
	edge := analyze.Nanos(at+1) * t.cell
	t.cells.add(i, b.kind, min(b.End, edge)-b.Begin)
	if b.End > edge { // the block extends into the next cell: divide its time
		t.cells.add(t.cells.place(at+1), b.kind, b.End-edge)
	}
}

// coarsen makes cells twice as long.
func (t *track) coarsen() {
	was, from := max(t.cell, 1), t.cells
	t.cell = 2 * was
	short := func(b block) bool { return b.Length() < t.cell }
	if from.size() == 0 && !slices.ContainsFunc(t.blocks, short) {
		return
	}
	t.cells, t.spare = t.spare.empty(), cells{}
	next, kept := 0, 0
	for i := range t.blocks {
		b := &t.blocks[i]
		// in the order of time
		for ; next < from.size() && analyze.Nanos(from.at[next])*was <= b.Begin; next++ {
			t.cells.merge(from.at[next]>>1, &from, next)
		}
		if short(*b) {
			t.sum(b)
			continue
		}
		if kept < i {
			t.blocks[kept] = *b
		}
		kept++
	}
	for ; next < from.size(); next++ {
		t.cells.merge(from.at[next]>>1, &from, next)
	}
	t.blocks, t.spare = t.blocks[:kept], from
}

// with adds all blocks and cells of another track. Blocks of the two tracks must not overlap.
func (t *track) with(other *track) {
	for t.cell < other.cell {
		t.coarsen()
	}
	other = other.copy()
	for other.cell < t.cell {
		other.coarsen()
	}
	blocks := t.blocks
	t.blocks = make([]block, 0, len(blocks)+len(other.blocks))
	for len(blocks)+len(other.blocks) > 0 {
		from := &blocks
		if len(blocks) == 0 || len(other.blocks) > 0 && other.blocks[0].Begin < blocks[0].Begin {
			from = &other.blocks
		}
		t.blocks = append(t.blocks, (*from)[0])
		*from = (*from)[1:]
	}
	for i, at := range other.cells.at {
		t.cells.merge(at, &other.cells, i)
	}
	t.count += other.count
	for k, n := range other.time {
		t.time[k] += n
	}
}

func (t *track) copy() *track {
	c := *t
	c.blocks, c.cells, c.spare = slices.Clone(t.blocks), t.cells.clone(), cells{}
	return &c
}

// size returns the number of blocks and cells in the track, to which its size in the document is proportional.
func (t *track) size() int { return len(t.blocks) + t.cells.size() }

// fit makes cells longer until the track has no more blocks and cells than `most`.
func (t *track) fit(most int) {
	for t.size() > max(most, 2) && t.cell < 1<<60 {
		t.coarsen()
	}
}

// floor returns the number of the cell that contains an instant; cells of negative times have negative numbers.
func floor(at, cell analyze.Nanos) int64 {
	n := at / cell
	if at < 0 && n*cell != at {
		n--
	}
	return int64(n)
}
