package tracefile

import (
	"encoding/binary"
	"errors"

	"mtrace/collector/wire"
)

// The index lists the blocks before it in their order, without gaps: kind u8, then as varints the process, the stored size
// and, for records, ring, count, position, zigzag of first − the first of the entry before, and last − first. An entry is
// always smaller than its block's header, so an index is never larger than its file.

func appendIndex(dst []byte, blocks []block) []byte {
	first := wire.Ticks(0)
	for i := range blocks {
		b := &blocks[i]
		dst = append(dst, byte(b.kind))
		dst = binary.AppendUvarint(dst, uint64(b.process))
		dst = binary.AppendUvarint(dst, uint64(b.stored))
		if b.kind != blockRecords {
			continue
		}
		dst = binary.AppendUvarint(dst, uint64(b.ring))
		dst = binary.AppendUvarint(dst, uint64(b.count))
		dst = binary.AppendUvarint(dst, b.position)
		dst = binary.AppendUvarint(dst, zigzag(uint64(b.first-first)))
		dst = binary.AppendUvarint(dst, uint64(b.last-b.first))
		first = b.first
	}
	return dst
}

var errIndex = errors.New("its index does not describe it")

// parseIndex reads an index whose block begins at offset end: the blocks must fill the file up to there.
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
