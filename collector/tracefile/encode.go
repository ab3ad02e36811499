package tracefile

import (
	"encoding/binary"
	"slices"

	"mtrace/collector/wire"
)

// largeArg is the value from which a call's argument is stored in a table of the block's distinct values. Such
// arguments are hashes or packed sizes, and a block has few different ones. Smaller arguments are stored as
// differences from the previous argument.
const largeArg = 1 << 40

// An encoder converts records into the payload of a block. It can be used for many blocks, but only by one goroutine.
// Its inner loop is written out by hand to be fast, because it may take processor time from the traced program.
type encoder struct {
	order  column
	bits   bitWriter
	clock  scale
	kinds  []*kind // kinds in use; the elements up to the capacity keep their memory for later blocks
	lookup map[kindKey]int
	cache  [256]cachedKind
}

// A cachedKind is an entry of the encoder's cache: a kind of records (same call and flags) and its index in
// kinds; kind is nil in an unused entry.
type cachedKind struct {
	*kind
	key   kindKey
	index uint64
}

// A recordsPayload is the payload of a block of records. The first `columns` bytes are the columns. The bits follow;
// compression would not make them smaller.
type recordsPayload struct {
	bytes   []byte
	columns int
}

// encode appends the payload of a block of records to dst. first is when the first of the calls began, and last when
// the last of them ended.
func (e *encoder) encode(dst []byte, records []wire.Record) (_ recordsPayload, first, last wire.Ticks) {
	e.reset()
	e.clock = scaleOf(stepOf(records))
	e.order.makeRoom(binary.MaxVarintLen32 * len(records))
	first = ^wire.Ticks(0)
	var recent recents
	var previous wire.Ticks
	for i := 0; i < len(records); i++ {
		r := &records[i]
		isMore := r.Call == wire.CallMore
		withMore := !isMore && r.Flags&wire.HasMore != 0 && i+1 < len(records) && records[i+1].Call == wire.CallMore &&
			records[i+1].Flags == 0
		key := kindKey{r.Call, r.Flags, withMore}
		c := &e.cache[uint8(key.call)^uint8(key.flags)<<3^uint8(key.flags>>8)]
		if c.kind == nil || c.key != key {
			e.find(c, key, r)
		}
		k := c.kind
		if k.room == 0 {
			k.makeRoom()
		}
		k.room--
		if len(e.bits.bytes)-e.bits.size < longestRecord {
			e.bits.makeRoom()
		}
		e.order.put(c.index)
		if isMore {
			e.putMore(k, r.More())
			continue
		}
		e.bits.putTimes(&k.sizes, uint64(r.Begin-previous), uint64(r.End-r.Begin), &e.clock)
		previous = r.End
		first, last = min(first, r.Begin, r.End), max(last, r.End)
		if at := recent.find(r.Object); at < recentObjects {
			k.columns[columnObject].put(uint64(at))
		} else {
			k.columns[columnObject].put(recentObjects + zigzag(uint64(int64(int32(r.Object-k.object)))))
		}
		k.object = r.Object
		k.putArg(r.Arg)
		recent.seen(r.Arg)
		if withMore {
			i++
			e.putMore(k, records[i].More())
		}
	}
	return e.append(dst), min(first, last), last
}

func (e *encoder) reset() {
	e.order.size, e.kinds = 0, e.kinds[:0]
	e.bits.size, e.bits.word, e.bits.bits = 0, 0, 0
	e.cache = [256]cachedKind{}
	if e.lookup == nil {
		e.lookup = map[kindKey]int{}
	}
	clear(e.lookup)
}

// has reports whether the latest encoded block contains a record of the given call.
func (e *encoder) has(call wire.Call) bool {
	return slices.ContainsFunc(e.kinds, func(k *kind) bool { return k.call == call })
}

// find looks up the kind of the record r by its key and stores it in the cache entry c. If the block has no record of
// that kind yet, find adds the kind to the block.
func (e *encoder) find(c *cachedKind, key kindKey, r *wire.Record) {
	i, known := e.lookup[key]
	if !known {
		i = e.add(key, r)
	}
	*c = cachedKind{e.kinds[i], key, uint64(i)}
}

func (e *encoder) add(key kindKey, r *wire.Record) int {
	i := len(e.kinds)
	if i < cap(e.kinds) {
		e.kinds = e.kinds[:i+1]
	} else {
		e.kinds = append(e.kinds, nil)
	}
	if e.kinds[i] == nil {
		e.kinds[i] = &kind{}
	}
	e.lookup[key] = i
	k := e.kinds[i]
	k.call, k.flags, k.form = key.call, key.flags, 0
	k.object, k.arg, k.x, k.sizes, k.room = 0, 0, [4]uint64{}, [columnCount]size{}, 0
	for c := range k.columns {
		k.columns[c].size = 0
	}
	for t := range k.tables {
		k.tables[t].reset()
	}
	if key.more {
		k.form |= formMore
	}
	if key.call == wire.CallCompleted {
		k.form |= formGPUTimes
	}
	if r.Arg >= largeArg {
		k.form |= formArgTable
	}
	return i
}

func (k *kind) putArg(arg uint64) {
	if k.form&formArgTable != 0 {
		k.tables[0].put(&k.columns[columnArg], arg)
		return
	}
	k.columns[columnArg].put(zigzag(arg - k.arg))
	k.arg = arg
}

func (e *encoder) putMore(k *kind, m wire.More) {
	if k.form&formGPUTimes != 0 {
		e.bits.putNumber(&k.sizes[columnX0], m.X0-k.x[0], &ones)
		e.bits.putNumber(&k.sizes[columnX1], m.X1-m.X0, &ones)
		e.bits.putNumber(&k.sizes[columnX2], m.X2-m.X0, &ones)
		k.x[0] = m.X0
	} else {
		k.tables[1].put(&k.columns[columnX0], m.X0)
		k.tables[2].put(&k.columns[columnX1], m.X1)
		k.tables[3].put(&k.columns[columnX2], m.X2)
	}
	if x3 := uint64(m.X3); x3 == k.x[3] {
		e.bits.putSize(sizeSame, k.sizes[columnX3])
		k.sizes[columnX3] = sizeSame
	} else {
		e.bits.putNumber(&k.sizes[columnX3], x3, &e.clock)
		k.x[3] = x3
	}
}

// append appends the payload of a block of records to dst. Its order is: the mark columnsAndBits, the clock's step, the
// number of kinds, and the call, flags and form of each kind; the order column with its length; for each column, the
// lengths and then the bytes of all kinds; at the end the bit stream. See docs/trace-file.md.
func (e *encoder) append(dst []byte) recordsPayload {
	dst = append(dst, columnsAndBits)
	dst = binary.AppendUvarint(dst, e.clock.step)
	dst = binary.AppendUvarint(dst, uint64(len(e.kinds)))
	for _, k := range e.kinds {
		dst = binary.LittleEndian.AppendUint16(dst, uint16(k.call))
		dst = binary.LittleEndian.AppendUint16(dst, uint16(k.flags))
		dst = append(dst, byte(k.form))
	}
	dst = binary.AppendUvarint(dst, uint64(e.order.size))
	dst = append(dst, e.order.all()...)
	for c := firstColumn; c < endColumn; c++ {
		for _, k := range e.kinds {
			dst = binary.AppendUvarint(dst, uint64(k.columns[c].size))
		}
		for _, k := range e.kinds {
			dst = append(dst, k.columns[c].all()...)
		}
	}
	columns := len(dst)
	return recordsPayload{append(dst, e.bits.all()...), columns}
}
