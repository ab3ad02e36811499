package xctrace

import (
	"bytes"
	"errors"
	"math"
	"strconv"
)

// cell is the value of one XML element. The kind of the element's tag decides what word is: a number, an index into a
// list of the Dictionary, or for a label the indices of its text and its process.
type cell struct {
	word  uint64
	state cellState
}

type cellState uint8

const (
	cellNull   cellState = iota // no value: <sentinel/>, or the number that stands for it
	cellValue                   //
	cellBroken                  // a reference to an undefined id, or text that is not a number
)

func (c cell) number() uint64        { return c.word }
func (c cell) decimal() float64      { return math.Float64frombits(c.word) }
func (c cell) text() TextIndex       { return TextIndex(c.word) }
func (c cell) process() ProcessIndex { return ProcessIndex(c.word) }
func (c cell) thread() ThreadIndex   { return ThreadIndex(c.word) }
func (c cell) stack() StackIndex     { return StackIndex(c.word) }

func label(text TextIndex, process ProcessIndex) uint64 { return uint64(text) | uint64(process)<<32 }
func (c cell) labelText() TextIndex                     { return TextIndex(c.word) }
func (c cell) labelProcess() ProcessIndex               { return ProcessIndex(c.word >> 32) }

// valueReader converts XML elements to cells. It remembers the cells of elements with an id, because later elements
// refer to them.
type valueReader struct {
	scan *scanner
	dict *Dictionary
	tags *tagTable
	ids  idTable

	// Counts of wrong values in the current row.
	dangling  int64 // references to an id not defined before
	mistyped  int64 // references to an id of another type
	malformed int64 // values that do not have the form of their type

	keepOpaque bool // texts of unknown types are kept, as long as they are few and short
	opaque     int  // number of texts of unknown types that were kept
	raw        bool // every value is kept as it is displayed

	dangled int64 // references counted as dangling in the whole document; the count of a row is lost if the row is dropped
	text    []byte
	frames  []FrameIndex
}

// errTooManyTags is returned for a document with more than maxTags different element names, which cannot be an
// export.
var errTooManyTags = errors.New("more than 2048 different element names: this is not an export of xctrace")

// child reads the next element, number n, inside an element with the tag `parent`. `more` is false if parent has no
// further element.
func (v *valueReader) child(parent *tag, n int) (t *tag, c cell, more bool, err error) {
	n = min(n, maxParts-1)
	if t = parent.parts[n]; t != nil {
		if c, ok, err := v.shortcut(t); ok {
			return t, c, true, err
		}
	}
	for {
		switch tok, err := v.scan.next(); {
		case err != nil:
			return nil, cell{}, false, err
		case tok == tokenEOF:
			return nil, cell{}, false, errTruncated
		case tok == tokenEnd:
			return nil, cell{}, false, nil
		case tok != tokenText:
			got, c, err := v.element(tok, t)
			parent.parts[n] = got
			return got, c, true, err
		}
	}
}

// shortcut reads the next element if it has the expected tag and one of the two most common forms: a reference, or a
// number with an id. Otherwise ok is false and no element was read, but the scanner remembers the expected tag.
func (v *valueReader) shortcut(t *tag) (c cell, ok bool, err error) {
	switch how, id, n := v.scan.shortcut(t.start, t.kind == kindNumber); how {
	case shortReference:
		c, err = v.reference(id, t)
		return c, true, err
	case shortNumber:
		c = v.numeral(t, n)
		return c, true, v.define(id, t, c)
	}
	v.scan.expect = t.start
	return cell{}, false, nil
}

// define stores the value of the element with an id. It also stores an invalid time, so that an element that refers to
// it is recognized as invalid, too.
func (v *valueReader) define(id uint32, t *tag, c cell) error {
	if c.state == cellBroken && !(t.time && c.word > maxTime) {
		return nil
	}
	return v.ids.set(id, t.index, c.word)
}

// element reads the element whose first token the scanner just returned. `expected` is the tag that the element
// probably has, which saves a lookup, or nil.
func (v *valueReader) element(tok token, expected *tag) (*tag, cell, error) {
	s := v.scan
	t := expected
	if t == nil || t.name != string(s.name) {
		if t = v.tags.find(s.name); t == nil {
			return nil, cell{}, errTooManyTags
		}
	}
	if t.kind == kindSentinel {
		if tok == tokenStart {
			return t, cell{}, v.skip()
		}
		return t, cell{}, nil
	}
	id := s.id
	for i := range s.attrs {
		if s.id >= 0 {
			break
		}
		a := &s.attrs[i]
		switch string(a.name) {
		case "ref":
			n, ok := parseNumber(a.value)
			if !ok || n >= maxID {
				v.malformed++
				return t, cell{state: cellBroken}, v.leave(tok)
			}
			c, err := v.reference(uint32(n), t)
			if err != nil {
				return t, c, err
			}
			return t, c, v.leave(tok)
		case "id":
			n, ok := parseNumber(a.value)
			if !ok || n >= maxID {
				v.malformed++
				continue
			}
			id = int64(n)
		}
	}
	var c cell
	var err error
	if v.raw {
		if c, err = v.rawElement(tok, t); err != nil {
			return t, c, err
		}
	} else if tok == tokenStart || t.kind >= kindLabel {
		c, err = v.composite(tok, t)
		if err != nil {
			return t, c, err
		}
	} else {
		text := s.text
		if tok == tokenEmpty {
			text = nil
		}
		c = v.leaf(t, text)
	}
	if id >= 0 {
		err = v.define(uint32(id), t, c)
	}
	return t, c, err
}

