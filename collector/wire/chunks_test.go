package wire_test

import (
	"encoding/binary"
	"testing"

	"mtrace/collector/wire"
)

// Records are found where the thread's table of chunks points, across the borders of chunks. Records of chunks that
// were used again are not mistaken for older ones.
func TestChunks(t *testing.T) {
	const inChunk, chunks = uint64(wire.ChunkRecords), uint64(wire.ChunksPerRing)
	g, memory := newRegion(t)
	thread, _ := g.Thread(501, 10)
	header := memory[wire.PageSize:]
	place := func(n, chunk uint64) { // the positions of n are in a chunk
		header[wire.RingChunksOffset+n%chunks] = byte(chunk ^ n%chunks)
		for i := range inChunk {
			slot := header[wire.PageSize+(chunk*inChunk+i)*wire.RecordSize:]
			binary.LittleEndian.PutUint64(slot, n*inChunk+i)
		}
	}
	for n := range 2 * chunks { // three chunks in turn, as for a ring that is read often; at last one of its own
		place(n, n%3)
	}
	last := 2 * chunks
	place(last, 77)
	from, to := last*inChunk-inChunk-5, last*inChunk+9
	next := from
	for piece := range thread.Slots(from, to) {
		for ; len(piece) > 0; piece = piece[wire.RecordSize:] {
			if got := binary.LittleEndian.Uint64(piece); got != next {
				t.Fatalf("the record of position %d where %d belongs", got, next)
			}
			next++
		}
	}
	if next != to {
		t.Errorf("%d records, not %d", next-from, to-from)
	}
	for range thread.Slots(from, to) {
		break // a reader may stop
	}
	for _, c := range []struct {
		name       string
		head, want uint64
		table      func()
	}{
		{"the chunk after the last may have been chosen", to, (last - 1) * inChunk, func() { place(last+1, (last-2)%3) }},
		{"the last chunks used again", to, last * inChunk, func() { place(last+1, (last-1)%3) }},
		{"never one twice", 3*inChunk + 2, 0, func() { clear(header[wire.RingChunksOffset:][:chunks]) }},
		{"around the end", (chunks+3)*inChunk + 2, 5 * inChunk, func() {}},
	} {
		c.table()
		if got := thread.Intact(c.head); got != c.want {
			t.Errorf("%s: from position %d on, not %d", c.name, got, c.want)
		}
	}
}
