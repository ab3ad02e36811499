package tracefile

import (
	"encoding/binary"
	"errors"

	"mtrace/collector/wire"
)

// The index lists all blocks before it, in the order of the file and without gaps. An entry has the kind as u8, and
// as varints the process and the stored size. For a block of records these varints follow: ring, count, position, the
// difference between its first tick and that of the previous such entry (zigzag), and last − first. An entry is
// smaller than a block's header, so an index is never larger than its file.

// An index collects the entries while blocks are written. It keeps them encoded, because hours of recording have many
// blocks, and an encoded entry takes a fifth of the memory of a block value.
type index struct {
	payload []byte
	first   wire.Ticks // first tick of the previous block of records: the next entry has the difference
}

func (x *index) add(b *block) {
	x.payload = append(x.payload, byte(b.kind))
	x.payload = binary.AppendUvarint(x.payload, uint64(b.process))
	x.payload = binary.AppendUvarint(x.payload, uint64(b.stored))
	if b.kind != blockRecords {
		return
	}
	x.payload = binary.AppendUvarint(x.payload, uint64(b.ring))
	x.payload = binary.AppendUvarint(x.payload, uint64(b.count))
	x.payload = binary.AppendUvarint(x.payload, b.position)
	x.payload = binary.AppendUvarint(x.payload, zigzag(uint64(b.first-x.first)))
	x.payload = binary.AppendUvarint(x.payload, uint64(b.last-b.first))
	x.first = b.first
}

// indexOf returns the encoded index of these blocks.
func indexOf(blocks []block) []byte {
	var x index
	for i := range blocks {
		x.add(&blocks[i])
	}
	return x.payload
}

var errIndex = errors.New("its index does not match its blocks")

// parseIndex decodes an index whose own block begins at offset end. It returns an error unless the listed blocks fill
// the file exactly up to end: otherwise the index belongs to another file or is damaged.
func parseIndex(payload []byte, end int64) ([]block, error) {
	in := cursor{b: payload}
	var blocks []block
	first := wire.Ticks(0)
	offset := int64(fileHeader)
	for len(in.b) > 0 {
		b := block{offset: offset, kind: blockKind(in.bytes(1)[0])}
		process, stored := in.uvarint(), in.uvarint()
		b.process, b.stored = ProcessIndex(process), uint32(stored)
		if b.kind == blockRecords {
			ring, count := in.uvarint(), in.uvarint()
			b.ring, b.count = uint16(ring), uint32(count)
			b.position = in.uvarint()
			b.first = first + wire.Ticks(unzigzag(in.uvarint()))
			b.last = b.first + wire.Ticks(in.uvarint())
			first = b.first
			if ring >= wire.RingCount || count > maxBlockRecords || b.position > mostCounted {
				return nil, errIndex
			}
		}
		offset = b.end()
		if in.bad || process > 1<<32-1 || stored > maxPayload || offset > end {
			return nil, errIndex
		}
		blocks = append(blocks, b)
	}
	if offset != end {
		return nil, errIndex
	}
	return blocks, nil
}
