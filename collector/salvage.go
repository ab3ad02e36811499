package collector

import (
	"cmp"

	"mtrace/collector/wire"
)

// salvage reads the records that an ended process left in its rings and that did not arrive over the socket. No
// thread writes any more, so salvage ignores the drainer's claim on a ring and also reads released slots. It skips
// only the slots that a thread was writing when it died. An error in one thread's ring buffer does not affect the
// others.
func (reader *ringReader) salvage() error {
	var wrong []error
	err := guard(func() error {
		for i := range reader.shared.RingsUsed() {
			shared, r := reader.shared.Ring(i), reader.order.ring(uint16(i))
			r.watchLosses(shared, limit{reader.trace, reader.order.possible()})
			wrong = append(wrong, reader.salvageFacts(r, shared), reader.salvageRecords(r, shared))
		}
		return nil
	})
	return cmp.Or(append(wrong, err)...)
}

func (reader *ringReader) salvageRecords(r *ring, shared wire.Ring) error {
	head := shared.Head()
	if err := reader.order.checkPosition(r, head); err != nil {
		return err
	}
	tail := shared.Tail()
	from := max(r.records.next, oldest(head, tail), min(tail, shared.Intact(head)))
	copy := copies.Get().(*copied)
	defer copies.Put(copy)
	for from < head {
		to := min(from+takeAtOnce, head)
		if err := reader.order.joinRecords(r, from, copy.takeRecords(shared, from, to)); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// oldest returns the first position of a dead thread's ring buffer whose slot still has its record. Records from tail
// on cannot have been overwritten. Older records are intact within one length of the ring before head, except for the
// few slots that the thread may have been writing when it died.
func oldest(head, tail uint64) uint64 {
	whole := head - min(head, wire.RecordsPerRing)
	return max(whole, min(tail, head-min(head, wire.RecordsPerRing-recordsAtOnce)))
}

// salvageFacts reads the facts (names and other data of variable size) that the socket did not deliver. It starts
// where the socket's data ended; if the ring buffer has overwritten that position, it starts at the tail, because a
// fact begins there.
func (reader *ringReader) salvageFacts(r *ring, shared wire.Ring) error {
	head, tail := shared.FactsHead(), shared.FactsTail()
	from := r.facts.next
	if from >= head {
		return nil
	}
	if head-from > wire.FactsPerRing-maxFact {
		from = tail
	}
	if err := checkHead(r.index, head, from, wire.FactsPerRing); err != nil || head > farthest {
		return err
	}
	copy := copies.Get().(*copied)
	defer copies.Put(copy)
	return reader.order.joinFacts(r, from, copy.takeFacts(shared, from, head))
}
