package wiretest

import (
	"io"

	"mtrace/collector/wire"
)

// recordsPerFrame keeps a frame small enough for the socket's buffer, so that slots are released soon.
const recordsPerFrame = 4096

// DrainRing moves what is in a ring into frames written to w, as the drainer in a traced process does: with the claim,
// and giving the slots back only after the frame is written whole. It reports how many records and bytes of facts it
// moved.
func DrainRing(w io.Writer, index uint16, r wire.Ring) (records, facts uint64, err error) {
	if r.Head() == r.Tail() && r.FactsHead() == r.FactsTail() || !r.TryClaim(wire.ClaimDrainer) {
		return 0, 0, nil
	}
	defer r.Unclaim()
	if from, to := r.FactsTail(), r.FactsHead(); from != to {
		a, b := r.FactBytes(from, to)
		if err = writeFrame(w, wire.FrameHeader{Kind: wire.FrameFacts, Ring: index, Position: from}, a, b); err != nil {
			return records, facts, err
		}
		r.SetFactsTail(to)
		facts = to - from
	}
	for from, head := r.Tail(), r.Head(); from != head; from = r.Tail() {
		to := min(from+recordsPerFrame, head)
		a, b := r.Slots(from, to)
		if err = writeFrame(w, wire.FrameHeader{Kind: wire.FrameRecords, Ring: index, Position: from}, a, b); err != nil {
			return records, facts, err
		}
		r.SetTail(to)
		records += to - from
	}
	return records, facts, nil
}

// writeFrame writes in pieces, so that a kill finds the frame half written more often.
func writeFrame(w io.Writer, h wire.FrameHeader, pieces ...[]byte) error {
	for _, p := range pieces {
		h.Length += uint32(len(p))
	}
	pieces = append([][]byte{wire.AppendFrameHeader(nil, h)}, pieces...)
	for _, p := range pieces {
		if _, err := w.Write(p); err != nil {
			return err
		}
	}
	return nil
}
