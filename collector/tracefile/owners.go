package tracefile

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"

	"mtrace/collector/wire"
)

// An owner says which thread uses a ring buffer from a ring position on. A thread's first record in a ring says
// the same. But if the block with that record is damaged, later records would be attributed to the ring's
// previous thread. Therefore owners are also stored in separate blocks. Layout in bytes: ring 0–1, zero 2–7,
// position 8–15, the system's thread id 16–23.
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
		return errors.New("the list of ring owners ends inside an entry")
	}
	for ; len(payload) > 0; payload = payload[ownerSize:] {
		u64 := binary.LittleEndian.Uint64
		p.rings.owners = append(p.rings.owners, owner{uint16(u64(payload)), u64(payload[8:]), u64(payload[16:])})
	}
	return nil
}

// addOwners stores which threads took over the ring buffer, as stated by the ThreadStart records among `records`.
// position is the ring position of records[0].
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

// sortOwners sorts the owners of a process's ring buffers, and notes whether some are lost because their block is
// damaged.
func sortOwners(r *Reader, index ProcessIndex, p *Process) {
	slices.SortStableFunc(p.rings.owners, owner.compare)
	repaired := r.Repaired()
	p.rings.lost = repaired != nil && repaired.Ownerless || slices.ContainsFunc(r.damage.list, func(d Damage) bool {
		return d.Unknown() || d.Of && d.Process == index && d.Content == contentOf[blockOwners].words
	})
}

// owner returns the thread to which the record at a ring position belongs, or 0 if that is not known.
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

// A ringOwners has the owners of a process's ring buffers: which thread used which ring, and from which position
// on. They are sorted by ring and position.
type ringOwners struct {
	owners []owner
	lost   bool // some owners are missing, because their block is damaged
}

// A holder tracks which thread wrote the records of a ring buffer, while a Reader reads them in order.
type holder struct {
	process *Process
	ring    uint16
	thread  uint64 // the thread that took the ring last; known only if process.rings.lost
	nobody  bool   // the next records belong to an unknown thread, because records before them are lost
}

// behindHole returns a ThreadStart record that the reader inserts after lost records, so that the records from block b
// on are attributed to the right thread. ok is false if there is nothing to insert: the trace does not say which thread
// wrote these records. In a trace without owners (an older version), they are attributed to the thread before the hole.
// If some owners are lost, their thread counts as unknown, unless the thread before the hole was the ring's last one.
func (h *holder) behindHole(b *block) (says wire.Record, ok bool) {
	p := h.process
	if !p.rings.lost {
		thread := p.owner(h.ring, b.position)
		return wire.Record{Begin: b.first, End: b.first, Arg: thread, Call: wire.CallThreadStart}, thread != 0
	}
	h.nobody = true
	if last := p.Last(); last != nil && h.thread != 0 {
		h.nobody = !slices.ContainsFunc(last.Rings, func(e RingEnd) bool {
			return e.Ring == h.ring &&
				e.Thread == h.thread
		})
	}
	return says, false
}

// leave removes the records whose thread is unknown. It returns the others, and how many it removed.
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

var errOwner = errors.New("the trace no longer shows to which thread these records belong")
