package tracefile

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"mtrace/collector/wire"
)

// A Follower writes the text form of a trace (one JSON object per line) while the trace is still being recorded.
// Reading these lines gives the same trace.
type Follower struct {
	reader *Reader // used only to read blocks of the file
	out    *bufio.Writer
	lines  *json.Encoder
	offset int64
	began  bool
	of     map[ProcessIndex]*followed
	rings  map[streamKey]*recordText
	order  []streamKey // keys of rings, in the order of their first records
}

// A followed is a Follower's state for one process: its first line, and lines that must wait until the first line is
// written.
type followed struct {
	header processHeader
	said   bool
	held   bytes.Buffer // lines that wait until the process's first line is written
}

// Follow returns a Follower that reads a trace from file, which another process is still writing, and writes lines to
// w.
func Follow(file *os.File, w io.Writer) *Follower {
	return follow(file.Name(), file, w)
}

func follow(name string, file io.ReaderAt, w io.Writer) *Follower {
	out := bufio.NewWriterSize(w, 1<<16)
	f := &Follower{reader: &Reader{path: name, file: blockFile{from: file}}, out: out, lines: json.NewEncoder(out),
		of: map[ProcessIndex]*followed{}, rings: map[streamKey]*recordText{}}
	f.lines.SetEscapeHTML(false)
	return f
}

// Next writes the lines for all blocks that were added to the file since the last call. size is the file's current
// size. ended is true when the trace has ended. On an error all lines written before are correct.
func (f *Follower) Next(size int64) (ended bool, err error) {
	if size < f.offset {
		return false, &FormatError{f.reader.path, ErrDamaged, "the file became shorter while it was followed"}
	}
	f.reader.file.size = size
	if f.offset == 0 {
		if size < fileHeader {
			return false, nil
		}
		if err := checkHeader(f.reader); err != nil {
			return false, err
		}
		f.offset = fileHeader
	}
	t := readers.Get().(*readTools)
	defer readers.Put(t)
	for f.offset+blockHeader <= size && err == nil && !ended {
		ended, err = f.block(t, size)
		if errors.Is(err, errNotWhole) {
			err = nil
			break
		}
	}
	if unwritten := f.out.Flush(); unwritten != nil {
		return ended, unwritten // the lines could not be written; the block itself is fine
	}
	return ended, err
}

// errNotWhole is returned for a block that is not written completely yet; it is read at the next call of Next.
var errNotWhole = errors.New("not whole yet")

func (f *Follower) block(t *readTools, size int64) (ended bool, err error) {
	var h [blockHeader]byte
	if _, err := f.reader.file.from.ReadAt(h[:], f.offset); err != nil {
		return false, fmt.Errorf("read the trace: %w", err)
	}
	b, err := parseHeader(h[:], f.offset)
	if err != nil {
		return false, &FormatError{f.reader.path, ErrDamaged, err.Error()}
	}
	if b.end() > size {
		return false, errNotWhole
	}
	if b.kind == blockIndex {
		return true, f.finish()
	}
	payload, err := f.reader.file.payload(&b, t)
	if err == nil {
		err = f.say(&b, payload, t)
	}
	f.offset = b.end()
	if err != nil {
		err = &FormatError{f.reader.path, ErrDamaged, err.Error()}
	}
	return false, err
}

// say writes the lines for one block.
func (f *Follower) say(b *block, payload []byte, t *readTools) error {
	if b.kind == blockInfo {
		f.began = true
		var info Info
		if err := json.Unmarshal(payload, &info); err != nil {
			return err
		}
		return f.lines.Encode(textLine{Schema: TextSchema, Info: &info})
	}
	if !f.began {
		return errors.New("the first block does not describe the recording")
	}
	if b.kind == blockResult {
		var result Result
		if err := json.Unmarshal(payload, &result); err != nil {
			return err
		}
		return errors.Join(f.finish(), f.lines.Encode(textLine{Result: &result}))
	}
	p := f.of[b.process]
	if p == nil {
		if b.kind != blockProcess || int(b.process) != len(f.of) {
			return nil // a block of a later version, or of a process that never began
		}
		p = &followed{}
		f.of[b.process] = p
	}
	return f.sayOf(p, b, payload, t)
}

