package analyze

import (
	"slices"

	"mtrace/collector/wire"
)

// A readAhead reads and decompresses blocks on its own goroutine, a little ahead of the goroutine that loads their
// records.
type readAhead struct {
	full  chan recordBatch   // to the loading goroutine; a batch without records ends a block
	empty chan []wire.Record // buffers that the loading goroutine returns for reuse
}

// A recordBatch has consecutive records of one block, passed from the reading to the loading goroutine.
type recordBatch struct {
	records []wire.Record
	room    []wire.Record // the buffer of records, to be returned through empty; nil if keptBlocks stores the records
}

// Sizes of the buffers between the reading and the loading goroutine. All buffers together fit into a processor's
// second-level cache, so records are still in the cache when they are loaded.
const (
	recordsAhead = 2048 // maximum number of records in a batch
	timesAhead   = 4    // number of batches
)

// readAhead starts to read the needed blocks of the given streams, one stream after another, on a goroutine. The
// caller must consume all blocks with block; otherwise the goroutine blocks forever.
func (p *part) readAhead(streams []int) *readAhead {
	a := &readAhead{full: make(chan recordBatch, timesAhead), empty: make(chan []wire.Record, timesAhead)}
	if p.whole {
		return a // a whole file is not read ahead
	}
	go func() {
		for range timesAhead {
			a.empty <- make([]wire.Record, recordsAhead)
		}
		for _, stream := range streams {
			for i := range p.blocks[stream] {
				if at := (blockName{stream, i}); p.needs(stream, i) {
					if p.keeps(at) || p.kept.find(at) != nil {
						a.readKept(p, at)
					} else {
						a.read(p, at)
					}
					a.full <- recordBatch{}
				}
			}
		}
	}()
	return a
}

// read reads a block from the file and sends its records in batches to the loading goroutine.
func (a *readAhead) read(p *part, at blockName) {
	var room []wire.Record
	next := func() []wire.Record {
		if room == nil {
			room = <-a.empty
		}
		return room
	}
	_ = p.reader.ReadBlockInto(p.reader.Streams()[at.stream], at.block, next, func(records []wire.Record) error {
		// the callback returns no error
		a.full <- recordBatch{records, room}
		room = nil
		return nil
	})
	if room != nil {
		a.empty <- room
	}
}

// readKept sends the records of a block that two consecutive slices (see EachSlice) both need. If the previous slice
// stored them, it sends those. Otherwise it reads the block and stores its records for the next slice.
func (a *readAhead) readKept(p *part, at blockName) {
	all := p.kept.find(at)
	if all != nil {
		for some := range slices.Chunk(all, recordsAhead) {
			a.full <- recordBatch{records: some}
		}
	} else {
		all = p.kept.room(int(p.blocks[at.stream][at.block].Records))
		next := func() []wire.Record {
			if cap(all)-len(all) < 2 {
				all = slices.Grow(all, recordsAhead)
			}
			return all[len(all):min(len(all)+recordsAhead, cap(all))]
		}
		_ = p.reader.ReadBlockInto(p.reader.Streams()[at.stream], at.block, next, func(records []wire.Record) error {
			// the callback returns no error
			n := len(all)
			if n < cap(all) && &all[:n+1][n] == &records[0] {
				all = all[:n+len(records)]
			} else {
				all = append(all, records...)
			}
			a.full <- recordBatch{records: all[n:]}
			return nil
		})
	}
	if p.keeps(at) {
		p.kept.keep(at, all)
	}
}

// block calls `use` with the records of the next block, batch by batch. `use` must not retain them, because their
// buffers are reused.
func (a *readAhead) block(use func([]wire.Record)) {
	for next := <-a.full; next.records != nil; next = <-a.full {
		use(next.records)
		if next.room != nil {
			a.empty <- next.room
		}
	}
}

// needs reports whether a block overlaps the time to load, so that all its records must be read. Of other blocks
// only the lasting records are loaded, those to which later records refer.
func (p *part) needs(stream, block int) bool {
	b, near := &p.blocks[stream][block], &p.near[p.reader.Streams()[stream].Process]
	return b.Last >= near.first && b.First <= near.last
}

// keeps reports whether to store the block's records for the next slice (see EachSlice): the next slice will read
// the block too, and there is room.
func (p *part) keeps(at blockName) bool {
	return p.again != nil && p.kept.hasRoom() &&
		p.blocks[at.stream][at.block].Last >= p.again[p.reader.Streams()[at.stream].Process]
}