// leave skips the content of an element that is a reference to another element.
func (v *valueReader) leave(tok token) error {
	if tok == tokenStart {
		return v.skip()
	}
	return nil
}

// skip reads up to the end of the open element.
func (v *valueReader) skip() error {
	for depth := 1; depth > 0; {
		tok, err := v.scan.next()
		if err != nil {
			return err
		}
		switch tok {
		case tokenStart:
			depth++
		case tokenEnd:
			depth--
		case tokenEOF:
			return errTruncated
		}
	}
	return nil
}

func (v *valueReader) reference(id uint32, t *tag) (cell, error) {
	index, word, err := v.ids.get(id)
	switch {
	case err != nil:
		return cell{state: cellBroken}, err
	case index == t.index && t.time && word > maxTime:
		v.malformed++
		return cell{word: word, state: cellBroken}, nil
	case index == t.index:
		if word == t.null {
			return cell{word: word, state: cellNull}, nil
		}
		return cell{word, cellValue}, nil
	case index == 0:
		v.dangling++
	default:
		v.mistyped++
	}
	v.dangled++
	return cell{state: cellBroken}, nil
}

// leaf returns the value of an element that has a text and no children.
func (v *valueReader) leaf(t *tag, text []byte) cell {
	switch t.kind {
	case kindNumber:
		n, ok := parseNumber(text)
		if !ok {
			if n, ok = parseOddNumber(text); !ok {
				v.malformed++
				return cell{state: cellBroken}
			}
		}
		return v.numeral(t, n)
	case kindDecimal:
		f, err := strconv.ParseFloat(string(bytes.TrimSpace(text)), 64)
		if err != nil {
			v.malformed++
			return cell{state: cellBroken}
		}
		return cell{math.Float64bits(f), cellValue}
	case kindText, kindPhrase:
		if bytes.IndexByte(text, '&') >= 0 {
			v.text, _ = unescape(v.text[:0], text)
			text = v.text
		}
		return cell{uint64(v.dict.text(text)), cellValue}
	case kindAddresses:
		return cell{uint64(v.addresses(text)), cellValue}
	}
	if display, ok := v.scan.attr("fmt"); ok {
		text = display
	}
	return cell{uint64(v.opaqueText(text)), cellValue}
}

// numeral returns the cell for the number n of type t, which is empty if n means "no value" for the type.
func (v *valueReader) numeral(t *tag, n uint64) cell {
	switch {
	case n == t.null:
		return cell{word: n, state: cellNull}
	case t.time && n > maxTime:
		v.malformed++
		return cell{word: n, state: cellBroken}
	}
	return cell{n, cellValue}
}

const (
	maxOpaque     = 100_000 // number of texts of unknown types
	longestOpaque = 64
)

// opaqueText stores the text of a value whose type mtrace does not know, if keepOpaque is set, and returns its index,
// or 0.
func (v *valueReader) opaqueText(text []byte) TextIndex {
	if !v.keepOpaque || v.opaque == maxOpaque || len(text) > longestOpaque || len(text) == 0 {
		return 0
	}
	v.text, _ = unescape(v.text[:0], text)
	before := len(v.dict.Texts)
	i := v.dict.text(v.text)
	v.opaque += len(v.dict.Texts) - before
	return i
}

// parseNumber parses an unsigned decimal number. It returns false if b is anything else.
func parseNumber(b []byte) (uint64, bool) {
	if len(b) == 0 || len(b) > 20 {
		return 0, false
	}
	var n uint64
	for _, c := range b {
		d := uint64(c - '0')
		if d > 9 {
			return 0, false
		}
		n = n*10 + d
	}
	if len(b) == 20 {
		// Only numbers of 20 digits can overflow uint64.
		n, err := strconv.ParseUint(string(b), 10, 64)
		return n, err == nil
	}
	return n, true
}

// parseOddNumber parses numbers in the forms of exports that another program re-indented: with white space around the
// digits, or with -1 for the largest number.
func parseOddNumber(b []byte) (uint64, bool) {
	b = bytes.TrimSpace(b)
	if len(b) > 1 && b[0] == '-' {
		n, err := strconv.ParseInt(string(b), 10, 64)
		return uint64(n), err == nil
	}
	return parseNumber(b)
}
