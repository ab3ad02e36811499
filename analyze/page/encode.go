package page

import (
	"encoding/json"

	"mtrace/analyze"
)

// encoder converts lanes to lists of numbers.
type encoder struct {
	document *Document
	names    map[string]int64
	laneOf   map[int]int64 // the lane of each thread, by the thread's number
	flowOf   map[*flow]int64
	stacks   *stacks
	stackOf  map[stackNumber]int64 // indexes in Document.Stacks
	frames   map[string]int        // indexes in Document.Frames
	origin   analyze.Nanos
}

// mostBytes is the maximum size of a document as JSON. The page around it also contains the report's tables and the
// chart library.
const mostBytes = 4 << 20

// size returns the size of the document as JSON, in bytes.
func (d *Document) size() int {
	text, err := json.Marshal(d)
	if err != nil { // the document has only values that JSON can represent
		return 0
	}
	return len(text)
}

// lane returns a lane with its levels.
func (x *encoder) lane(from *drawing) Lane {
	l := from.Lane
	l.Count = from.of.count
	for k, n := range from.of.time {
		l.TimeNS[k] = int64(n)
	}
	l.Levels = []Level{x.level(from.of)}
	for level := from.of; level.size() > leastLevel; {
		size := level.size()
		level = level.copy()
		for range coarser {
			level.coarsen()
		}
		if 4*level.size() < 3*size { // skip a level that is not much smaller than the previous one
			l.Levels = append(l.Levels, x.level(level))
		}
		if level.cell > 1<<60 {
			break
		}
	}
	return l
}

// blockNumbers is how many numbers Level.Blocks has for each block.
const blockNumbers = 7

// level encodes a track as a level.
func (x *encoder) level(t *track) Level {
	l := Level{CellNS: int64(max(t.cell, 1)), Blocks: make([]int64, 0, blockNumbers*len(t.blocks)), Cells: []int64{}}
	at := x.origin
	for _, b := range t.blocks {
		lane := int64(-1)
		if place, known := x.laneOf[b.by]; known {
			lane = place
		}
		buffer := int64(-1)
		if place, known := x.flowOf[b.of]; known {
			buffer = place
		}
		l.Blocks = append(l.Blocks, int64(b.Begin-at), int64(b.Length()), int64(b.kind), x.name(b.name), lane,
			x.stack(b.stack), buffer)
		at = b.Begin
	}
	last := floor(x.origin, max(t.cell, 1))
	for i, cell := range t.cells.at {
		l.Cells = append(l.Cells, cell-last, t.cells.count[i])
		last = cell
		head := len(l.Cells)
		l.Cells = append(l.Cells, 0)
		for k, times := range &t.cells.time {
			if times == nil {
				continue
			}
			if part := int64(float64(times[i])/float64(t.cell)*255 + 0.5); part > 0 {
				l.Cells[head]++
				l.Cells = append(l.Cells, int64(k), min(part, 255))
			}
		}
	}
	l.FirstNS = int64(analyze.Nanos(floor(x.origin, max(t.cell, 1)))*max(t.cell, 1) - x.origin)
	return l
}

// instant returns a time as nanoseconds since the begin of the trace; -1 if the time is not known.
func (x *encoder) instant(at analyze.Nanos) int64 {
	if at == 0 {
		return -1
	}
	return int64(at - x.origin)
}

// stack returns the index of a stack in the document and adds the stack if it is new; 0 for an unknown stack.
func (x *encoder) stack(number stackNumber) int64 {
	if number == 0 {
		return 0
	}
	if place, known := x.stackOf[number]; known {
		return place
	}
	var list []int
	for _, frame := range x.stacks.frames(number) {
		place, known := x.frames[frame]
		if !known {
			place = len(x.document.Frames)
			x.frames[frame], x.document.Frames = place, append(x.document.Frames, frame)
		}
		list = append(list, place)
	}
	place := int64(len(x.document.Stacks))
	x.stackOf[number], x.document.Stacks = place, append(x.document.Stacks, list)
	return place
}

// name returns the index of a name in the document and adds the name if it is new. When the document has the maximum
// number of names, further ones get index 0, the empty name.
func (x *encoder) name(of string) int64 {
	of = short(of)
	n, known := x.names[of]
	switch {
	case known:
		return n
	case len(x.document.Names) >= mostNames:
		return 0
	}
	n = int64(len(x.document.Names))
	x.names[of] = n
	x.document.Names = append(x.document.Names, of)
	return n
}
