package tracefile

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"

	"mtrace/collector/wire"
)

var errColumns = errors.New("its columns have inconsistent lengths")

// A decoder converts the payload of a block back into records: call begin, then next until it returns 0. A decoder
// can be used for many blocks, but only by one goroutine.
type decoder struct {
	payload  []byte
	kinds    []reading
	order    []byte // the unread part of the order column: the kind of each record
	bits     bitReader
	step     uint64 // ticks by which the clock advances at a time
	varints  bool   // the columns have version 1
	left     int    // number of records that are not decoded yet
	recent   recents
	previous wire.Ticks
}

// A reading is the decoder's state for one kind of records (same call and flags). Its columns are offsets into
// the payload, not slices: assigning a slice costs a write barrier of the garbage collector each time.
type reading struct {
	call    wire.Call
	flags   wire.Flags
	form    form
	object  wire.ObjectID
	arg     uint64
	x       [4]uint64
	columns [columnCount]span
	sizes   [columnCount]size // size of the previous number in each column
	tables  [4][]uint64       // distinct values of arg, x0, x1 and x2
}

// A span is the unread part of a column, as offsets in the payload. Reading beyond the end makes `at` larger than
// `end`, which leftOver reports at the end of the block.
type span struct{ at, end uint32 }

// decode appends the records of a payload to dst. Even for a damaged payload it returns either an error or exactly
// count records.
func (d *decoder) decode(dst []wire.Record, payload []byte, count int) ([]wire.Record, error) {
	if err := d.begin(payload, count); err != nil {
		return dst, err
	}
	start := len(dst)
	dst = slices.Grow(dst, count)
	n, err := d.next(dst[start : start+count])
	if err == nil && n < count {
		err = errColumns
	}
	if err != nil {
		return dst, err
	}
	return dst[:start+count], nil
}

// begin starts to decode the payload of a block of count records. It refuses impossible numbers of kinds and records,
// so that a damaged payload cannot make it allocate much memory.
func (d *decoder) begin(payload []byte, count int) error {
	in := cursor{b: payload}
	d.payload, d.left, d.recent, d.previous = payload, count, recents{}, 0
	d.varints = len(payload) == 0 || payload[0] != columnsAndBits
	if !d.varints {
		in.bytes(1)
		d.step = in.uvarint()
	}
	d.order = d.columns(payload, &in)
	if in.bad || d.varints && len(in.b) != 0 || count > 2*len(d.order) {
		return errColumns
	}
	d.bits.begin(in.b)
	return nil
}

// next decodes the block's next records into out, which must have space for at least two, and returns their number; 0
// at the end of the block. A call and its More record must be in the same batch: if out has space for only one more
// record, both are left for the next call of next.
func (d *decoder) next(out []wire.Record) (n int, err error) {
	payload, order := d.payload, d.order
	most := min(len(out), d.left)
	for n < most {
		if len(order) == 0 {
			return n, errColumns
		}
		at := uint64(order[0])
		skip := 1
		if at >= 0x80 {
			if at, skip = binary.Uvarint(order); skip <= 0 {
				return n, errColumns
			}
		}
		if at >= uint64(len(d.kinds)) {
			return n, errColumns
		}
		k := &d.kinds[at]
		r := &out[n]
		if k.call == wire.CallMore {
			order = order[skip:]
			n++
			d.more(k, r)
			r.Flags = k.flags
			continue
		}
		if k.form&formMore != 0 && n+1 == most {
			if most == d.left {
				return n, errColumns
			}
			break // the call comes with the next batch
		}
		order = order[skip:]
		n++
		gap, length := uint64(0), uint64(0)
		if d.varints {
			gap, length = k.times(payload)
			gap = unzigzag(gap)
		} else {
			gap, length = d.bits.times(&k.sizes, d.step)
		}
		begin := d.previous + wire.Ticks(gap)
		d.previous = begin + wire.Ticks(length)
		object := k.object
		if v := k.columns[columnObject].next(payload); v < recentObjects {
			object = d.recent.take(int(v))
		} else {
			object += wire.ObjectID(unzigzag(v - recentObjects))
			d.recent.add(object)
		}
		k.object = object
		arg := uint64(0)
		if k.form&formArgTable != 0 {
			arg = k.nextInTable(payload, columnArg, 0)
		} else {
			arg = k.arg + unzigzag(k.columns[columnArg].next(payload))
			k.arg = arg
		}
		d.recent.seen(arg)
		// assign each field in memory: a record built as a local variable would be copied before its fields have
		// reached memory, which stalls the processor
		r.Begin, r.End, r.Arg, r.Object = begin, d.previous, arg, object
		r.Call, r.Flags = k.call, k.flags
		if k.form&formMore != 0 {
			d.more(k, &out[n])
			n++
		}
	}
	d.order = order
	if d.left -= n; d.left == 0 && (len(order) != 0 || d.leftOver()) {
		return n, errColumns
	}
	return n, nil
}

