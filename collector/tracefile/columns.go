package tracefile

import (
	"encoding/binary"
	"math"

	"mtrace/collector/wire"
)

// The records of a block are stored by column, so that similar values are adjacent: docs/trace-file.md, "Records".
//
// Records of one kind share a set of columns: the same call, the same flags, all with a More record or all without. The
// order column has the kind of each record. Everything else about a record is in its kind's columns, as a difference
// from a prediction. No column depends on the table of calls, so changes of the table do not make files unreadable.

// A form states how the records of a kind are stored.
type form uint8

const (
	formMore     form = 1 << 0 // a More record follows each and is stored with it
	formGPUTimes form = 1 << 1 // the More record's x1 and x2 are stored relative to x0
	formArgTable form = 1 << 2 // the args are indexes into a table of the block
	formUnknown  form = 1 << 3 // and above: of a later version
)

// The columns of a kind. The columns of times are in the bits; the others are stored in this order.
const (
	columnGap    = iota // begin − end of the previous record, of whichever kind; in the bits
	columnLength        // end − begin; in the bits
	columnObject        // index in the recent objects, or recentObjects + zigzag(object − last of the kind)
	columnArg           // zigzag(arg − last of the kind), or an index into the table
	columnX0            // an index into the table; with GPU times x0 − last of the kind, in the bits
	columnX1            // an index into the table; with GPU times x1 − x0, in the bits
	columnX2            // an index into the table; with GPU times x2 − x0, in the bits
	columnX3            // x3, or a mark that it equals the last of the kind; in the bits
	columnCount

	firstColumn = columnObject // of those that are stored
	endColumn   = columnX3     // behind the last of them
)

// columnsAndBits begins the payload of a block of records in version 2. A payload of version 1 begins with its number
// of kinds, which is at least one.
const columnsAndBits = 0

// recentObjects is the number of recently used objects that a block stores. A thread works with few at a time: its
// queue, command buffer, encoder.
const recentObjects = 8

// maxKinds is the maximum number of kinds of records in a block.
const maxKinds = 1 << 12

// A kindKey tells kinds apart.
type kindKey struct {
	call  wire.Call
	flags wire.Flags
	more  bool
}

// A kind is the encoder's state for the records of one kind.
type kind struct {
	call    wire.Call
	flags   wire.Flags
	form    form
	object  wire.ObjectID
	arg     uint64
	x       [4]uint64
	sizes   [columnCount]size // of the last numbers
	room    int               // number of records for which there is space
	columns [columnCount]column
	tables  [4]table // of arg, x0, x1, x2
}

// A column is a byte buffer. The caller reserves space for many values at once before it puts them: append would check
// and store the slice for each byte.
type column struct {
	bytes []byte // the memory
	size  int    // of it in use
}

// put appends a varint.
func (c *column) put(v uint64) {
	n := c.size
	for v >= 0x80 {
		c.bytes[n] = byte(v) | 0x80
		v >>= 7
		n++
	}
	c.bytes[n] = byte(v)
	c.size = n + 1
}

// putWord appends eight bytes.
func (c *column) putWord(v uint64) {
	binary.LittleEndian.PutUint64(c.bytes[c.size:], v)
	c.size += 8
}

// makeRoom makes room for n bytes.
func (c *column) makeRoom(n int) {
	if n > len(c.bytes)-c.size {
		c.bytes = append(c.bytes[:c.size], make([]byte, c.size+n)...)
	}
}

// all returns the bytes of the column.
func (c *column) all() []byte { return c.bytes[:c.size] }

const (
	// roomAtOnce is the number of records of a kind for which space is reserved at once.
	roomAtOnce = 256
	// longestInColumn is the maximum size of a record in a column: an index, and a new word of the table.
	longestInColumn = binary.MaxVarintLen64 + 8
)

// makeRoom makes room for records.
func (k *kind) makeRoom() {
	for c := firstColumn; c < endColumn; c++ {
		k.columns[c].makeRoom(roomAtOnce * longestInColumn)
	}
	k.room = roomAtOnce
}

// A recents is a list of objects, the latest first.
type recents [recentObjects]wire.ObjectID

// find moves an object to the front and returns its former index, or recentObjects.
func (r *recents) find(object wire.ObjectID) int {
	if r[0] == object {
		return 0
	}
	previous := r[0]
	for i := 1; i < recentObjects; i++ {
		if r[i] == object {
			r[i] = previous
			r[0] = object
			return i
		}
		previous, r[i] = r[i], previous
	}
	r[0] = object
	return recentObjects
}

// take moves the object at index i to the front and returns it.
func (r *recents) take(i int) wire.ObjectID {
	object := r[i]
	for ; i > 0; i-- { // for so few elements a call of copy takes longer
		r[i] = r[i-1]
	}
	r[0] = object
	return object
}

// add puts a new object in front.
func (r *recents) add(object wire.ObjectID) {
	copy(r[1:], r[:recentObjects-1])
	r[0] = object
}

// seen stores an arg that may be the number of a new object.
func (r *recents) seen(arg uint64) {
	if arg != 0 && arg <= math.MaxUint32 && r[0] != wire.ObjectID(arg) {
		r.find(wire.ObjectID(arg))
	}
}

func zigzag(v uint64) uint64   { return v<<1 ^ uint64(int64(v)>>63) }
func unzigzag(v uint64) uint64 { return v>>1 ^ -(v & 1) }

// A table lists the distinct values of a column in the order of their first occurrence.
type table struct {
	values []uint64
	index  map[uint64]int
	last   int
}

// put stores v: its index, or the next free index followed by its eight bytes.
func (t *table) put(c *column, v uint64) {
	if t.last < len(t.values) && t.values[t.last] == v {
		c.put(uint64(t.last))
		return
	}
	i, known := t.index[v]
	if !known {
		if t.index == nil {
			t.index = map[uint64]int{}
		}
		i = len(t.values)
		t.index[v] = i
		t.values = append(t.values, v)
	}
	t.last = i
	c.put(uint64(i))
	if !known {
		c.putWord(v)
	}
}

func (t *table) reset() {
	t.values, t.last = t.values[:0], 0
	clear(t.index)
}
