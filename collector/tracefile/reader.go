package tracefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"mtrace/collector/wire"
)

// A Reader reads one trace file. Several goroutines may use it at once.
type Reader struct {
	path      string
	file      blockFile
	close     func() error
	blocks    []block
	cut       *Cut // nil when the trace has an end
	info      Info
	result    *Result
	processes []*Process
	streams   []Stream
	damage    damageList
}

// Open opens the trace at path. A cut or damaged trace is opened as far as it is readable: see Cut and Damage. The
// error is a *FormatError if the file is no trace or has a newer version.
func Open(path string) (*Reader, error) {
	if stat, err := os.Stat(path); err == nil && !stat.Mode().IsRegular() {
		// opening a pipe would wait for a writer
		return nil, &FormatError{path, ErrNotTrace, "not a regular file; name the file that mtrace run -o wrote"}
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open the trace: %w", err)
	}
	stat, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	r, err := NewReader(path, file, stat.Size())
	if err != nil {
		file.Close()
		return nil, err
	}
	r.close = file.Close
	return r, nil
}

// NewReader reads a trace of size bytes from an open file. Errors refer to the file by name. It returns the same
// errors as Open.
func NewReader(name string, file io.ReaderAt, size int64) (*Reader, error) {
	r := &Reader{path: name, file: blockFile{from: file, size: size}, close: func() error { return nil }}
	if err := checkHeader(r); err != nil {
		return nil, err
	}
	if end, err := readIndex(r); err != nil {
		scanBlocks(r, end)
	}
	readProcesses(r)
	findCut(r)
	makeStreams(r)
	return r, nil
}

