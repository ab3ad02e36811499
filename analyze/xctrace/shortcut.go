package xctrace

import "encoding/binary"

// Nearly all elements of an export have one of two forms: <name ref="12"/>, or <name id="34" fmt="…">. If the element's
// name is the expected one, it is parsed in one step, which makes reading a third faster. The scanner parses all other
// elements, and would parse these with the same result (FuzzRead compares).

// noShortcuts makes the scanner parse everything, for tests.
var noShortcuts = false

// The beginnings of attributes as little-endian numbers, so that eight bytes are compared at once; the masks clear
// the bytes after the beginning.
const (
	refAttribute  = uint64(' ') | 'r'<<8 | 'e'<<16 | 'f'<<24 | '='<<32 | '"'<<40
	refMask       = 1<<48 - 1
	refLength     = 6
	idAttribute   = uint64(' ') | 'i'<<8 | 'd'<<16 | '='<<24 | '"'<<32
	idMask        = 1<<40 - 1
	idLength      = 5
	fmtAttribute  = uint64('"') | ' '<<8 | 'f'<<16 | 'm'<<24 | 't'<<32 | '='<<40 | '"'<<48 // behind a value
	fmtMask       = 1<<56 - 1
	fmtLength     = 7
	longestNumber = 9  // number of digits of an id that is surely below maxID
	longestValue  = 19 // number of digits of a number that surely fits into 64 bits
	ahead         = 24 // maximum number of bytes that the attributes take, up to the displayed text
)

// startOf returns how a tag with this name begins ("<name"). It returns "" if the text is no valid name, because the
// types in a schema need not be names.
func startOf(name string) string {
	for i := range len(name) {
		if byteClass[name[i]]&nameByte == 0 {
			return ""
		}
	}
	if name == "" || byteClass[name[0]]&nameStart == 0 {
		return ""
	}
	return "<" + name
}

// digits parses the number at the beginning of b. `n` is its number of digits, or 0 if there are more than
// longestNumber. `b` must have more than longestNumber bytes: from a shorter b, digits could return only the first
// digits of a number.
func digits(b []byte) (number uint64, n int) {
	for n < len(b) && b[n]-'0' <= 9 {
		number = number*10 + uint64(b[n]-'0')
		if n++; n > longestNumber {
			return 0, 0
		}
	}
	return number, n
}

// A shortcut tells which of the two common forms an element has.
type shortcut uint8

const (
	shortNone      shortcut = iota // neither of the two common forms
	shortReference                 // <name ref="ID"/>
	shortNumber                    // <name id="ID" fmt="…">NUMBER</name>
)

// shortcut reads the next element if its tag begins with `start` and the element has one of the two common forms.
// `numeric` is true if the element's value is a number.
func (s *scanner) shortcut(start string, numeric bool) (how shortcut, id uint32, number uint64) {
	b := s.buf[s.pos:]
	at := len(start)
	if at == 0 || len(b) < at+ahead || string(b[:at]) != start || noShortcuts {
		return shortNone, 0, 0
	}
	if binary.LittleEndian.Uint64(b[at:])&refMask == refAttribute {
		b = b[at+refLength:]
		number, n := digits(b[:ahead-refLength])
		if n == 0 || b[n] != '"' || b[n+1] != '/' || b[n+2] != '>' {
			return shortNone, 0, 0
		}
		s.pos += at + refLength + n + 3
		return shortReference, uint32(number), 0
	}
	if !numeric {
		return shortNone, 0, 0
	}
	id, shown, ok := idAndText(b, at)
	if !ok {
		return shortNone, 0, 0
	}
	quote := indexQuote(b[shown:], '"')
	if quote < 0 || len(b) < shown+quote+2+longestValue+2+at || b[shown+quote] != '"' || b[shown+quote+1] != '>' {
		return shortNone, 0, 0
	}
	from := shown + quote + 2
	to := from
	for ; to < from+longestValue && b[to]-'0' <= 9; to++ {
		number = number*10 + uint64(b[to]-'0')
	}
	if to == from || b[to] != '<' || b[to+1] != '/' || string(b[to+2:to+1+at]) != start[1:] || b[to+1+at] != '>' {
		return shortNone, 0, 0
	}
	s.pos += to + 2 + at
	return shortNumber, id, number
}

// idAndText parses ` id="N" fmt="`, which must begin at index `at` of b. `shown` is the index of the displayed text,
// which follows.
func idAndText(b []byte, at int) (id uint32, shown int, ok bool) {
	if binary.LittleEndian.Uint64(b[at:])&idMask != idAttribute {
		return 0, 0, false
	}
	from := at + idLength
	number, n := digits(b[from : at+ahead-8])
	if n == 0 || binary.LittleEndian.Uint64(b[from+n:])&fmtMask != fmtAttribute {
		return 0, 0, false
	}
	return uint32(number), from + n + fmtLength, true
}

// identified parses a tag's attributes from index `at` to the end of the tag, if they are exactly id="N" fmt="…".
func (s *scanner) identified(b []byte, at int) (length int, ok bool) {
	if len(b) < at+ahead || noShortcuts {
		return 0, false
	}
	id, shown, ok := idAndText(b, at)
	if !ok {
		return 0, false
	}
	quote := indexQuote(b[shown:], '"')
	end := shown + quote
	if quote < 0 || b[end] != '"' || end+1 == len(b) || b[end+1] != '>' {
		return 0, false
	}
	s.id = int64(id)
	s.attrs = append(s.attrs[:0], attribute{b[at+1 : at+3], b[at+idLength : shown-fmtLength]},
		attribute{b[shown-5 : shown-2], b[shown:end]})
	return end + 2, true
}
