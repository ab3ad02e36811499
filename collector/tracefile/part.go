package tracefile

import (
	"encoding/binary"

	"mtrace/collector/wire"
)

// A Block is a part of a stream of records that can be read without the others.
type Block struct {
	Records     uint32
	First, Last wire.Ticks // the smallest begin and the largest end of its calls
}

// Blocks returns the blocks of a stream (the records of one ring buffer), oldest first.
func (r *Reader) Blocks(s Stream) []Block {
	all := make([]Block, len(s.blocks))
	for i, at := range s.blocks {
		b := &r.blocks[at]
		all[i] = Block{b.count, b.first, b.last}
	}
	return all
}

// ReadBlock is like Read, but for a single block of the stream: it calls fn with batches of the block's records.
func (r *Reader) ReadBlock(s Stream, block int, fn func([]wire.Record) error) error {
	return r.readBlocks(s, block, block+1, nil, fn)
}

// ReadBlockInto is like ReadBlock, for a caller that keeps the records. It decodes them into slices that the
// function `room` returns, each with space for at least two records. Records that the reader itself inserts after
// lost records are not in these slices.
func (r *Reader) ReadBlockInto(s Stream, block int, room func() []wire.Record, fn func([]wire.Record) error) error {
	return r.readBlocks(s, block, block+1, room, fn)
}

// Count calls the function `count` for each kind of call in a block, with the number of its records. It decodes only
// the column with the order of calls, which is much faster than reading the records. For an unreadable block it only
// notes the damage.
func (r *Reader) Count(s Stream, block int, count func(wire.Call, int64)) {
	t := readers.Get().(*readTools)
	defer readers.Put(t)
	b := &r.blocks[s.blocks[block]]
	payload, err := r.file.read(b, t)
	if err == nil {
		err = t.decoder.begin(payload, int(b.count))
	}
	if err != nil {
		r.damage.note(b, 0, err)
		return
	}
	numbers := make([]int64, len(t.decoder.kinds))
	for order := t.decoder.order; len(order) > 0; {
		at, skip := uint64(order[0]), 1
		if at >= 0x80 {
			at, skip = binary.Uvarint(order)
		}
		if skip <= 0 || at >= uint64(len(numbers)) {
			return
		}
		numbers[at]++
		order = order[skip:]
	}
	for i, n := range numbers {
		count(t.decoder.kinds[i].call, n)
	}
}
