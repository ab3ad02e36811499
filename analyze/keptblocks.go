package analyze

import "mtrace/collector/wire"

// keptBlocks stores the records of blocks that two consecutive slices of a run (see EachSlice) both need, because
// that is cheaper than reading and decompressing the blocks twice. Only one goroutine at a time may use it.
type keptBlocks struct {
	// the blocks that the previous slice read, and those that the current slice has read so far
	before, now map[blockName][]wire.Record
	count       int // number of records in now
	spare       [][]wire.Record
}

// A blockName identifies a block of the trace file: the index of its stream (the records of one ring buffer), and its
// index in the stream.
type blockName struct{ stream, block int }

// mostKeptRecords limits how many records are kept from one slice to the next: 16 MB.
const mostKeptRecords = 1 << 19

func newKeptBlocks() *keptBlocks { return &keptBlocks{now: map[blockName][]wire.Record{}} }

// turn begins the next slice. It frees the buffers of blocks that the previous slice did not read, for reuse.
func (k *keptBlocks) turn() {
	for at, records := range k.before {
		if k.now[at] == nil {
			k.spare = append(k.spare, records[:0])
		}
	}
	k.before, k.now, k.count = k.now, map[blockName][]wire.Record{}, 0
}

// find returns the kept records of a block; nil if the block must be read from the file.
func (k *keptBlocks) find(at blockName) []wire.Record {
	if records := k.now[at]; records != nil {
		return records
	}
	return k.before[at]
}

// hasRoom reports whether another block may be kept without exceeding mostKeptRecords by much.
func (k *keptBlocks) hasRoom() bool { return k.count < mostKeptRecords }

// room returns an empty buffer for a block of the given number of records, a reused one if possible.
func (k *keptBlocks) room(records int) []wire.Record {
	if n := len(k.spare); n > 0 {
		room := k.spare[n-1]
		k.spare = k.spare[:n-1]
		return room
	}
	return make([]wire.Record, 0, records+1)
}

// keep stores the records of a block, so that the next slice (time range of the run) need not read the block again.
// The caller must not change the records afterwards.
func (k *keptBlocks) keep(at blockName, records []wire.Record) {
	if k.now[at] == nil && len(records) > 0 {
		k.now[at] = records
		k.count += len(records)
	}
}
