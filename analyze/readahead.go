package analyze

import "mtrace/collector/wire"

// A readAhead reads the blocks of a part on a goroutine of its own, a little ahead of who takes in their records.
type readAhead struct {
	full  chan []wire.Record // nil ends a block
	empty chan []wire.Record
}

// What is read ahead stays in a processor's second cache until it is taken in.
const (
	recordsAhead = 2048 // at a time
	timesAhead   = 4
)

// readAhead begins to read what the part needs of some streams, one after another. All of it must be taken.
func (p *part) readAhead(streams []int) *readAhead {
	a := &readAhead{full: make(chan []wire.Record, timesAhead), empty: make(chan []wire.Record, timesAhead)}
	if p.whole {
		return a // each stream is read as one
	}
	go func() {
		for range timesAhead {
			a.empty <- make([]wire.Record, 0, recordsAhead)
		}
		for _, stream := range streams {
			st := p.reader.Streams()[stream]
			for i := range p.blocks[stream] {
				if !p.needs(stream, i) {
					continue
				}
				piece := <-a.empty
				_ = p.reader.ReadBlock(st, i, func(records []wire.Record) error { // of the function, which has none
					if len(piece)+len(records) > cap(piece) {
						a.full <- piece
						piece = <-a.empty
					}
					piece = append(piece, records...)
					return nil
				})
				a.full <- piece
				a.full <- nil
			}
		}
	}()
	return a
}

// block gives the records of the next block to use.
func (a *readAhead) block(use func([]wire.Record)) {
	for piece := <-a.full; piece != nil; piece = <-a.full {
		use(piece)
		a.empty <- piece[:0]
	}
}

// needs says whether a block of a stream is to be read, and not only the records in it that last.
func (p *part) needs(stream, block int) bool {
	b, near := &p.blocks[stream][block], &p.near[p.reader.Streams()[stream].Process]
	return b.Last >= near.first && b.First <= near.last
}
