package tracefile

import (
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"mtrace/collector/wire"
)

// A Repair describes a file that contains the intact part of another file, which was damaged or cut.
type Repair struct {
	// descriptions of the parts that were left out, as far as known; one line each
	Lines  []string `json:"lines"`
	Cut    *Cut     `json:"cut,omitempty"` // of the other file
	Wholly bool     `json:"wholly"`        // the content of all missing parts is known

	Ownerless bool `json:"ownerless,omitempty"` // the thread of some records is no longer known

	// lost records of processes of which nothing else is known; other lost records are counted in their streams
	Records uint64 `json:"records,omitempty"`
}

// mostLines bounds the lines of a repair.
const mostLines = 1000

// Repaired returns the repair from which the file results; nil for an original file.
func (r *Reader) Repaired() *Repair {
	if r.result == nil {
		return nil
	}
	return r.result.Repaired
}

// Repair writes the intact part of the trace, with an index and an end. The returned Repair, which is also stored in
// the file, describes the parts that were left out; it is nil if there are none.
func (r *Reader) Repair(to io.Writer) (*Repair, error) {
	t := readers.Get().(*readTools)
	defer readers.Put(t)
	for _, s := range r.streams {
		if r.processes[s.Process].rings.lost {
			_ = r.Read(s, func([]wire.Record) error { return nil }) // finds the records whose thread is not known
		}
	}
	var result Result
	if r.result != nil {
		result = *r.result
	}
	offset := int64(0)
	var blocks []block
	write := func(parts ...[]byte) error {
		for _, part := range parts {
			n, err := to.Write(part)
			offset += int64(n)
			if err != nil {
				return fmt.Errorf("write the repaired trace: %w", err)
			}
		}
		return nil
	}
	if err := write(appendFileHeader(nil)); err != nil {
		return nil, err
	}
	for i := range r.blocks {
		b, stored := wholeBlock(r, i, t)
		if stored == nil || b.kind == blockResult || b.kind == blockIndex {
			continue
		}
		b.offset = offset
		if err := write(b.appendHeader(nil), stored); err != nil {
			return nil, err
		}
		blocks = append(blocks, b)
	}
	result.Repaired = describeRepair(r, result.Repaired)
	add := func(t tailBlock) error {
		t.offset = offset
		blocks = append(blocks, t.block)
		return write(t.header, t.stored)
	}
	for i, p := range r.processes {
		if soFar, needed := countedAtLeast(r, ProcessIndex(i), p); needed {
			if err := add(jsonBlock(block{kind: blockSoFar, process: ProcessIndex(i)}, soFar)); err != nil {
				return nil, err
			}
		}
	}
	if err := add(jsonBlock(block{kind: blockResult}, result)); err != nil {
		return nil, err
	}
	index := offset
	if err := add(payloadBlock(block{kind: blockIndex}, indexOf(blocks))); err != nil {
		return nil, err
	}
	return result.Repaired, write(appendTrailer(nil, index))
}

// countedAtLeast returns the minimum counters of a process without an end record. If its last blocks were left out,
// nothing else has the counters.
func countedAtLeast(r *Reader, index ProcessIndex, p *Process) (soFar End, needed bool) {
	lost := func(d Damage) bool { return d.Of && d.Process == index && d.Records > 0 }
	if p.End != nil || !p.known || !slices.ContainsFunc(r.Damage(), lost) {
		return soFar, false
	}
	if p.SoFar != nil {
		soFar = *p.SoFar
		soFar.Rings = slices.Clone(soFar.Rings)
	}
	for _, s := range r.streams {
		if s.Process != index || len(s.blocks) == 0 {
			continue
		}
		written := r.blocks[s.blocks[len(s.blocks)-1]].next()
		at := slices.IndexFunc(soFar.Rings, func(e RingEnd) bool { return e.Ring == s.Ring })
		if at < 0 {
			at = len(soFar.Rings)
			soFar.Rings = append(soFar.Rings, RingEnd{Ring: s.Ring})
		}
		if soFar.Rings[at].Head < written {
			soFar.Rings[at].Head, needed = written, true
		}
	}
	return soFar, needed
}

// wholeBlock returns a block in its stored form, if all of it is readable and usable; otherwise it notes the damage and
// returns nil.
func wholeBlock(r *Reader, i int, t *readTools) (b block, stored []byte) {
	want := &r.blocks[i]
	payload, err := r.file.read(want, t)
	if err == nil && want.kind == blockRecords {
		if p := r.process(want.process); p == nil || p.Unusable != "" || !p.known {
			return b, nil // noted when the streams were built
		}
		if t.whole, err = t.decoder.decode(t.whole[:0], payload, int(want.count)); err != nil {
			err = fmt.Errorf("the block at byte %d cannot be decoded: %w", want.offset, err)
		}
	}
	if err != nil {
		r.damage.note(want, 0, err)
		return b, nil
	}
	b, err = r.file.headerAt(want.offset, r.file.size)
	if err == nil {
		stored, err = r.file.stored(&b, t)
	}
	if err != nil || crc32.Checksum(stored, castagnoli) != b.payloadCRC {
		return b, nil
	}
	return b, append([]byte{}, stored...)
}

// describeRepair returns the description that the repaired file contains.
func describeRepair(r *Reader, before *Repair) *Repair {
	now := &Repair{Wholly: true}
	if before != nil {
		*now = *before
	}
	some := before != nil
	now.Cut = r.cut
	for _, p := range r.processes {
		now.Ownerless = now.Ownerless || p.rings.lost
	}
	for _, d := range r.Damage() {
		some = some || !d.Remade()
		now.Wholly = now.Wholly && !d.Unknown()
		if d.Of && int(d.Process) < len(r.processes) && !r.processes[d.Process].known {
			now.Records += d.Records
		}
		if len(now.Lines) < mostLines && !d.Remade() {
			now.Lines = append(now.Lines, r.Text(d))
		}
	}
	if !some && now.Cut == nil {
		return nil
	}
	return now
}