// sayOf writes the lines for a block of a process. The process's first line contains its clock. Until that is known,
// other lines wait in p.held.
func (f *Follower) sayOf(p *followed, b *block, payload []byte, t *readTools) error {
	index := b.process
	put := func(l textLine) error {
		l.Process = &index
		if p.said {
			return f.lines.Encode(l)
		}
		e := json.NewEncoder(&p.held)
		e.SetEscapeHTML(false)
		return e.Encode(l)
	}
	switch b.kind {
	case blockProcess:
		if p.said {
			return nil
		}
		if err := json.Unmarshal(payload, &p.header); err != nil || p.header.Clock == 0 {
			return err
		}
		return f.begin(index, p)
	case blockFacts:
		return sayFacts(payload, put)
	case blockSamples:
		for ; len(payload) >= 16; payload = payload[16:] {
			if err := put(textLine{Sample: &[2]int64{int64(binary.LittleEndian.Uint64(payload)),
				int64(binary.LittleEndian.Uint64(payload[8:]))}}); err != nil {
				return err
			}
		}
	case blockThreads:
		times, err := wire.DecodeThreadTimes(nil, payload)
		for _, x := range times {
			err = errors.Join(err, put(textLine{Thread: &[4]int64{int64(x.Thread), x.At, x.Ran, x.Waited}}))
		}
		return err
	case blockSoFar, blockEnd:
		var end *End
		if err := readEnd(payload, &end); err != nil {
			return err
		}
		if b.kind == blockSoFar {
			return put(textLine{SoFar: end})
		}
		return errors.Join(f.begin(index, p), f.flush(index), put(textLine{End: end}))
	case blockRecords:
		return errors.Join(f.begin(index, p), f.records(b, payload, t))
	}
	return nil
}

// begin writes the first line of a process, unless that was done before, and then the lines that waited for it.
func (f *Follower) begin(index ProcessIndex, p *followed) error {
	if p.said {
		return nil
	}
	p.said = true
	err := f.lines.Encode(textLine{Process: &index, Header: &p.header})
	_, heldErr := p.held.WriteTo(f.out)
	return errors.Join(err, heldErr)
}

// sayFacts passes a line for each fact (a name or other data of variable size) to put.
func sayFacts(payload []byte, put func(textLine) error) error {
	facts, err := wire.DecodeFacts(payload)
	if err != nil {
		return err
	}
	for _, fact := range facts {
		if err := fact.Check(); err != nil {
			return err
		}
		line := textLine{Fact: &textFact{Kind: fact.Kind, Key: fact.Key, Aux: fact.Aux, Text: fact.Text}}
		if fact.Kind == wire.FactStack {
			s, err := fact.Stack()
			if err != nil {
				return err
			}
			line = textLine{Stack: textOfStack(wire.StackID(fact.Key), s)}
		}
		if err := put(line); err != nil {
			return err
		}
	}
	return nil
}

func (f *Follower) records(b *block, payload []byte, t *readTools) (err error) {
	key := streamKey{b.process, b.ring}
	ring := f.rings[key]
	if ring == nil {
		ring = &recordText{out: f.out, process: b.process, ring: b.ring}
		f.rings[key] = ring
		f.order = append(f.order, key)
	}
	if t.whole, err = t.decoder.decode(t.whole[:0], payload, int(b.count)); err != nil {
		return err
	}
	return ring.add(b.position, t.whole)
}

// flush writes the last call of each ring buffer of a process. That call was held back, because its More record
// (further arguments, which go into the same line) could still have followed.
func (f *Follower) flush(index ProcessIndex) (err error) {
	for _, key := range f.order {
		if key.process == index {
			err = errors.Join(err, f.rings[key].flush())
		}
	}
	return err
}

// finish writes all lines that were held back, at the end of the trace.
func (f *Follower) finish() (err error) {
	for i := range len(f.of) {
		index := ProcessIndex(i)
		err = errors.Join(err, f.begin(index, f.of[index]), f.flush(index))
	}
	return err
}
