package symbols

import (
	"debug/dwarf"
	"strings"
	"testing"
)

// TestCountsWrong: package dwarf allocates as much as the header of a line table requests. A file of a traced program
// that requested 52 TB ended the collector (FuzzFind found it after five million files).
func TestCountsWrong(t *testing.T) {
	const before = "\x00\x01\x00\x00" + "\x05\x00" + "\x08\x00" + "\x00\x01\x00\x00" + "\x01\x01\x01\xfb\x0e" +
		"\x04\x00\x01\x01"
	for name, c := range map[string]struct{ table, says string }{
		"one directory, two files": {before + "\x01\x01\x1f\x01----\x02\x01\x1f\x02\x0b\x02----\x00----\x01", ""},
		"all forms": {before +
			"\x00\x00\x05\x01\x08\x02\x0f\x03\x09\x05\x1e\x04\x05\x01name\x00\x81\x00\x02--0123456789abcdef00", ""},
		"version 4 has no counts": {strings.Replace(before, "\x05\x00", "\x04\x00", 1) + "\x01\x01\x1f\xff\xff\xff\xff\x7f",
			""},
		"directories without end": {before + "\x01\x01\x1f\xf0\xfb\xfd\xef\xdb\xdf\x05----", "names 25279070174704 files"},
		"files without end":       {before + "\x01\x01\x1f\x01----\x01\x01\x1f\xff\xff\xff\xff\x7f----", "files"},
		"names of nothing":        {before + "\x00\x05\x00\x00", "names 5 files"},
		"fewer than it says":      {before + "\x01\x01\x1f\x03--------\x00\x00", "cut off"},
		"a name without end":      {before + "\x01\x01\x08\xff\xff\x3f" + strings.Repeat("-", 1<<20), "cut off"},
		"a number without end":    {before + "\x01\x01\x1f" + strings.Repeat("\xff", 20), "cut off"},
		"an unknown form":         {before + "\x01\x01\x01\x03--------\x00\x00", "form, 0x1"},
		"64-bit": {"\xff\xff\xff\xff\x00\x01\x00\x00\x00\x00\x00\x00\x05\x00\x08\x00" +
			"\x00\x01\x00\x00\x00\x00\x00\x00\x01\x01\x01\xfb\x0e\x01\x01\x01\x0e\x01--------\x00\x00", ""},
		"nothing": {"", "cut off"},
	} {
		t.Run(name, func(t *testing.T) {
			unit := &dwarf.Entry{Field: []dwarf.Field{{Attr: dwarf.AttrStmtList, Val: int64(1)}}}
			if err := countsWrong([]byte("!"+c.table), unit); (err == nil) != (c.says == "") || err != nil &&
				!strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, not %q", err, c.says)
			}
		})
	}
}