// columns reads the list of kinds and the position of each kind's columns. It returns the order column, which has the
// kind of each record.
func (d *decoder) columns(payload []byte, in *cursor) (order []byte) {
	n := in.uvarint()
	if n > maxKinds || n*5 > uint64(len(in.b)) {
		in.bad = true
		return nil
	}
	if cap(d.kinds) < int(n) {
		d.kinds = make([]reading, n)
	}
	d.kinds = d.kinds[:n]
	for i := range d.kinds {
		k, head := &d.kinds[i], in.bytes(5) // the memory is reused, so every field is set
		if in.bad {
			return nil
		}
		if form(head[4]) >= formUnknown {
			in.bad = true
			return nil
		}
		k.call, k.flags, k.form = wire.Call(binary.LittleEndian.Uint16(head)),
			wire.Flags(binary.LittleEndian.Uint16(head[2:])), form(head[4])
		k.object, k.arg, k.x, k.columns, k.sizes = 0, 0, [4]uint64{}, [columnCount]span{}, [columnCount]size{}
		for t := range k.tables {
			k.tables[t] = k.tables[t][:0]
		}
	}
	order = in.bytes(in.uvarint())
	first, end := firstColumn, endColumn
	if d.varints {
		first, end = 0, columnCount
	}
	for c := first; c < end; c++ {
		for i := range d.kinds {
			// x[0] temporarily holds the length of this kind's column, until all lengths are read
			d.kinds[i].x[0] = in.uvarint()
		}
		for i := range d.kinds {
			stored := in.bytes(d.kinds[i].x[0])
			end := len(payload) - len(in.b)
			d.kinds[i].columns[c] = span{uint32(end - len(stored)), uint32(end)}
		}
	}
	for i := range d.kinds {
		d.kinds[i].x[0] = 0
	}
	return order
}

// leftOver reports whether a column was read beyond its end, or not up to its end: then the payload is damaged.
func (d *decoder) leftOver() bool {
	if d.bits.leftOver() {
		return true
	}
	for i := range d.kinds {
		for _, c := range d.kinds[i].columns {
			if c.at != c.end {
				return true
			}
		}
	}
	return false
}

// times returns the next values of the columns of times (columnGap and columnLength) in version 1 of the format.
// Values of up to four bytes, the usual case, are decoded without a branch for each byte; the function long
// decodes the others.
func (k *reading) times(payload []byte) (gap, length uint64) {
	g, l := &k.columns[columnGap], &k.columns[columnLength]
	if int(g.at)+8 <= len(payload) && int(l.at)+8 <= len(payload) {
		x, y := binary.LittleEndian.Uint64(payload[g.at:])&0xffffffff,
			binary.LittleEndian.Uint64(payload[l.at:])&0xffffffff
		a, b := ^x&0x80808080, ^y&0x80808080
		if a != 0 && b != 0 {
			afterGap, afterLength := g.at+uint32(bits.TrailingZeros64(a))/8+1, l.at+uint32(bits.TrailingZeros64(b))/8+1
			if afterGap <= g.end && afterLength <= l.end {
				g.at, l.at = afterGap, afterLength
				return sevens(x & (a ^ (a - 1))), sevens(y & (b ^ (b - 1)))
			}
		}
	}
	return g.long(payload), l.long(payload)
}

// sevens decodes a varint of up to four bytes: it joins the lower seven bits of each byte of x, the first byte lowest.
func sevens(x uint64) uint64 {
	x = x&0x007f007f | x&0x7f007f00>>1
	return x&0x00003fff | x&0x3fff0000>>2
}

