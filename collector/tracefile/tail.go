package tracefile

import (
	"io"
	"slices"
)

// When the disk is full, the file still gets an end, so that a reader knows how many records are missing. From then
// on all data except records is kept in memory. When the recording ends, this data, the result and the index
// overwrite the file's last blocks of records.

// mostTail limits, in bytes, the data that is kept in memory until the end of the file is written after the disk was
// full. The identity and the end of each process are kept even beyond the limit.
const mostTail = 4 << 20

// A tailBlock is a block that is kept in memory because the file could not be written.
type tailBlock struct {
	block
	header, stored []byte
}

// keep stores in memory a block that could not be written, for example because the disk is full. When the recording
// ends, endCut writes the stored blocks to the end of the file, over the last records if needed. Blocks of records are
// not stored. A block that replaces an earlier one, such as the end of a process, also replaces the stored one.
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

// A cuttable is a file whose end can be removed and overwritten; a network stream is not.
type cuttable interface {
	io.ReaderAt
	io.WriterAt
	Truncate(int64) error
}

// endCut writes an end to a file that could no longer be written, for example because the disk is full. The end
// overwrites as many of the last blocks of records as it needs space. If even that fails, the file stays without an
// end, and readers treat it as cut.
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

// retain reads a block that has no records into memory before the block is overwritten, so that endCut can write it
// again.
func (w *Writer) retain(file io.ReaderAt, b block) bool {
	data := make([]byte, b.end()-b.offset)
	if _, err := file.ReadAt(data, b.offset); err != nil {
		return false
	}
	w.tail = slices.Insert(w.tail, 0, tailBlock{b, data[:blockHeader], data[blockHeader:]})
	return true
}

// endAfter returns the end of a file, as bytes to be written at offset `at`: the blocks in w.tail, the result, the
// index and the trailer. The index also lists `blocks`, which are in the file before `at`.
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
