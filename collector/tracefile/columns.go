package tracefile

import (
	"encoding/binary"
	"math"

	"mtrace/collector/wire"
)

// A block stores its records by column: all begins together, all objects together, and so on, because neighbouring
// values are then similar and compress well. See docs/trace-file.md, "Records".
//
// Records of one kind (same call, same flags, with or without a More record) share a set of columns. The order column
// has the kind of each record; the kind's columns have the rest, as differences from predicted values. No column
// depends on the table of calls, so a file stays readable when that table changes.

// A form says how the records of one kind (same call and flags) are stored in a block.
type form uint8

const (
	formMore     form = 1 << 0 // a More record follows each and is stored with it
	formGPUTimes form = 1 << 1 // the More record's x1 and x2 are stored relative to x0
	formArgTable form = 1 << 2 // the args are indexes into the kind's table of distinct values
	formUnknown  form = 1 << 3 // this bit and higher ones are used only by later versions of the format
)

// The columns of a kind of records. A column whose comment ends with "in the bits" is stored in the block's stream of
// bits (see numbers.go), the others as bytes in this order. "The last" is the previous record of the same kind, and
// "the table" has the column's distinct values.
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

	firstColumn = columnObject // first of the columns that are stored as bytes
	endColumn   = columnX3     // end (exclusive) of the columns that are stored as bytes
)

// columnsAndBits is the first byte of a block of records in version 2. In version 1 the first byte is the number of
// kinds, which is never 0, so the two can be told apart.
const columnsAndBits = 0

// recentObjects is how many recently used objects are remembered, so that a record can refer to one by an index of
// one byte. A thread works with few objects at a time: its queue, command buffer and encoder.
const recentObjects = 8

// maxKinds is the maximum number of kinds of records (same call and flags) in a block. A damaged block with more
// is refused before memory is allocated.
const maxKinds = 1 << 12

// A kindKey identifies the kind of a record. Records of one kind are stored together: they have the same call and
// flags, and either all or none has a More record (further arguments of the call).
type kindKey struct {
	call  wire.Call
	flags wire.Flags
	more  bool
}

// A kind is the encoder's state for one kind of records (same call and flags): the previous values, from which
// the next ones are predicted, and the columns so far.
type kind struct {
	call    wire.Call
	flags   wire.Flags
	form    form
	object  wire.ObjectID
	arg     uint64
	x       [4]uint64
	sizes   [columnCount]size // size of the previous number in each column
	room    int               // number of records for which there is space
	columns [columnCount]column
	tables  [4]valueTable // distinct values of arg, x0, x1 and x2
}

// A column is a growing byte buffer. Before storing values with put, the caller must reserve space with makeRoom, for
// many values at once: append would check the capacity for each byte, which is slower.
type column struct {
	bytes []byte // allocated memory
	size  int    // number of bytes in use
}

// put stores v as a varint. The caller must have reserved space.
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

// putWord stores v as eight bytes. The caller must have reserved space.
func (c *column) putWord(v uint64) {
	binary.LittleEndian.PutUint64(c.bytes[c.size:], v)
	c.size += 8
}

// makeRoom reserves space for n more bytes.
func (c *column) makeRoom(n int) {
	if n > len(c.bytes)-c.size {
		c.bytes = append(c.bytes[:c.size], make([]byte, c.size+n)...)
	}
}

// all returns the bytes stored so far.
func (c *column) all() []byte { return c.bytes[:c.size] }

const (
	// roomAtOnce is the number of records for which makeRoom reserves space at a time, in the columns of one kind
	// of records.
	roomAtOnce = 256
	// longestInColumn is the maximum number of bytes that one record takes in one column: an index, and a new value
	// of eight bytes.
	longestInColumn = binary.MaxVarintLen64 + 8
)

// makeRoom reserves space in all columns of the kind for roomAtOnce more records.
func (k *kind) makeRoom() {
	for c := firstColumn; c < endColumn; c++ {
		k.columns[c].makeRoom(roomAtOnce * longestInColumn)
	}
	k.room = roomAtOnce
}

// A recents lists the objects of the latest records, the latest first. Encoder and decoder update it in the same way,
// so an index in the list is enough to store an object.
type recents [recentObjects]wire.ObjectID

// find moves object to the front of the list. It returns the object's former index, which the encoder stores, or
// recentObjects if the object was not in the list.
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

// take moves the object at index i to the front of the list and returns it.
func (r *recents) take(i int) wire.ObjectID {
	object := r[i]
	for ; i > 0; i-- { // for so few elements a call of copy takes longer
		r[i] = r[i-1]
	}
	r[0] = object
	return object
}

// add puts a new object in front of the list and drops the last one.
func (r *recents) add(object wire.ObjectID) {
	copy(r[1:], r[:recentObjects-1])
	r[0] = object
}

// seen adds arg to the list if it may be the number of a new object. A call that creates an object returns the
// object's number as arg, and the next calls are likely to use that object.
func (r *recents) seen(arg uint64) {
	if arg != 0 && arg <= math.MaxUint32 && r[0] != wire.ObjectID(arg) {
		r.find(wire.ObjectID(arg))
	}
}

func zigzag(v uint64) uint64   { return v<<1 ^ uint64(int64(v)>>63) }
func unzigzag(v uint64) uint64 { return v>>1 ^ -(v & 1) }

// A valueTable lists the distinct values of a column, in the order of their first occurrence. A column of few
// different values is then stored as short indexes.
type valueTable struct {
	values []uint64
	index  map[uint64]int
	last   int
}

// put stores v in column c: the index of v in the table or, for a new value, the next index and the value's eight
// bytes.
func (t *valueTable) put(c *column, v uint64) {
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

func (t *valueTable) reset() {
	t.values, t.last = t.values[:0], 0
	clear(t.index)
}
