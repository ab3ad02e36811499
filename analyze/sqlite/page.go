package sqlite

import "encoding/binary"

// A page collects the cells for one page of a table's B-tree, in the order of their keys.
type page struct {
	start int // offset of the page's header: on page 1 it is after the file's
	cells [][]byte
	bytes int
}

// fits reports whether a cell of the given size fits on the page, whose header has the given size.
func (p *page) fits(cell, header int) bool {
	return p.start+header+2*(len(p.cells)+1)+p.bytes+cell <= pageSize
}

func (p *page) add(cell []byte) {
	p.cells = append(p.cells, append([]byte(nil), cell...))
	p.bytes += len(cell)
}

// drop removes the last cell.
func (p *page) drop() {
	last := len(p.cells) - 1
	p.bytes -= len(p.cells[last])
	p.cells = p.cells[:last]
}

// encode returns the page in SQLite's file format. `last` is the number of an interior page's last child; leaf pages
// ignore it.
func (p *page) encode(kind byte, last uint32) []byte {
	text := make([]byte, pageSize)
	head, at := text[p.start:], pageSize
	head[0] = kind
	binary.BigEndian.PutUint16(head[3:], uint16(len(p.cells)))
	pointers := head[8:]
	if kind == interiorTable {
		binary.BigEndian.PutUint32(head[8:], last)
		pointers = head[12:]
	}
	for i, cell := range p.cells {
		at -= len(cell)
		copy(text[at:], cell)
		binary.BigEndian.PutUint16(pointers[2*i:], uint16(at))
	}
	binary.BigEndian.PutUint16(head[5:], uint16(at))
	return text
}

// appendVarint appends a number as SQLite's varint: seven bits per byte, highest first; a ninth byte has eight bits.
func appendVarint(b []byte, n uint64) []byte {
	if n >= 1<<56 {
		for shift := 57; shift > 1; shift -= 7 {
			b = append(b, byte(n>>(shift))|0x80)
		}
		return append(b, byte(n))
	}
	shift := 0
	for n>>(shift+7) != 0 {
		shift += 7
	}
	for ; shift > 0; shift -= 7 {
		b = append(b, byte(n>>shift)|0x80)
	}
	return append(b, byte(n)&0x7f)
}
