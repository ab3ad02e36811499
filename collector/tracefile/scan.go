package tracefile

import "fmt"

// scanBlocks finds the blocks of a file without a usable index, one after the other. end is the offset at which the
// blocks end, as the trailer says; 0 means that the file may be cut. Unreadable data before a readable block is noted
// as damage; unreadable data at the end of a cut file is described by r.cut.
func scanBlocks(r *Reader, end int64) {
	whole := end > 0
	if !whole {
		end = r.file.size
	}
	t := readers.Get().(*readTools)
	defer readers.Put(t)
	offset := int64(fileHeader)
	for offset < end {
		b, err := r.file.headerAt(offset, end)
		if err == nil {
			_, err = r.file.stored(&b, t)
			if err != nil && !whole {
				if _, follows := r.file.findBlock(b.end(), end); !follows {
					break
				}
			}
			if b.kind == blockIndex && err == nil {
				offset = b.end()
				if whole = r.file.size-offset == trailer; whole {
					r.damage.add(Damage{Offset: offset, Size: trailer, Content: heldTrailer,
						Why: "it has a wrong checksum"})
				}
				break
			}
			r.blocks = append(r.blocks, b) // a wrong payload is detected when the block is read
			offset = b.end()
			continue
		}
		next, found := r.file.findBlock(offset+1, end)
		if !found && !whole {
			break
		}
		if !found {
			next = end
		}
		r.damage.add(Damage{Offset: offset, Size: next - offset, Why: err.Error()})
		offset = next
	}
	if whole {
		return
	}
	if r.file.hole > 0 {
		r.cut = &Cut{Why: fmt.Sprintf(
			"the trace was cut off: the last %d of its %d bytes begin with more than %d MiB of zeros. "+
				"mtrace does not search for data after so many zeros, so calls may be missing",
			r.file.size-offset, r.file.size, longestHole>>20)}
		return
	}
	r.cut = &Cut{Why: fmt.Sprintf("the trace was cut off: the last %d of its %d bytes have no complete block, "+
		"and up to %v of calls before the cut may be missing", r.file.size-offset,
		r.file.size, flushEvery)}
}
