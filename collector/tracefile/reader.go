package tracefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"sync"

	"mtrace/collector/wire"
)

// A Reader reads one trace file. Its methods may be called from several goroutines.
type Reader struct {
	path      string
	file      io.ReaderAt
	close     func() error
	size      int64
	blocks    []block
	cut       string // why the trace is not whole; empty when it is
	info      Info
	result    *Result
	processes []*Process
	streams   []Stream
}

// Open opens the trace at path. The error is a *FormatError when the file is not a trace this version can read. A trace that
// was cut off is opened as far as it goes.
func Open(path string) (*Reader, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open the trace: %w", err)
	}
	stat, err := file.Stat()
	if err == nil && !stat.Mode().IsRegular() {
		err = &FormatError{path, ErrNotTrace, "not a regular file; name the file that mtrace run -o wrote"}
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	r, err := newReader(path, file, stat.Size())
	if err != nil {
		file.Close()
		return nil, err
	}
	r.close = file.Close
	return r, nil
}

func newReader(path string, file io.ReaderAt, size int64) (*Reader, error) {
	r := &Reader{path: path, file: file, size: size, close: func() error { return nil }}
	if err := r.checkHeader(); err != nil {
		return nil, err
	}
	err := r.readIndex()
	if err != nil {
		if err = r.scan(); err != nil {
			return nil, err
		}
	}
	if err := r.readProcesses(); err != nil {
		return nil, err
	}
	r.makeStreams()
	return r, nil
}

func (r *Reader) damaged(format string, args ...any) error {
	return &FormatError{r.path, ErrDamaged, fmt.Sprintf(format, args...) + "; copy it again from where it was recorded, or record again"}
}

