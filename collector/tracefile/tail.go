package tracefile

import (
	"io"
	"slices"
)

// A file that can no longer be written, because the disk is full, still gets an end: the counters of the processes, so
// that a reader knows how much is missing. The end overwrites the last blocks of records.

// mostTail is the maximum size of the data kept for the end, in bytes. The list of processes and how they ended is
// always kept.
const mostTail = 4 << 20

// A tailBlock is a block that could not be written when it was added.
type tailBlock struct {
	block
	header, stored []byte
}

// keep keeps blocks other than records for the end.
func (w *Writer) keep(b block, whole []byte) {
	switch b.kind {
	case blockRecords, blockSoFar, blockResult, blockIndex, blockInfo:
		return
	case blockProcess, blockEnd: // only the last one counts
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

// A cuttable is a file that can be truncated and overwritten.
type cuttable interface {
	io.ReaderAt
	io.WriterAt
	Truncate(int64) error
}

// endCut writes the end of a file that could no longer be written. If that fails too, the file stays cut.
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

// retain reads a block without records from the file, for the end.
func (w *Writer) retain(file io.ReaderAt, b block) bool {
	data := make([]byte, b.end()-b.offset)
	if _, err := file.ReadAt(data, b.offset); err != nil {
		return false
	}
	w.tail = slices.Insert(w.tail, 0, tailBlock{b, data[:blockHeader], data[blockHeader:]})
	return true
}

// endAfter returns the end of a file for blocks that end at an offset: the kept blocks, the result, the index, the
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
