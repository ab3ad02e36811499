package tracefile

import (
	"encoding/binary"
	"errors"

	"mtrace/collector/wire"
)

var errColumns = errors.New("its columns do not fit together")

// A decoder turns the payload of a block back into records. It is reused, not shared.
type decoder struct {
	kinds []kind
}

// decode appends the count records of a payload to dst. Whatever the payload is, it ends with an error or exactly count
// records, and allocates no more than a small multiple of the payload.
func (d *decoder) decode(dst []wire.Record, payload []byte, count int) ([]wire.Record, error) {
	in := cursor{b: payload}
	order := d.columns(&in)
	if in.bad || len(in.b) != 0 || count > 2*len(order) {
		return dst, errColumns
	}
	end := len(dst) + count
	var recent recents
	var previous wire.Ticks
	for len(dst) < end {
		at, n := uint64(0), 0
		if len(order) > 0 && order[0] < 0x80 {
			at, n = uint64(order[0]), 1
		} else {
			at, n = binary.Uvarint(order)
		}
		if n <= 0 || at >= uint64(len(d.kinds)) {
			return dst, errColumns
		}
		order = order[n:]
		k := &d.kinds[at]
		if k.call == wire.CallMore {
			more := k.more()
			more.Flags = k.flags
			dst = append(dst, more.Record())
			continue
		}
		r := wire.Record{Call: k.call, Flags: k.flags}
		r.Begin = previous + wire.Ticks(unzigzag(k.next(columnGap)))
		r.End = r.Begin + wire.Ticks(k.next(columnLength))
		previous = r.End
		if v := k.next(columnObject); v < recentObjects {
			r.Object = recent.take(int(v))
		} else {
			r.Object = k.object + wire.ObjectID(unzigzag(v-recentObjects))
			recent.add(r.Object)
		}
		k.object = r.Object
		if k.form&formArgTable != 0 {
			r.Arg = k.nextInTable(columnArg, 0)
		} else {
			k.arg += unzigzag(k.next(columnArg))
			r.Arg = k.arg
		}
		recent.seen(r.Arg)
		dst = append(dst, r)
		if k.form&formMore != 0 {
			dst = append(dst, k.more().Record())
		}
	}
	if len(dst) != end || len(order) != 0 || d.leftOver() {
		return dst, errColumns
	}
	return dst, nil
}

// columns sets up the kinds and their columns, and returns the order column.
func (d *decoder) columns(in *cursor) (order []byte) {
	n := in.uvarint()
	if n > maxKinds || n*5 > uint64(len(in.b)) {
		in.bad = true
		return nil
	}
	if cap(d.kinds) < int(n) {
		d.kinds = make([]kind, n)
	}
	d.kinds = d.kinds[:n]
	for i := range d.kinds {
		k, head := &d.kinds[i], in.bytes(5)
		if in.bad {
			return nil
		}
		if form(head[4]) >= formUnknown {
			in.bad = true
			return nil
		}
		tables := k.tables
		*k = kind{
			call:  wire.Call(binary.LittleEndian.Uint16(head)),
			flags: wire.Flags(binary.LittleEndian.Uint16(head[2:])),
			form:  form(head[4]),
		}
		for t := range tables {
			k.tables[t].values = tables[t].values[:0]
		}
	}
	order = in.bytes(in.uvarint())
	for c := range columnCount {
		for i := range d.kinds {
			// The length is kept in x until all of them are read.
			d.kinds[i].x[0] = in.uvarint()
		}
		for i := range d.kinds {
			d.kinds[i].columns[c] = in.bytes(d.kinds[i].x[0])
		}
	}
	for i := range d.kinds {
		d.kinds[i].x[0] = 0
	}
	return order
}

// leftOver says whether a column was read beyond its end, or not to its end.
func (d *decoder) leftOver() bool {
	for i := range d.kinds {
		for _, c := range d.kinds[i].columns {
			if c == nil || len(c) != 0 {
				return true
			}
		}
	}
	return false
}

func (k *kind) more() wire.More {
	if k.form&formGPUTimes != 0 {
		begin := k.x[0] + unzigzag(k.next(columnX0))
		k.x[1] = begin + (k.x[1] - k.x[0]) + unzigzag(k.next(columnX1))
		k.x[2] = begin + (k.x[2] - k.x[0]) + unzigzag(k.next(columnX2))
		k.x[0] = begin
	} else {
		k.x[0] = k.nextInTable(columnX0, 1)
		k.x[1] = k.nextInTable(columnX1, 2)
		k.x[2] = k.nextInTable(columnX2, 3)
	}
	k.x[3] += unzigzag(k.next(columnX3))
	return wire.More{X0: k.x[0], X1: k.x[1], X2: k.x[2], X3: uint32(k.x[3])}
}

// next is the next value of a column. Beyond the end it is 0 and the column becomes nil, which leftOver finds.
func (k *kind) next(column int) uint64 {
	c := k.columns[column]
	if len(c) > 0 && c[0] < 0x80 {
		k.columns[column] = c[1:]
		return uint64(c[0])
	}
	v, n := binary.Uvarint(c)
	if n <= 0 {
		k.columns[column] = nil
		return 0
	}
	k.columns[column] = c[n:]
	return v
}

func (k *kind) nextInTable(column, at int) uint64 {
	t := &k.tables[at]
	i := k.next(column)
	if i < uint64(len(t.values)) {
		return t.values[i]
	}
	c := k.columns[column]
	if i > uint64(len(t.values)) || len(c) < 8 {
		k.columns[column] = nil
		return 0
	}
	v := binary.LittleEndian.Uint64(c)
	k.columns[column] = c[8:]
	t.values = append(t.values, v)
	return v
}

// A cursor reads a payload front to back. Reading beyond the end gives zeros and sets bad.
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

// bytes returns the next n bytes: never nil unless there are not as many.
func (c *cursor) bytes(n uint64) []byte {
	if n > uint64(len(c.b)) || c.bad {
		c.b, c.bad = nil, true
		return nil
	}
	b := c.b[:n:n]
	c.b = c.b[n:]
	return b
}