func (r *Reader) checkHeader() error {
	var h [fileHeader]byte
	n, err := r.file.ReadAt(h[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the trace: %w", err)
	}
	version := binary.LittleEndian.Uint32(h[8:])
	switch {
	case n == 0:
		return &FormatError{r.path, ErrNotTrace, "it is empty"}
	case !bytes.HasPrefix([]byte(fileMagic), h[:min(n, len(fileMagic))]):
		return &FormatError{r.path, ErrNotTrace, fmt.Sprintf("it starts with %q", h[:min(n, len(fileMagic))])}
	case n < fileHeader:
		return &FormatError{r.path, ErrDamaged, fmt.Sprintf("it ends after %d bytes, inside its header; record again", n)}
	case version > Version:
		return &FormatError{r.path, ErrVersion, fmt.Sprintf("format version %d, this mtrace reads up to %d; use the mtrace that recorded it or a newer one", version, Version)}
	case version == 0 || binary.LittleEndian.Uint32(h[12:]) != crc32.Checksum(h[:12], castagnoli):
		return r.damaged("its header has a wrong checksum")
	}
	return nil
}

// readIndex reads the index at the end. Without one the trace was cut.
func (r *Reader) readIndex() error {
	var t [trailer]byte
	if r.size < fileHeader+blockHeader+trailer {
		return errIndex
	}
	if _, err := r.file.ReadAt(t[:], r.size-trailer); err != nil {
		return errIndex
	}
	at, ok := parseTrailer(t[:])
	if !ok || at > r.size-trailer-blockHeader {
		return errIndex
	}
	var h [blockHeader]byte
	if _, err := r.file.ReadAt(h[:], at); err != nil {
		return errIndex
	}
	b, err := parseHeader(h[:], at)
	if err != nil || b.kind != blockIndex || b.end() != r.size-trailer || int64(b.raw) > at {
		return errIndex
	}
	payload, err := r.payload(&b, &readTools{})
	if err != nil {
		return errIndex
	}
	r.blocks, err = parseIndex(payload, at)
	return err
}

// scan finds the blocks of a file that has no index, up to the first that is not whole. When a whole one follows later, the
// file is not cut but damaged.
func (r *Reader) scan() error {
	var t readTools
	offset := int64(fileHeader)
	for offset < r.size {
		b, err := r.blockAt(offset, &t)
		if err != nil {
			if at, found := r.findBlock(offset + 1); found {
				return r.damaged("%v, but one begins at byte %d", err, at)
			}
			break
		}
		if b.kind == blockIndex { // only what stands behind it is missing
			offset = b.end()
			break
		}
		r.blocks = append(r.blocks, b)
		offset = b.end()
	}
	r.cut = fmt.Sprintf("the trace was cut off: its last %d of %d bytes hold no whole block, and up to %v of calls before the cut may be missing", r.size-offset, r.size, flushEvery)
	return nil
}

// blockAt reads the block at an offset whole, to check it.
func (r *Reader) blockAt(offset int64, t *readTools) (block, error) {
	var h [blockHeader]byte
	if _, err := r.file.ReadAt(h[:], offset); err != nil {
		return block{}, fmt.Errorf("the block at byte %d is not whole", offset)
	}
	b, err := parseHeader(h[:], offset)
	if err != nil {
		return b, err
	}
	if b.end() > r.size {
		return b, fmt.Errorf("the block at byte %d is not whole", offset)
	}
	_, err = r.stored(&b, t)
	return b, err
}

// findBlock looks for a whole header of a block that fits into the file, from an offset on.
func (r *Reader) findBlock(offset int64) (int64, bool) {
	magic := binary.LittleEndian.AppendUint32(nil, blockMagic)
	buffer := make([]byte, min(1<<16, r.size-offset))
	for offset < r.size {
		n, err := r.file.ReadAt(buffer, offset)
		if n < blockHeader || err != nil && !errors.Is(err, io.EOF) {
			return 0, false
		}
		for i := 0; i+blockHeader <= n; i++ {
			j := bytes.Index(buffer[i:n], magic)
			if j < 0 || i+j+blockHeader > n {
				break
			}
			i += j
			if b, err := parseHeader(buffer[i:], offset+int64(i)); err == nil && b.end() <= r.size {
				return b.offset, true
			}
		}
		offset += int64(n - blockHeader + 1)
	}
	return 0, false
}

// readTools is the memory that reading blocks needs.
type readTools struct {
	in, out []byte
	records [readBatch]wire.Record
	decoder decoder
}

var readers = sync.Pool{New: func() any { return &readTools{} }}

// stored reads a block's payload as it is in the file, and checks it. It is valid until t is used again.
func (r *Reader) stored(b *block, t *readTools) ([]byte, error) {
	if cap(t.in) < int(b.stored) {
		t.in = make([]byte, b.stored)
	}
	in := t.in[:b.stored]
	if _, err := r.file.ReadAt(in, b.offset+blockHeader); err != nil {
		return nil, fmt.Errorf("the block at byte %d cannot be read: %w", b.offset, err)
	}
	if crc32.Checksum(in, castagnoli) != b.payloadCRC {
		return nil, fmt.Errorf("the block at byte %d has a wrong checksum", b.offset)
	}
	return in, nil
}

// payload reads a block whose header was read. It is valid until t is used again.
func (r *Reader) payload(b *block, t *readTools) ([]byte, error) {
	in, err := r.stored(b, t)
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

// read reads a block of the index: what the index says of it must be so.
func (r *Reader) read(want *block, t *readTools) ([]byte, error) {
	var h [blockHeader]byte
	if _, err := r.file.ReadAt(h[:], want.offset); err != nil {
		return nil, r.damaged("the block at byte %d cannot be read: %v", want.offset, err)
	}
	b, err := parseHeader(h[:], want.offset)
	if err != nil {
		return nil, r.damaged("%v", err)
	}
	if b.kind != want.kind || b.process != want.process || b.stored != want.stored || b.ring != want.ring || b.count != want.count || b.position != want.position {
		return nil, r.damaged("the block at byte %d is not what the index says", want.offset)
	}
	payload, err := r.payload(&b, t)
	if err != nil {
		return nil, r.damaged("%v", err)
	}
	return payload, nil
}

// Close closes the file.
func (r *Reader) Close() error { return r.close() }

// Size is the size of the file, in bytes.
func (r *Reader) Size() int64 { return r.size }

// Info says how the trace was made.
func (r *Reader) Info() Info { return r.info }

// Result says how the recording ended; false when the trace was cut before.
func (r *Reader) Result() (Result, bool) {
	if r.result == nil {
		return Result{}, false
	}
	return *r.result, true
}

// Truncated says whether the file is cut, and how much of it could not be read: one line.
func (r *Reader) Truncated() (bool, string) { return r.cut != "", r.cut }

// Processes are the traced processes, by ProcessIndex.
func (r *Reader) Processes() []*Process { return r.processes }

// Streams are the streams of records, ordered by process and ring.
func (r *Reader) Streams() []Stream { return r.streams }

// readBatch is how many records Read hands over at a time: as many as stay in a processor's first cache until they were looked at.
const readBatch = 512

// Read calls fn with the stream's records in ring order, in batches whose slice is used again for the next. The error is
// fn's, or a *FormatError; fn may have been given the first records of a block that then proves to be damaged.
func (r *Reader) Read(s Stream, fn func([]wire.Record) error) error {
	t := readers.Get().(*readTools)
	defer readers.Put(t)
	for _, i := range s.blocks {
		b := &r.blocks[i]
		payload, err := r.read(b, t)
		if err != nil {
			return err
		}
		err = t.decoder.begin(payload, int(b.count))
		for n := 1; n > 0 && err == nil; {
			if n, err = t.decoder.next(t.records[:]); n > 0 && err == nil {
				if err := fn(t.records[:n]); err != nil {
					return err
				}
			}
		}
		if err != nil {
			return r.damaged("the block at byte %d cannot be decoded: %v", b.offset, err)
		}
	}
	return nil
}
