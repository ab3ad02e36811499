package tracefile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"mtrace/collector/wire"
)

// Version is the version of the file format. A reader refuses newer versions and reads older ones.
const Version = 2

const (
	fileMagic   = "\x89MTRACE\n" // as in PNG: the first byte is not text, and converted line ends are detected
	blockMagic  = 0x4b42544d     // "MTBK"
	endMagic    = 0x444e544d     // "MTND"
	fileHeader  = 16             // magic, version u32, CRC of both
	blockHeader = 56
	trailer     = 16 // offset of the index u64, magic u32, CRC of both
)

const (
	// recordsPerBlock is the maximum number of records in a block that this version writes. Readers accept up to
	// maxBlockRecords, so that a later version may write larger blocks.
	recordsPerBlock = 16384
	maxBlockRecords = 65536
	// maxPayload is the maximum size of a block's payload before compression, in bytes; a larger size is damage. It
	// does not apply to the index, which must only be smaller than its file.
	maxPayload = 16 << 20
)

// A blockKind is the kind of data that a block of the trace file has. Readers skip unknown kinds, which a later
// version may write.
type blockKind uint8

const (
	blockInfo    blockKind = 1 // Info, JSON
	blockProcess blockKind = 2 // a process's hello and clock, JSON; a later one replaces an earlier
	blockRecords blockKind = 3 // records of one ring, columnar
	blockFacts   blockKind = 4 // facts of a process, as on the wire
	blockSamples blockKind = 5 // clock samples of a process: ticks u64, nanoseconds i64 each
	blockEnd     blockKind = 6 // a process's End, JSON
	blockResult  blockKind = 7 // Result, JSON
	blockIndex   blockKind = 8 // all blocks before it
	blockThreads blockKind = 9 // processor times of a process's threads, as on the wire

	blockSoFar  blockKind = 10 // the current counters of a running process, JSON; a later one replaces an earlier
	blockOwners blockKind = 11 // the threads that had the rings of a process, each with its first position
)

// An encoding says how a block's payload is stored: plain or compressed.
type encoding uint8

const (
	plain      encoding = 0
	compressed encoding = 1 // zstd
	partly     encoding = 2 // a part is compressed with zstd, the rest is stored unchanged
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A block holds the header of a block, and the offset of the block in the file. The header's bytes are: magic
// 0–3, kind 4, encoding 5, ring 6–7, process 8–11, stored 12–15, raw 16–19, count 20–23, position 24–31, first
// 32–39, last 40–47, CRC-32C of the stored payload 48–51, CRC-32C of bytes 0–51 52–55.
type block struct {
	offset      int64
	kind        blockKind
	encoding    encoding
	ring        uint16
	process     ProcessIndex
	stored, raw uint32 // bytes of payload, in the file and before compression
	count       uint32 // records
	position    uint64 // ring position of the first record
	first, last wire.Ticks
	payloadCRC  uint32
}

// end returns the offset of the first byte after the block.
func (b *block) end() int64 { return b.offset + blockHeader + int64(b.stored) }

// next returns the ring position after the block's last record. If the next block of the ring begins later, records
// are missing.
func (b *block) next() uint64 { return b.position + uint64(b.count) }

func (b *block) appendHeader(dst []byte) []byte {
	start := len(dst)
	dst = binary.LittleEndian.AppendUint32(dst, blockMagic)
	dst = append(dst, byte(b.kind), byte(b.encoding))
	dst = binary.LittleEndian.AppendUint16(dst, b.ring)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(b.process))
	dst = binary.LittleEndian.AppendUint32(dst, b.stored)
	dst = binary.LittleEndian.AppendUint32(dst, b.raw)
	dst = binary.LittleEndian.AppendUint32(dst, b.count)
	dst = binary.LittleEndian.AppendUint64(dst, b.position)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(b.first))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(b.last))
	dst = binary.LittleEndian.AppendUint32(dst, b.payloadCRC)
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli))
}

// parseHeader reads a block's header from h, which must have at least blockHeader bytes. offset is where the block
// begins in the file; it is stored in the block and named in errors.
func parseHeader(h []byte, offset int64) (block, error) {
	u32, u64 := binary.LittleEndian.Uint32, binary.LittleEndian.Uint64
	if u32(h) != blockMagic || u32(h[52:]) != crc32.Checksum(h[:52], castagnoli) {
		return block{}, fmt.Errorf("no block begins at byte %d", offset)
	}
	b := block{
		offset: offset, kind: blockKind(h[4]), encoding: encoding(h[5]), ring: binary.LittleEndian.Uint16(h[6:]),
		process: ProcessIndex(u32(h[8:])), stored: u32(h[12:]), raw: u32(h[16:]), count: u32(h[20:]),
		position: u64(h[24:]), first: wire.Ticks(u64(h[32:])), last: wire.Ticks(u64(h[40:])), payloadCRC: u32(h[48:]),
	}
	switch {
	case b.encoding > partly, b.encoding == plain && b.raw != b.stored:
		return b, fmt.Errorf("the block at byte %d has the invalid encoding %d", offset, b.encoding)
	case b.kind != blockIndex && (b.raw > maxPayload || b.stored > maxPayload):
		return b, fmt.Errorf("the block at byte %d states %d bytes, more than a block can have", offset,
			max(b.raw, b.stored))
	case b.count > maxBlockRecords, b.kind == blockRecords && b.ring >= wire.RingCount:
		return b, fmt.Errorf("the block at byte %d states %d records of ring %d, which is impossible", offset, b.count,
			b.ring)
	case b.position > mostCounted:
		return b, fmt.Errorf("the block at byte %d states the ring position %d, which is impossible", offset,
			b.position)
	}
	return b, nil
}

func appendFileHeader(dst []byte) []byte {
	dst = append(dst, fileMagic...)
	dst = binary.LittleEndian.AppendUint32(dst, Version)
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst, castagnoli))
}

// fileVersion returns the format version in a file's header, or 0 if the header is invalid.
func fileVersion(h []byte) uint32 {
	if len(h) < fileHeader || !bytes.HasPrefix(h, []byte(fileMagic)) ||
		binary.LittleEndian.Uint32(h[12:]) != crc32.Checksum(h[:12], castagnoli) {
		return 0
	}
	return binary.LittleEndian.Uint32(h[8:])
}

func appendTrailer(dst []byte, index int64) []byte {
	start := len(dst)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(index))
	dst = binary.LittleEndian.AppendUint32(dst, endMagic)
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli))
}

// parseTrailer reads the trailer at the end of a file. It returns the offset of the index; ok is false if the trailer
// is invalid.
func parseTrailer(t []byte) (index int64, ok bool) {
	if binary.LittleEndian.Uint32(t[8:]) != endMagic || binary.LittleEndian.Uint32(t[12:]) != crc32.Checksum(t[:12],
		castagnoli) {
		return 0, false
	}
	index = int64(binary.LittleEndian.Uint64(t))
	return index, index >= fileHeader
}
