package sqlite

import "encoding/binary"

// A Table receives the rows of a table. For each row, call Null, Int or Text once per column, and then End.
type Table struct {
	of   *Database
	rows int64
	page page
	full []child // leaf pages that were written

	types, values []byte // the encoded types and values of the current row
	cell          []byte
}

// A child is a page of the table's B-tree with the largest key below it.
type child struct {
	number uint32
	key    int64
}

// Null adds a null value.
func (t *Table) Null() { t.types = append(t.types, 0) }

// Int adds a number to the row, in as few bytes as SQLite's format allows.
func (t *Table) Int(n int64) {
	switch {
	case n == 0:
		t.types = append(t.types, 8)
	case n == 1:
		t.types = append(t.types, 9)
	case n == int64(int8(n)):
		t.number(1, n, 1)
	case n == int64(int16(n)):
		t.number(2, n, 2)
	case n >= -1<<23 && n < 1<<23:
		t.number(3, n, 3)
	case n == int64(int32(n)):
		t.number(4, n, 4)
	case n >= -1<<47 && n < 1<<47:
		t.number(5, n, 6)
	default:
		t.number(6, n, 8)
	}
}

func (t *Table) number(kind byte, n int64, bytes int) {
	t.types = append(t.types, kind)
	for shift := 8 * (bytes - 1); shift >= 0; shift -= 8 {
		t.values = append(t.values, byte(n>>shift))
	}
}

// Text adds a text to the row. It must be valid UTF-8, as the database declares.
func (t *Table) Text(s string) {
	t.types = appendVarint(t.types, uint64(13+2*len(s)))
	t.values = append(t.values, s...)
}

// End completes the row.
func (t *Table) End() {
	t.rows++
	head := len(t.types) + 1
	if head > 127 { // the header's length includes its own length, which here never takes three bytes
		head++
	}
	payload := head + len(t.values)
	cell := appendVarint(appendVarint(t.cell[:0], uint64(payload)), uint64(t.rows))
	start := len(cell)
	cell = append(append(appendVarint(cell, uint64(head)), t.types...), t.values...)
	if local := localPart(payload); local < payload {
		first := t.overflow(cell[start+local:])
		cell = binary.BigEndian.AppendUint32(cell[:start+local], first)
	}
	t.cell, t.types, t.values = cell, t.types[:0], t.values[:0]
	if !t.page.fits(len(cell), 8) {
		t.flush()
	}
	t.page.add(cell)
}

// localPart returns how many bytes of a row are stored in its leaf page, by SQLite's formula; the other bytes go to
// overflow pages.
func localPart(payload int) int {
	const most, least = pageSize - 35, (pageSize-12)*32/255 - 23
	if payload <= most {
		return payload
	}
	if k := least + (payload-least)%(pageSize-4); k <= most {
		return k
	}
	return least
}

// overflow writes the bytes of a row that do not fit into its leaf page to a chain of pages, and returns the number
// of the first.
func (t *Table) overflow(rest []byte) (first uint32) {
	first = t.of.next()
	for number := first; ; {
		n := min(len(rest), pageSize-4)
		next := uint32(0)
		if n < len(rest) {
			next = t.of.next()
		}
		text := make([]byte, pageSize)
		binary.BigEndian.PutUint32(text, next)
		copy(text[4:], rest[:n])
		t.of.put(number, text)
		if rest, number = rest[n:], next; next == 0 {
			return first
		}
	}
}

// flush writes the current leaf page and begins a new one.
func (t *Table) flush() {
	number := t.of.next()
	t.of.put(number, t.page.encode(leafTable, 0))
	t.full = append(t.full, child{number, t.rows - 1})
	t.page = page{}
}

// finish writes the last leaf page and the interior pages of the table's B-tree, and returns the number of its root
// page.
func (t *Table) finish() (root uint32) {
	number := t.of.next()
	t.of.put(number, t.page.encode(leafTable, 0))
	level := append(t.full, child{number, t.rows})
	for len(level) > 1 {
		var above []child
		for len(level) > 0 {
			p, n := page{}, 0
			for n < len(level)-1 && p.fits(4+9, 12) {
				cell := binary.BigEndian.AppendUint32(nil, level[n].number)
				p.add(appendVarint(cell, uint64(level[n].key)))
				n++
			}
			if len(level)-n == 2 { // take one child less, so that the last page does not get a single child
				n--
				p.drop()
			}
			number := t.of.next()
			t.of.put(number, p.encode(interiorTable, level[n].number))
			above = append(above, child{number, level[n].key})
			level = level[n+1:]
		}
		level = above
	}
	return level[0].number
}
