package symbols

import (
	"bytes"
	"debug/dwarf"
	"encoding/binary"
	"errors"
	"fmt"
)

// mostFiles limits the directories and the files of one compilation unit; a table with more is refused. It is more
// than any compiler writes, and costs at most 24 MB of memory in package dwarf.
const mostFiles = 1 << 20

// A lineTable reads the header of a compilation unit's line table, to check it before package dwarf reads it. That
// package allocates memory for the number of files in the header before it checks that the section contains them. A
// broken file could thereby exhaust the collector's memory.
type lineTable struct {
	left   []byte
	offset int // size of an offset into another section: 4, or 8 in the 64-bit format
	err    error
}

// countsWrong returns an error if the number of directories or files in a unit's line table is impossible (DWARF 5,
// 6.2.4). Tables of earlier versions contain no such numbers.
func countsWrong(section []byte, unit *dwarf.Entry) error {
	at, is := unit.Val(dwarf.AttrStmtList).(int64)
	if !is || at < 0 || at > int64(len(section)) {
		return nil // package dwarf reports the same error
	}
	t := &lineTable{left: section[at:], offset: 4}
	if t.number(4) == 0xffffffff {
		t.offset = 8
		t.number(8)
	}
	if version := t.number(2); version != 5 {
		return t.err
	}
	// skip the sizes of addresses and segment selectors, the header's length, and five bytes about line numbers
	t.bytes(2 + t.offset + 5)
	t.bytes(max(int(t.number(1)), 1) - 1)
	t.entries()
	t.entries()
	return t.err
}

// entries skips the list of directories, or of files. Such a list consists of the description of an entry, the number
// of entries, and the entries. entries sets t.err if the number is impossible or the list is cut.
func (t *lineTable) entries() {
	forms := make([]uint64, t.number(1))
	for i := range forms {
		t.unsigned()
		forms[i] = t.unsigned()
	}
	count := t.unsigned()
	if t.err == nil && (count > mostFiles || count > 0 && len(forms) == 0) {
		t.err = fmt.Errorf("its table of source lines names %d files, which is impossible", count)
	}
	for i := uint64(0); i < count && t.err == nil; i++ {
		for _, form := range forms {
			t.skip(form)
		}
	}
}

// The forms (encodings) in which a line table may have a file's name and attributes (DWARF 5, 7.5.6).
const (
	formData2    = 0x05
	formData4    = 0x06
	formData8    = 0x07
	formString   = 0x08
	formBlock    = 0x09
	formData1    = 0x0b
	formStrp     = 0x0e
	formUdata    = 0x0f
	formStrx     = 0x1a
	formStrpSup  = 0x1d
	formData16   = 0x1e
	formLineStrp = 0x1f
	formStrx1    = 0x25
	formStrx2    = 0x26
	formStrx3    = 0x27
	formStrx4    = 0x28
)

var formBytes = map[uint64]int{formData1: 1, formData2: 2, formData4: 4, formData8: 8, formData16: 16, formStrx1: 1,
	formStrx2: 2, formStrx3: 3, formStrx4: 4}

func (t *lineTable) skip(form uint64) {
	switch form {
	case formStrp, formLineStrp, formStrpSup:
		t.bytes(t.offset)
	case formUdata, formStrx:
		t.unsigned()
	case formBlock:
		t.bytes(int(min(t.unsigned(), uint64(len(t.left))+1)))
	case formString:
		if end := bytes.IndexByte(t.left, 0); end >= 0 {
			t.bytes(end + 1)
		} else {
			t.bytes(len(t.left) + 1) // marks the table as truncated
		}
	default:
		n := formBytes[form]
		if n == 0 && t.err == nil {
			t.err = fmt.Errorf("its table of source lines has file names of an unknown form, %#x", form)
		}
		t.bytes(n)
	}
}

func (t *lineTable) bytes(n int) []byte {
	if n > len(t.left) {
		n = len(t.left)
		if t.err == nil {
			t.err = errors.New("its table of source lines is cut off")
		}
	}
	b := t.left[:n]
	t.left = t.left[n:]
	return b
}

// number reads an unsigned little-endian number of n bytes. Big-endian files were refused earlier, by parse.
func (t *lineTable) number(n int) (v uint64) {
	for i, b := range t.bytes(n) {
		v |= uint64(b) << (8 * i)
	}
	return v
}

// unsigned reads an unsigned LEB128 number (DWARF 5, 7.6), which has the same encoding as Go's varint.
func (t *lineTable) unsigned() uint64 {
	v, n := binary.Uvarint(t.left)
	if n <= 0 {
		n = len(t.left) + 1
	}
	t.bytes(n)
	return v
}