// checkHeader checks the header of the file. If the header is invalid but the file contains blocks, it only notes
// damage. Otherwise the file is no trace, and checkHeader returns an error.
func checkHeader(r *Reader) error {
	var h [fileHeader]byte
	n, err := r.file.from.ReadAt(h[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the trace: %w", err)
	}
	version := binary.LittleEndian.Uint32(h[8:])
	right := fileVersion(h[:n]) > 0
	switch {
	case !right && hasBlocks(r, h[:n]):
		r.damage.add(Damage{Size: fileHeader, Content: heldHeader, Why: "its header has a wrong checksum"})
	case n == 0:
		return &FormatError{r.path, ErrNotTrace, "it is empty"}
	case !bytes.HasPrefix([]byte(fileMagic), h[:min(n, len(fileMagic))]):
		return &FormatError{r.path, ErrNotTrace, fmt.Sprintf("it starts with %q", h[:min(n, len(fileMagic))])}
	case n < fileHeader:
		return &FormatError{r.path, ErrDamaged, fmt.Sprintf("it ends after %d bytes, inside its header; record again",
			n)}
	case version > Version:
		return &FormatError{r.path, ErrVersion,
			fmt.Sprintf("format version %d, this mtrace reads up to %d; use the mtrace that recorded it or a newer one",
				version, Version)}
	case !right:
		return &FormatError{r.path, ErrDamaged,
			"its header has a wrong checksum; copy it again from where it was recorded, or record again"}
	}
	return nil
}

// hasBlocks reports whether a file with an invalid header is still a trace: either its first block is where it must
// be, or the file's magic bytes are right and a block can be found.
func hasBlocks(r *Reader, header []byte) bool {
	if _, err := r.file.headerAt(fileHeader, r.file.size); err == nil {
		return true
	}
	_, found := r.file.findBlock(fileHeader, r.file.size)
	return found && bytes.HasPrefix(header, []byte(fileMagic))
}

// readIndex reads the index at the end of the file into r.blocks. An error means that the trace was cut or its index
// is damaged. The result end then is the offset at which the blocks end, or 0 if that is not known.
func readIndex(r *Reader) (end int64, err error) {
	var t [trailer]byte
	if r.file.size < fileHeader+blockHeader+trailer {
		return 0, errIndex
	}
	if _, err := r.file.from.ReadAt(t[:], r.file.size-trailer); err != nil {
		return 0, errIndex
	}
	at, ok := parseTrailer(t[:])
	if !ok || at > r.file.size-trailer-blockHeader {
		return 0, errIndex
	}
	b, err := r.file.headerAt(at, r.file.size-trailer)
	if err == nil && (b.kind != blockIndex || b.end() != r.file.size-trailer || int64(b.raw) > at) {
		err = errIndex
	}
	var payload []byte
	if err == nil {
		t := readers.Get().(*readTools)
		defer readers.Put(t)
		payload, err = r.file.payload(&b, t)
	}
	if err == nil {
		r.blocks, err = parseIndex(payload, at)
	}
	if err != nil {
		r.damage.add(Damage{Offset: at, Size: r.file.size - trailer - at, Content: contentOf[blockIndex].words,
			Why: err.Error()})
	}
	return at, err
}

// Close closes the file.
func (r *Reader) Close() error { return r.close() }

// Cut describes where the trace was cut off, or returns nil if the trace has an end. A trace with an end can still be
// damaged: see Damage.
func (r *Reader) Cut() *Cut { return r.cut }

// Truncated reports whether the trace was cut off, and describes for the user, in one line, what is missing.
func (r *Reader) Truncated() (bool, string) {
	if r.cut == nil {
		return false, ""
	}
	return true, r.cut.Why
}

// Size is the size of the file, in bytes.
func (r *Reader) Size() int64 { return r.file.size }

// Info describes how the trace was made.
func (r *Reader) Info() Info { return r.info }

// Result describes how the recording ended. It returns false if the trace is cut off and lacks the result.
func (r *Reader) Result() (Result, bool) {
	if r.result == nil {
		return Result{}, false
	}
	return *r.result, true
}

// Recorded returns the time ranges whose records are in the trace; an empty list means the whole recording. A cut
// trace lacks the final list: Recorded then returns the latest list that was written during the recording.
func (r *Reader) Recorded() (list []Recorded) {
	if r.result != nil {
		return r.result.Recorded
	}
	for _, p := range r.processes { // the longest list is the latest
		for _, e := range []*End{p.SoFar, p.End} {
			if e != nil && len(e.Recorded) >= len(list) {
				list = e.Recorded
			}
		}
	}
	return list
}

// Processes returns the traced processes. The position of a process in the list is its ProcessIndex.
func (r *Reader) Processes() []*Process { return r.processes }

// Streams returns the streams of the trace: each has the records of one ring buffer of a process. They are ordered by
// process and ring.
func (r *Reader) Streams() []Stream { return r.streams }

// readBatch is the number of records that Read passes to its caller at a time. A larger batch would not stay in the
// processor's first-level cache until the caller uses it.
const readBatch = 512

// Read calls fn with the stream's records, ordered by ring position, in batches; the slice is reused for the next
// batch. It leaves out records that cannot be read, and Damage lists them. It returns the error of fn.
//
// After lost records Read inserts a ThreadStart record with the thread to which the ring belongs. If the trace does
// not say which thread that is, Read also leaves out the following records, up to the next ThreadStart.
func (r *Reader) Read(s Stream, fn func([]wire.Record) error) error {
	return r.readBlocks(s, 0, len(s.blocks), nil, fn)
}

func (r *Reader) readBlocks(s Stream, from, to int, room func() []wire.Record, fn func([]wire.Record) error) error {
	t := readers.Get().(*readTools)
	defer readers.Put(t)
	if room == nil {
		room = func() []wire.Record { return t.records[:] }
	}
	h := holder{process: r.processes[s.Process], ring: s.Ring}
	hole := false
	for i := from; i < to; i++ {
		b := &r.blocks[s.blocks[i]]
		hole = hole || r.gapBefore(s, i)
		if i == from {
			hole = hole || i > 0 && r.damage.isHole(&r.blocks[s.blocks[i-1]])
			h.thread = h.process.owner(s.Ring, b.position)
		}
		payload, err := r.file.read(b, t)
		if err != nil {
			r.damage.note(b, 0, err)
			hole = true
			continue
		}
		if hole {
			if says, ok := h.behindHole(b); ok {
				if err := fn([]wire.Record{says}); err != nil {
					return err
				}
			}
		}
		if hole, err = r.readRecords(b, payload, t, &h, room, fn); err != nil {
			return err
		}
	}
	return nil
}

// readRecords passes the records of block b to fn, in slices that room provides. It leaves out records whose thread is
// unknown to h. hole is true if some records could not be decoded; they are noted as damage. err is the error of fn.
func (r *Reader) readRecords(b *block, payload []byte, t *readTools, h *holder, room func() []wire.Record,
	fn func([]wire.Record) error) (hole bool, err error) {
	damage := t.decoder.begin(payload, int(b.count))
	done, left := uint64(0), uint64(0)
	for n := 1; n > 0 && damage == nil; {
		to := room()
		if n, damage = t.decoder.next(to); n > 0 && damage == nil {
			records, without := h.leave(to[:n])
			left += uint64(without)
			if len(records) > 0 {
				if err := fn(records); err != nil {
					return false, err
				}
			}
			done += uint64(n)
		}
	}
	if damage != nil {
		r.damage.note(b, done-left, fmt.Errorf("the block at byte %d cannot be decoded: %w", b.offset, damage))
	} else if left > 0 && r.Repaired() == nil { // a repaired trace reports these records in its Repair already
		r.damage.note(b, uint64(b.count)-left, errOwner)
	}
	return damage != nil, nil
}

// gapBefore reports whether records are missing between block i of a stream and the block before it. The missing
// records may include the one that says that the ring buffer passed to another thread. So the thread of the records
// after the gap is unknown.
func (r *Reader) gapBefore(s Stream, i int) bool {
	next := uint64(0)
	if i > 0 {
		next = r.blocks[s.blocks[i-1]].next()
	}
	return r.blocks[s.blocks[i]].position > next && (i == 0 || r.processes[s.Process].rings.lost || r.Repaired() != nil)
}
