package xctrace

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// Classes of bytes in XML, as bits of byteClass.
const (
	nameByte     = 1 << iota // allowed in an XML name
	nameStart                // allowed at the start of an XML name
	space                    // white space
	attributeEnd             // ends an attribute name, even an illegal one
)

var byteClass = func() (class [256]uint8) {
	for c := range class {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c == ':', c >= 0x80:
			class[c] = nameByte | nameStart
		case c >= '0' && c <= '9', c == '-', c == '.':
			class[c] = nameByte
		case c == ' ', c == '\t', c == '\r', c == '\n':
			class[c] = space | attributeEnd
		case c == '=', c == '>', c == '<', c == '/', c == '"', c == '\'':
			class[c] = attributeEnd
		}
	}
	return class
}()

const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
	allLess  = '<' * lowBits
)

// indexQuote returns the index of the first quote or '<' in `b`, or -1. It looks at eight bytes at a time:
// (x-lowBits)&^x&highBits marks the zero bytes of x, correctly up to and including the first one.
func indexQuote(b []byte, quote byte) int {
	i := 0
	quotes := uint64(quote) * lowBits
	for ; i+8 <= len(b); i += 8 {
		word := binary.LittleEndian.Uint64(b[i:])
		x, y := word^quotes, word^allLess
		if found := ((x - lowBits) &^ x & highBits) | ((y - lowBits) &^ y & highBits); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(b); i++ {
		if b[i] == quote || b[i] == '<' {
			return i
		}
	}
	return -1
}

// quoteStart quotes the first 24 bytes of b for an error message.
func quoteStart(b []byte) string {
	if len(b) > 24 {
		return fmt.Sprintf("%q…", b[:24])
	}
	return fmt.Sprintf("%q", b)
}
