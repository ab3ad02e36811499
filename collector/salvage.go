package collector

import (
	"cmp"

	"mtrace/collector/wire"
)

// salvage reads every record that a process left in its rings when it ended and that did not arrive over the socket.
// No thread writes any more, so it ignores the drainer's claim on a ring and also reads released slots. Only the
// slots that a thread was writing when it died are not used. An error in one thread's ring buffer does not affect the
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
// on cannot have been overwritten. Before tail, the slots of one whole ring are intact, except for the few that the
// thread may have been writing when it died.
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
