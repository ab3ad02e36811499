package collector

import (
	"cmp"

	"mtrace/collector/wire"
)

// salvage reads the records that a process that is gone left in its rings: everything that was published and did not
// arrive over the socket. No thread writes any more, so claims are void, and even released slots are intact, except for
// the slot that the thread was writing when it died. An error in one ring does not affect the others.
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
	from := max(r.records.next, oldest(head, shared.Tail()))
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

// oldest returns the first position whose slot still has its record, in the ring of a thread that is gone. Slots from
// the released position on cannot have been overwritten. Before it, a whole ring is intact, except for the slots that
// the thread may have been writing.
func oldest(head, tail uint64) uint64 {
	whole := head - min(head, wire.RecordsPerRing)
	return max(whole, min(tail, head-min(head, wire.RecordsPerRing-recordsAtOnce)))
}

// salvageFacts reads from the position where the socket's data ended, if that is still in the ring, or else from the
// beginning of a fact.
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
