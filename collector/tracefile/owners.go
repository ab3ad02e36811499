package tracefile

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"

	"mtrace/collector/wire"
)

// An owner states from which position on the records of a ring belong to a thread. The thread's first record in the
// ring has the same information, but if its block is damaged, the following records would be attributed to the previous
// thread; so owners are also stored in a block of their own. Layout, in bytes: ring 0–1, zero 2–7, position 8–15, the
// system's thread id 16–23.
type owner struct {
	ring     uint16
	position uint64
	thread   uint64
}

const ownerSize = 24

func appendOwner(b []byte, o owner) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(o.ring))
	b = binary.LittleEndian.AppendUint64(b, o.position)
	return binary.LittleEndian.AppendUint64(b, o.thread)
}

func (p *Process) readOwners(payload []byte) error {
	if len(payload)%ownerSize != 0 {
		return errors.New("a part of an owner of a ring")
	}
	for ; len(payload) > 0; payload = payload[ownerSize:] {
		u64 := binary.LittleEndian.Uint64
		p.rings.owners = append(p.rings.owners, owner{uint16(u64(payload)), u64(payload[8:]), u64(payload[16:])})
	}
	return nil
}

// addOwners appends the owners that thread-start records of a ring name; position is the position of the first record.
func (p *processWriter) addOwners(ring uint16, position uint64, records []wire.Record) {
	for i := range records {
		if records[i].Call != wire.CallThreadStart {
			continue
		}
		p.mutex.Lock()
		p.owners = appendOwner(p.owners, owner{ring, position + uint64(i), records[i].Arg})
		if len(p.owners) >= factsPerBlock {
			p.flushLocked()
		}
		p.mutex.Unlock()
	}
}

func (o owner) compare(other owner) int {
	return cmp.Or(cmp.Compare(o.ring, other.ring), cmp.Compare(o.position, other.position))
}

// sortOwners sorts the owners, and records whether some of them are lost.
func sortOwners(r *Reader, index ProcessIndex, p *Process) {
	slices.SortStableFunc(p.rings.owners, owner.compare)
	repaired := r.Repaired()
	p.rings.lost = repaired != nil && repaired.Ownerless || slices.ContainsFunc(r.damage.list, func(d Damage) bool {
		return d.Unknown() || d.Of && d.Process == index && d.Held == held[blockOwners].words
	})
}

// owner returns the thread that has a ring at a position; 0 if it is not known.
func (p *Process) owner(ring uint16, position uint64) uint64 {
	at, exactly := slices.BinarySearchFunc(p.rings.owners, owner{ring: ring, position: position}, owner.compare)
	if exactly {
		at++
	}
	if at == 0 || p.rings.owners[at-1].ring != ring {
		return 0
	}
	return p.rings.owners[at-1].thread
}

// A ringOwners has the owners of a process's rings, by ring and position.
type ringOwners struct {
	owners []owner
	lost   bool // some are damaged
}

// A holder tracks which thread has a ring while its stream is read.
type holder struct {
	process *Process
	ring    uint16
	thread  uint64 // the thread that has the ring; followed only if some owners are lost
	nobody  bool   // the thread is not known
}

// behindHole returns a record that names the thread which has the ring after lost records; ok is false if none is
// needed. In a trace without owner blocks, from an older version, the previous thread continues.
func (h *holder) behindHole(b *block) (says wire.Record, ok bool) {
	p := h.process
	if !p.rings.lost {
		thread := p.owner(h.ring, b.position)
		return wire.Record{Begin: b.first, End: b.first, Arg: thread, Call: wire.CallThreadStart}, thread != 0
	}
	h.nobody = true
	if last := p.Last(); last != nil && h.thread != 0 {
		h.nobody = !slices.ContainsFunc(last.Rings, func(e RingEnd) bool { return e.Ring == h.ring && e.Thread == h.thread })
	}
	return says, false
}

// leave removes the records whose thread is not known, and counts them.
func (h *holder) leave(records []wire.Record) (known []wire.Record, left int) {
	if !h.process.rings.lost {
		return records, 0
	}
	for i := range records {
		if records[i].Call != wire.CallThreadStart {
			continue
		}
		if h.nobody {
			h.nobody, known, left = false, records[i:], i
		}
		h.thread = records[i].Arg
	}
	switch {
	case h.nobody:
		return nil, len(records)
	case left > 0:
		return known, left
	}
	return records, 0
}

var errOwner = errors.New("the trace no longer shows which thread they belong to")
