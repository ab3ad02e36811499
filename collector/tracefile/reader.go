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

// A Reader reads one trace file. Its methods may be called from several goroutines.
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

// Open opens the trace at path. The error is a *FormatError when the file is not a trace this version can read. A trace
// that was cut off, or damaged, is opened as far as it goes: see Cut and Damage.
func Open(path string) (*Reader, error) {
	if stat, err := os.Stat(path); err == nil && !stat.Mode().IsRegular() {
		// to open a pipe is to wait for who writes into it
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

// NewReader reads a trace of size bytes that is open. The name is for errors, which are those of Open.
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

// checkHeader checks the file's header. A wrong one is damage if there are blocks behind it, and an error otherwise.
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
		r.damage.add(Damage{Size: fileHeader, Held: heldHeader, Why: "its header has a wrong checksum"})
	case n == 0:
		return &FormatError{r.path, ErrNotTrace, "it is empty"}
	case !bytes.HasPrefix([]byte(fileMagic), h[:min(n, len(fileMagic))]):
		return &FormatError{r.path, ErrNotTrace, fmt.Sprintf("it starts with %q", h[:min(n, len(fileMagic))])}
	case n < fileHeader:
		return &FormatError{r.path, ErrDamaged, fmt.Sprintf("it ends after %d bytes, inside its header; record again", n)}
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

// hasBlocks says of a file whose header is wrong whether it is a trace even so: its first block is where it should be,
// or its magic is right and there is a block somewhere.
func hasBlocks(r *Reader, header []byte) bool {
	if _, err := r.file.headerAt(fileHeader, r.file.size); err == nil {
		return true
	}
	_, found := r.file.findBlock(fileHeader, r.file.size)
	return found && bytes.HasPrefix(header, []byte(fileMagic))
}

// readIndex reads the index at the end. Without one the trace was cut, or damaged; end is where its blocks end, if that
// is known.
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
		r.damage.add(Damage{Offset: at, Size: r.file.size - trailer - at, Held: held[blockIndex].words, Why: err.Error()})
	}
	return at, err
}

// Close closes the file.
func (r *Reader) Close() error { return r.close() }

// Size is the size of the file, in bytes.
func (r *Reader) Size() int64 { return r.file.size }

// Info says how the trace was made.
func (r *Reader) Info() Info { return r.info }

// Result says how the recording ended; false when the trace was cut before.
func (r *Reader) Result() (Result, bool) {
	if r.result == nil {
		return Result{}, false
	}
	return *r.result, true
}

// Recorded are the times of which there are records, as far as is known; empty is all.
func (r *Reader) Recorded() (list []Recorded) {
	if r.result != nil {
		return r.result.Recorded
	}
	for _, p := range r.processes { // the longest is the latest
		for _, e := range []*End{p.SoFar, p.End} {
			if e != nil && len(e.Recorded) >= len(list) {
				list = e.Recorded
			}
		}
	}
	return list
}

// Processes are the traced processes, by ProcessIndex.
func (r *Reader) Processes() []*Process { return r.processes }

// Streams are the streams of records, ordered by process and ring.
func (r *Reader) Streams() []Stream { return r.streams }

// readBatch is how many records Read passes on at a time: as many as stay in a processor's first cache until they were
// looked at.
const readBatch = 512

// Read calls fn with the stream's records in ring order, in batches whose slice is used again for the next. Records of
// blocks that cannot be read are left out, and Damage says so. The error is fn's.
//
// Behind what is left out comes a record that says which thread has the ring there, when that is known; when it is not,
// what follows up to the next one that says so is left out too.
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

// readRecords gives fn the records of a block. It says whether some could not be decoded; the error is fn's.
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
	} else if left > 0 && r.Repaired() == nil { // it says so already
		r.damage.note(b, uint64(b.count)-left, errOwner)
	}
	return damage != nil, nil
}

// gapBefore says whether records before a block of a stream were in a part of the file, or a part of the trace, that is
// not there any more.
func (r *Reader) gapBefore(s Stream, i int) bool {
	next := uint64(0)
	if i > 0 {
		next = r.blocks[s.blocks[i-1]].next()
	}
	return r.blocks[s.blocks[i]].position > next && (i == 0 || r.processes[s.Process].rings.lost || r.Repaired() != nil)
}
