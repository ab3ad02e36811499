package analyze

import "mtrace/collector/wire"

// keptBlocks has the records of blocks in which one slice of a run ends and the next one begins, because keeping them
// is cheaper than reading them twice. Only one goroutine at a time may use it.
type keptBlocks struct {
	// blocks that the previous slice read, and blocks that this slice read
	before, now map[blockName][]wire.Record
	count       int // of records in now
	spare       [][]wire.Record
}

// A blockName identifies a block: the stream's place in the file, and the block's place in the stream.
type blockName struct{ stream, block int }

// mostKeptRecords limits how many records are kept of one slice: 16 MB.
const mostKeptRecords = 1 << 19

func newKeptBlocks() *keptBlocks { return &keptBlocks{now: map[blockName][]wire.Record{}} }

// turn begins the next slice. It drops the blocks that only the slice before the previous one read.
func (k *keptBlocks) turn() {
	for at, records := range k.before {
		if k.now[at] == nil {
			k.spare = append(k.spare, records[:0])
		}
	}
	k.before, k.now, k.count = k.now, map[blockName][]wire.Record{}, 0
}

// find returns the records of a block; nil when they were not kept.
func (k *keptBlocks) find(at blockName) []wire.Record {
	if records := k.now[at]; records != nil {
		return records
	}
	return k.before[at]
}

// hasRoom says whether more may be kept.
func (k *keptBlocks) hasRoom() bool { return k.count < mostKeptRecords }

// room returns a slice with capacity for a block of the given number of records.
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
