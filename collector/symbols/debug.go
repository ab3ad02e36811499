package symbols

import (
	"bytes"
	"compress/zlib"
	"debug/dwarf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// mostDebug is the maximum size of a file's debug information, in bytes. Larger debug information is not read,
// because all of it is held in memory.
const mostDebug = 512 << 20

// A debugSection is a DWARF section of a file. name has no prefix such as "." or "__".
type debugSection struct {
	name string // debug_info, or zdebug_info for the old compression
	size uint64 // number of bytes that data returns
	data func() ([]byte, error)
}

// lines looks up the source lines of addresses, which must be sorted, in a file's debug sections. A file without
// DWARF gives no lines and no error. After the time `until` it returns errLate with the lines found so far.
func lines(sections []debugSection, addresses []uint64, until time.Time) (map[uint64]line, error) {
	if time.Now().After(until) {
		return nil, errLate
	}
	wanted := []string{"abbrev", "info", "line", "ranges", "str", "addr", "line_str", "rnglists", "str_offsets"}
	content, total := map[string][]byte{}, uint64(0)
	for _, s := range sections {
		name, is := strings.CutPrefix(s.name, "debug_")
		packed := !is && strings.HasPrefix(s.name, "zdebug_")
		if packed {
			name = s.name[len("zdebug_"):]
		}
		if !slices.Contains(wanted, name) || content[name] != nil {
			continue
		}
		if total += s.size; total > mostDebug || s.size > mostDebug {
			return nil, fmt.Errorf("its debug information is more than %d MiB", mostDebug>>20)
		}
		b, err := s.data()
		if err == nil && packed {
			b, err = unpack(b, mostDebug-total)
			total += uint64(len(b))
		}
		if err != nil {
			return nil, fmt.Errorf("its debug information is broken: %s: %w", s.name, err)
		}
		content[name] = b
	}
	if len(content["info"]) == 0 || len(content["line"]) == 0 {
		return nil, nil
	}
	data, err := parse(content)
	if err != nil {
		return nil, fmt.Errorf("its debug information is broken: %w", err)
	}
	return findLines(data, content["info"], content["line"], addresses, until)
}

func parse(content map[string][]byte) (data *dwarf.Data, err error) {
	defer func() {
		if broken := recover(); broken != nil { // package dwarf panics on some files
			err = fmt.Errorf("%v", broken)
		}
	}()
	// The version is a small number, so its first byte is 0 only in big-endian files. Those are refused, because
	// lineTable reads little-endian numbers.
	if info := content["info"]; len(info) > 5 && info[4] == 0 {
		return nil, errors.New("it is big-endian")
	}
	data, err = dwarf.New(content["abbrev"], nil, nil, content["info"], content["line"], nil, content["ranges"],
		content["str"])
	for _, name := range []string{"addr", "line_str", "rnglists", "str_offsets"} {
		if err == nil && content[name] != nil {
			err = data.AddSection(".debug_"+name, content[name])
		}
	}
	return data, err
}

// unpack decompresses a section in the old format: the text "ZLIB", the size as a big-endian 64-bit number, and zlib
// data. Other sections are returned as they are. A size above most is an error.
func unpack(b []byte, most uint64) ([]byte, error) {
	if len(b) < 12 || string(b[:4]) != "ZLIB" {
		return b, nil
	}
	size := binary.BigEndian.Uint64(b[4:])
	if size > most {
		return nil, fmt.Errorf("%d bytes are too many", size)
	}
	in, err := zlib.NewReader(bytes.NewReader(b[12:]))
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var out bytes.Buffer
	if n, err := io.Copy(&out, io.LimitReader(in, int64(size))); err != nil || uint64(n) != size {
		return nil, fmt.Errorf("%d bytes instead of %d: %v", n, size, err)
	}
	return out.Bytes(), nil
}
