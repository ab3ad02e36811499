package page

import (
	"slices"
	"sort"

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

// A cell is a time range of fixed length that sums up blocks too short to be stored: the time that each kind took.
type cell struct {
	at    int64 // number of the cell
	count int64 // number of blocks that begin in it
	time  [kinds]analyze.Nanos
}

// A track stores the blocks of one lane, sorted by begin, in bounded memory. Blocks shorter than a cell are summed up
// in cells. When there are too many blocks and cells, the length of cells doubles. Long blocks always stay exact.
type track struct {
	cell   analyze.Nanos // length of a cell
	blocks []block
	cells  []cell // in ascending order of at
	count  int64  // number of blocks that were added
	time   [kinds]analyze.Nanos
}

// add adds a block, which must not begin before the end of the previous one. Afterwards the track has no more blocks
// and cells than `most`.
func (t *track) add(b block, most int) {
	b.End = max(b.End, b.Begin)
	t.count++
	t.time[b.kind] += b.Length()
	t.put(b)
	for len(t.blocks)+len(t.cells) > most {
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
	at := floor(b.Begin, t.cell)
	c := t.cellAt(at)
	c.count++
	edge := analyze.Nanos(at+1) * t.cell
	c.time[b.kind] += min(b.End, edge) - b.Begin
	if b.End > edge { // the block is shorter than a cell, but extends into the next cell: divide its time
		t.cellAt(at + 1).time[b.kind] += b.End - edge
	}
}

// cellAt returns the cell with a number.
func (t *track) cellAt(at int64) *cell {
	if n := len(t.cells); n == 0 || t.cells[n-1].at < at {
		t.cells = append(t.cells, cell{at: at})
		return &t.cells[n]
	} else if t.cells[n-1].at == at {
		return &t.cells[n-1]
	}
	i := sort.Search(len(t.cells), func(i int) bool { return t.cells[i].at >= at })
	if t.cells[i].at != at {
		t.cells = slices.Insert(t.cells, i, cell{at: at})
	}
	return &t.cells[i]
}

// coarsen makes cells twice as long.
func (t *track) coarsen() {
	blocks, cells, was := t.blocks, t.cells, max(t.cell, 1)
	// blocks[:0] reuses the memory of blocks; that is safe because each block is read before it is overwritten
	t.cell, t.blocks, t.cells = 2*was, blocks[:0], make([]cell, 0, cap(cells))
	for _, b := range blocks {
		for len(cells) > 0 && analyze.Nanos(cells[0].at)*was <= b.Begin { // in the order of time
			t.merge(&cells[0])
			cells = cells[1:]
		}
		t.put(b)
	}
	for i := range cells {
		t.merge(&cells[i])
	}
}

// merge adds a cell of half the current length to the cell that contains it.
func (t *track) merge(c *cell) {
	to := t.cellAt(c.at >> 1)
	to.count += c.count
	for k, n := range c.time {
		to.time[k] += n
	}
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
	blocks, cells := t.blocks, t.cells
	t.blocks, t.cells = nil, nil
	for len(blocks)+len(other.blocks) > 0 {
		from := &blocks
		if len(blocks) == 0 || len(other.blocks) > 0 && other.blocks[0].Begin < blocks[0].Begin {
			from = &other.blocks
		}
		t.blocks = append(t.blocks, (*from)[0])
		*from = (*from)[1:]
	}
	t.cells = cells
	for i := range other.cells {
		c := &other.cells[i]
		to := t.cellAt(c.at)
		to.count += c.count
		for k, n := range c.time {
			to.time[k] += n
		}
	}
	t.count += other.count
	for k, n := range other.time {
		t.time[k] += n
	}
}

func (t *track) copy() *track {
	c := *t
	c.blocks, c.cells = slices.Clone(t.blocks), slices.Clone(t.cells)
	return &c
}

// size returns the number of blocks and cells in the track, to which its size in the document is proportional.
func (t *track) size() int { return len(t.blocks) + len(t.cells) }

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
