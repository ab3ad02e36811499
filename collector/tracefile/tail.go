package tracefile

import (
	"io"
	"slices"
)

// A file that cannot be written any more, because the disk is full, still gets an end: what the processes had counted
// until they ended, so that a reader knows what is missing. The room for it is that of the last blocks of records.

// mostTail bounds what is kept for the end, in bytes; what says which processes there were and how they ended is kept
// beyond it.
const mostTail = 4 << 20

// A tailBlock is a block that could not be written when it came.
type tailBlock struct {
	block
	header, stored []byte
}

// keep keeps what is no record for the end.
func (w *Writer) keep(b block, whole []byte) {
	switch b.kind {
	case blockRecords, blockSoFar, blockResult, blockIndex, blockInfo:
		return
	case blockProcess, blockEnd: // of which the last counts
		w.tail = slices.DeleteFunc(w.tail, func(t tailBlock) bool { return t.kind == b.kind && t.process == b.process })
	default:
		size := 0
		for _, t := range w.tail {
			size += len(t.stored)
		}
		if size+len(whole) > mostTail {
			return
		}
	}
	w.tail = append(w.tail, tailBlock{b, whole[:blockHeader], whole[blockHeader:]})
}

// A cuttable is a file whose end can be written again.
type cuttable interface {
	io.ReaderAt
	io.WriterAt
	Truncate(int64) error
}

// endCut writes the end of a file that could not be written any more. When that cannot be either, the file stays as it
// is: cut.
func (w *Writer) endCut(r Result) {
	file, ok := w.file.(cuttable)
	if !ok {
		return
	}
	r.Cut, r.Note = w.cut, w.err.Error()
	blocks, err := parseIndex(w.index.payload, w.offset)
	if err != nil {
		return
	}
	at := w.offset
	for room := int64(0); len(blocks) > 0; room *= 2 {
		end := w.endAfter(blocks, at, r)
		if _, err := file.WriteAt(end, at); err == nil {
			w.offset = at + int64(len(end))
			return
		}
		file.Truncate(at)
		for room = max(room, int64(len(end))); at > w.offset-room; {
			last := len(blocks) - 1
			if last < 0 || blocks[last].kind != blockRecords && !w.retain(file, blocks[last]) {
				return
			}
			at = blocks[last].offset
			blocks = blocks[:last]
		}
		file.Truncate(at)
	}
}

// retain takes a block that is no record out of the file, for the end.
func (w *Writer) retain(file io.ReaderAt, b block) bool {
	data := make([]byte, b.end()-b.offset)
	if _, err := file.ReadAt(data, b.offset); err != nil {
		return false
	}
	w.tail = slices.Insert(w.tail, 0, tailBlock{b, data[:blockHeader], data[blockHeader:]})
	return true
}

// endAfter is the end of a file behind some blocks that end at an offset: what was kept, the result, the index, the
// trailer.
func (w *Writer) endAfter(blocks []block, at int64, r Result) (end []byte) {
	all := slices.Clone(blocks)
	add := func(t tailBlock) {
		t.offset = at + int64(len(end))
		end = append(append(end, t.header...), t.stored...)
		all = append(all, t.block)
	}
	for _, t := range w.tail {
		add(t)
	}
	add(jsonBlock(block{kind: blockResult}, r))
	index := at + int64(len(end))
	t := payloadBlock(block{kind: blockIndex}, indexOf(all))
	end = append(append(end, t.header...), t.stored...)
	return appendTrailer(end, index)
}
