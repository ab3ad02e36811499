package analyze

import "mtrace/collector/wire"

// keptBlocks are the records of the blocks in which one slice of a run ends and the next begins, because to keep them
// takes less than to read them twice. One goroutine at a time uses them.
type keptBlocks struct {
	before, now map[blockName][]wire.Record // by the slice before, and by this one
	count       int                         // of records in now
	spare       [][]wire.Record
}

// A blockName is a stream of a file and a block of it, by their places.
type blockName struct{ stream, block int }

// mostKeptRecords bounds what is kept of one slice: 16 MB.
const mostKeptRecords = 1 << 19

func newKeptBlocks() *keptBlocks { return &keptBlocks{now: map[blockName][]wire.Record{}} }

// turn begins the next slice: what the one before the last has kept and the last has not is forgotten.
func (k *keptBlocks) turn() {
	for at, records := range k.before {
		if k.now[at] == nil {
			k.spare = append(k.spare, records[:0])
		}
	}
	k.before, k.now, k.count = k.now, map[blockName][]wire.Record{}, 0
}

// find is a block that was kept; nil when it was not.
func (k *keptBlocks) find(at blockName) []wire.Record {
	if records := k.now[at]; records != nil {
		return records
	}
	return k.before[at]
}

// hasRoom says whether more may be kept.
func (k *keptBlocks) hasRoom() bool { return k.count < mostKeptRecords }

// room is where to put a block of so many records.
func (k *keptBlocks) room(records int) []wire.Record {
	if n := len(k.spare); n > 0 {
		room := k.spare[n-1]
		k.spare = k.spare[:n-1]
		return room
	}
	return make([]wire.Record, 0, records+1)
}

// keep keeps a block.
func (k *keptBlocks) keep(at blockName, records []wire.Record) {
	if k.now[at] == nil && len(records) > 0 {
		k.now[at] = records
		k.count += len(records)
	}
}
