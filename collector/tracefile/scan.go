package tracefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// scan finds the blocks of a file whose index cannot be used. The end of its blocks is known when the trailer is whole;
// otherwise the file was cut, as it seems. What is not whole and is followed by what is, is damage; what comes last is
// the cut.
func (r *Reader) scan(end int64) {
	whole := end > 0
	if !whole {
		end = r.size
	}
	t := readers.Get().(*readTools)
	defer readers.Put(t)
	offset := int64(fileHeader)
	for offset < end {
		b, err := r.headerAt(offset, end)
		if err == nil {
			_, err = r.stored(&b, t)
			if err != nil && !whole {
				if _, follows := r.findBlock(b.end(), end); !follows {
					break
				}
			}
			if b.kind == blockIndex && err == nil {
				offset = b.end()
				if whole = r.size-offset == trailer; whole {
					r.addDamage(Damage{Offset: offset, Size: trailer, Held: heldTrailer, Why: "it has a wrong checksum"})
				}
				break
			}
			r.blocks = append(r.blocks, b) // one with a wrong payload is found again when it is read
			offset = b.end()
			continue
		}
		next, found := r.findBlock(offset+1, end)
		if !found && !whole {
			break
		}
		if !found {
			next = end
		}
		r.addDamage(Damage{Offset: offset, Size: next - offset, Why: err.Error()})
		offset = next
	}
	if whole {
		return
	}
	if r.hole > 0 {
		r.cut = &Cut{Why: fmt.Sprintf("the trace was cut off: its last %d of %d bytes begin with a hole of more than %d "+
			"MiB of zeros, behind which nothing is looked for, and "+
			"calls may be missing", r.size-offset, r.size, longestHole>>20)}
		return
	}
	r.cut = &Cut{Why: fmt.Sprintf("the trace was cut off: its last %d of %d bytes hold no whole block, and up to %v of "+
		"calls before the cut may be missing", r.size-offset,
		r.size, flushEvery)}
}

// headerAt reads the header of the block at an offset, which must end before the end.
func (r *Reader) headerAt(offset, end int64) (block, error) {
	var h [blockHeader]byte
	if n, _ := r.file.ReadAt(h[:], offset); n < blockHeader {
		return block{}, fmt.Errorf("the block at byte %d is not whole", offset)
	}
	b, err := parseHeader(h[:], offset)
	if err == nil && b.end() > end {
		err = fmt.Errorf("the block at byte %d is not whole", offset)
	}
	return b, err
}

// longestHole is after how many bytes of zeros no block is looked for any more. Writing leaves no such holes, and a
// sparse file of a terabyte would be read for minutes.
const longestHole = 64 << 20

// findBlock looks for a whole header of a block that fits in front of the end, from an offset on. It stops at a long
// hole.
func (r *Reader) findBlock(offset, end int64) (int64, bool) {
	magic := binary.LittleEndian.AppendUint32(nil, blockMagic)
	var buffer []byte
	// that were read one after the other, up to here
	zeros := 0
	for size := int64(blockHeader); offset+blockHeader <= end; size = 1 << 16 { // as a rule it is there
		if int64(len(buffer)) < size {
			buffer = make([]byte, min(size, end-offset))
		}
		n, err := r.file.ReadAt(buffer[:min(int64(len(buffer)), end-offset)], offset)
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
			r.hole = offset
			return 0, false
		}
		offset += int64(n - blockHeader + 1)
	}
	return 0, false
}
