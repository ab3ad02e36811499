package tracefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"

	"mtrace/collector/wire"
)

// A blockFile is a file of blocks. Each block can be read and checked without the others.
type blockFile struct {
	from io.ReaderAt
	size int64
	hole int64 // end of the last search for blocks in a long hole; 0 if there was none
}

// readTools has the buffers for reading blocks, reused through a pool.
type readTools struct {
	in, out []byte
	records [readBatch]wire.Record
	whole   []wire.Record // all records of a block
	decoder decoder
}

var readers = sync.Pool{New: func() any { return &readTools{} }}

// stored reads a block's payload as it is in the file, possibly compressed, and verifies its checksum. The result is
// valid until t is used again.
func (f *blockFile) stored(b *block, t *readTools) ([]byte, error) {
	if cap(t.in) < int(b.stored) {
		t.in = make([]byte, b.stored)
	}
	in := t.in[:b.stored]
	if _, err := f.from.ReadAt(in, b.offset+blockHeader); err != nil {
		return nil, fmt.Errorf("the block at byte %d cannot be read: %w", b.offset, err)
	}
	if crc32.Checksum(in, castagnoli) != b.payloadCRC {
		return nil, fmt.Errorf("the block at byte %d has a wrong checksum", b.offset)
	}
	return in, nil
}

// payload reads and decompresses the payload of a block whose header was already read. The result is valid until t is
// used again.
func (f *blockFile) payload(b *block, t *readTools) ([]byte, error) {
	in, err := f.stored(b, t)
	if err != nil || b.encoding == plain {
		return in, err
	}
	if cap(t.out) < int(b.raw) {
		t.out = make([]byte, 0, b.raw)
	}
	out, err := decompress(in, b.encoding, b.raw, t.out)
	if err != nil {
		return nil, fmt.Errorf("the block at byte %d cannot be read: %w", b.offset, err)
	}
	return out, nil
}

// read returns the payload of a block that the index lists. It returns an error if the block's header in the file
// does not match the index.
func (f *blockFile) read(want *block, t *readTools) ([]byte, error) {
	var h [blockHeader]byte
	if _, err := f.from.ReadAt(h[:], want.offset); err != nil {
		return nil, fmt.Errorf("the block at byte %d cannot be read: %w", want.offset, err)
	}
	b, err := parseHeader(h[:], want.offset)
	if err != nil {
		return nil, err
	}
	if b.kind != want.kind || b.process != want.process || b.stored != want.stored || b.ring != want.ring ||
		b.count != want.count || b.position != want.position {
		return nil, fmt.Errorf("the block at byte %d differs from the index", want.offset)
	}
	return f.payload(&b, t)
}

// headerAt reads the header of the block at offset. It returns an error if there is no block, or if the block extends
// beyond the offset `end`.
func (f *blockFile) headerAt(offset, end int64) (block, error) {
	var h [blockHeader]byte
	if n, _ := f.from.ReadAt(h[:], offset); n < blockHeader {
		return block{}, fmt.Errorf("the block at byte %d is incomplete", offset)
	}
	b, err := parseHeader(h[:], offset)
	if err == nil && b.end() > end {
		err = fmt.Errorf("the block at byte %d is incomplete", offset)
	}
	return b, err
}

// longestHole limits how many consecutive zero bytes the search for a block reads. Files that mtrace wrote have no
// such holes, and searching a sparse file of a terabyte would take minutes.
const longestHole = 64 << 20

// findBlock returns the offset of the first block header at or after `offset` whose block ends at or before `end`. It
// returns false if there is none, or if it meets longestHole zero bytes in a row first.
func (f *blockFile) findBlock(offset, end int64) (int64, bool) {
	magic := binary.LittleEndian.AppendUint32(nil, blockMagic)
	var buffer []byte
	// number of zero bytes read consecutively up to here
	zeros := 0
	for size := int64(blockHeader); offset+blockHeader <= end; size = 1 << 16 { // the block is usually at offset itself
		if int64(len(buffer)) < size {
			buffer = make([]byte, min(size, end-offset))
		}
		n, err := f.from.ReadAt(buffer[:min(int64(len(buffer)), end-offset)], offset)
		if n < blockHeader || err != nil && !errors.Is(err, io.EOF) {
			return 0, false
		}
		for i := 0; i+blockHeader <= n; i++ {
			j := bytes.Index(buffer[i:n], magic)
			if j < 0 || i+j+blockHeader > n {
				break
			}
			i += j
			if b, err := parseHeader(buffer[i:], offset+int64(i)); err == nil && b.end() <= end {
				return b.offset, true
			}
		}
		if rest := len(bytes.TrimRight(buffer[:n], "\x00")); rest > 0 {
			zeros = n - rest
		} else if zeros += n; zeros > longestHole {
			f.hole = offset
			return 0, false
		}
		offset += int64(n - blockHeader + 1)
	}
	return 0, false
}
