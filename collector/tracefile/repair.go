package tracefile

import (
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"mtrace/collector/wire"
)

// A Repair describes how this file was made from a damaged or incomplete trace, and which parts of that trace this
// file lacks.
type Repair struct {
	// one line for each part that was left out
	Lines  []string `json:"lines"`
	Cut    *Cut     `json:"cut,omitempty"` // where the damaged file was cut off; nil if it has an end
	Wholly bool     `json:"wholly"`        // the content of all missing parts is known

	Ownerless bool `json:"ownerless,omitempty"` // the thread of some records is no longer known

	// lost records of processes of which the trace contains nothing else; other lost records are counted by their
	// streams
	Records uint64 `json:"records,omitempty"`
}

// mostLines is the maximum number of lines in which a repair describes lost parts.
const mostLines = 1000

// Repaired returns how this file was made from a damaged trace, or nil if the recorder itself wrote it.
func (r *Reader) Repaired() *Repair {
	if r.result == nil {
		return nil
	}
	return r.result.Repaired
}

// Repair writes a new trace from all readable blocks, with an index and an end. The returned Repair says what was
// left out; it is also stored in the new file. It is nil if nothing was left out.
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

// countedAtLeast returns lower bounds of the counters of a process whose end is not in the trace, computed from its
// readable blocks. needed is true if records of the process were left out: the repaired file must then contain these
// counters, because nothing else would show the loss.
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

// wholeBlock returns block i and its stored bytes if all of it can be read and used. Otherwise it notes the damage
// and returns nil bytes.
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

// describeRepair returns the description of the repair that is stored in the repaired file. before describes an
// earlier repair of the same trace, or is nil.
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