// more decodes the More record (further arguments of a call) of kind k into r.
func (d *decoder) more(k *reading, r *wire.Record) {
	payload := d.payload
	switch {
	case k.form&formGPUTimes == 0:
		k.x[0] = k.nextInTable(payload, columnX0, 1)
		k.x[1] = k.nextInTable(payload, columnX1, 2)
		k.x[2] = k.nextInTable(payload, columnX2, 3)
	case d.varints:
		begin := k.x[0] + unzigzag(k.columns[columnX0].next(payload))
		k.x[1] = begin + (k.x[1] - k.x[0]) + unzigzag(k.columns[columnX1].next(payload))
		k.x[2] = begin + (k.x[2] - k.x[0]) + unzigzag(k.columns[columnX2].next(payload))
		k.x[0] = begin
	default:
		k.x[0] += d.bits.number(&k.sizes[columnX0], 1)
		k.x[1] = k.x[0] + d.bits.number(&k.sizes[columnX1], 1)
		k.x[2] = k.x[0] + d.bits.number(&k.sizes[columnX2], 1)
	}
	if d.varints {
		k.x[3] += unzigzag(k.columns[columnX3].next(payload))
	} else if x3 := d.bits.number(&k.sizes[columnX3], d.step); k.sizes[columnX3] != sizeSame {
		k.x[3] = x3
	}
	r.Begin, r.End, r.Arg, r.Object = wire.Ticks(k.x[0]), wire.Ticks(k.x[1]), k.x[2], wire.ObjectID(k.x[3])
	r.Call, r.Flags = wire.CallMore, 0
}

// next returns the next value of a column. After the column's last value it returns 0; leftOver then reports damage
// at the end of the block.
func (c *span) next(payload []byte) uint64 {
	if c.at < c.end && payload[c.at] < 0x80 {
		c.at++
		return uint64(payload[c.at-1])
	}
	return c.long(payload)
}

// long returns the next value of a column if it takes more than one byte. Up to eight bytes are decoded without a
// loop: long drops the bytes after the value's last byte (whose high bit is 0), and then joins the groups of seven
// bits in pairs.
func (c *span) long(payload []byte) uint64 {
	if c.at < c.end && int(c.at)+8 <= len(payload) {
		x := binary.LittleEndian.Uint64(payload[c.at:])
		if last := ^x & 0x8080808080808080; last != 0 {
			x &= last ^ (last - 1)
			x = x&0x007f007f007f007f | x&0x7f007f007f007f00>>1
			x = x&0x00003fff00003fff | x&0x3fff00003fff0000>>2
			x = x&0x000000000fffffff | x&0x0fffffff00000000>>4
			if c.at += uint32(bits.TrailingZeros64(last))/8 + 1; c.at <= c.end {
				return x
			}
		}
	}
	if c.at < c.end {
		if v, n := binary.Uvarint(payload[c.at:c.end]); n > 0 {
			c.at += uint32(n)
			return v
		}
	}
	c.at = c.end + 1
	return 0
}

func (k *reading) nextInTable(payload []byte, column, at int) uint64 {
	t, c := &k.tables[at], &k.columns[column]
	i := c.next(payload)
	if i < uint64(len(*t)) {
		return (*t)[i]
	}
	if i > uint64(len(*t)) || c.at > c.end || c.end-c.at < 8 {
		c.at = c.end + 1
		return 0
	}
	v := binary.LittleEndian.Uint64(payload[c.at:])
	c.at += 8
	*t = append(*t, v)
	return v
}

// A cursor reads numbers and bytes from a payload, one after the other. Reading beyond the end returns zeros and sets
// bad, so that the caller needs to check only once.
type cursor struct {
	b   []byte
	bad bool
}

func (c *cursor) uvarint() uint64 {
	v, n := binary.Uvarint(c.b)
	if n <= 0 {
		c.b, c.bad = nil, true
		return 0
	}
	c.b = c.b[n:]
	return v
}

// bytes returns the next n bytes, or nil if there are fewer than n.
func (c *cursor) bytes(n uint64) []byte {
	if n > uint64(len(c.b)) || c.bad {
		c.b, c.bad = nil, true
		return nil
	}
	b := c.b[:n:n]
	c.b = c.b[n:]
	return b
}
