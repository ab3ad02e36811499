package xctrace

import (
	"bytes"
	"errors"
	"math"
	"strconv"
)

// cell is the value of one element: a number, or an index into the Dictionary,
// by the kind of its tag. A label packs the index of its text and of its
// process.
type cell struct {
	word  uint64
	state cellState
}

type cellState uint8

const (
	cellNull   cellState = iota // <sentinel/> or the number that means it
	cellValue                   //
	cellBroken                  // a reference to nothing, or text that is no number
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

// valueReader turns elements into cells and remembers the ones with an id.
type valueReader struct {
	scan *scanner
	dict *Dictionary
	tags *tagTable
	ids  idTable

	// What went wrong in the current row.
	dangling  int64 // references to an id not defined before
	mistyped  int64 // references to an id of another type
	malformed int64 // values that are not of their type

	dangled int64 // all of the document, so that none is lost with its row
	text    []byte
	frames  []FrameIndex
}

// errTooManyTags reports a document that cannot be an export.
var errTooManyTags = errors.New("more than 2048 different element names: this is not an export of xctrace")

// element reads the element whose first token was just scanned. expected is
// the tag it should have, if known, and saves the search for it.
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
	id := int64(-1)
	for i := range s.attrs {
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
	if tok == tokenStart || t.kind >= kindLabel {
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
	if id >= 0 && c.state != cellBroken {
		err = v.ids.set(uint32(id), t.index, c.word)
	}
	return t, c, err
}

// leave passes over what may stand inside an element that is only a reference.
func (v *valueReader) leave(tok token) error {
	if tok == tokenStart {
		return v.skip()
	}
	return nil
}

// skip passes over the rest of the open element.
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

// leaf reads a value that is text.
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
		if n == t.null {
			return cell{word: n, state: cellNull}
		}
		return cell{n, cellValue}
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
	return cell{state: cellValue}
}

// parseNumber reads an unsigned decimal number.
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
		// The one length that can overflow.
		n, err := strconv.ParseUint(string(b), 10, 64)
		return n, err == nil
	}
	return n, true
}

// parseOddNumber reads what trimmed and indented exports hold: white space
// around the digits, and -1 for the largest number.
func parseOddNumber(b []byte) (uint64, bool) {
	b = bytes.TrimSpace(b)
	if len(b) > 1 && b[0] == '-' {
		n, err := strconv.ParseInt(string(b), 10, 64)
		return uint64(n), err == nil
	}
	return parseNumber(b)
}

// composite reads an element that has children, or whose type has.
func (v *valueReader) composite(tok token, t *tag) (cell, error) {
	var parts composite
	switch t.kind {
	case kindProcess, kindThread:
		// The name is nowhere but in the displayed text.
		display, _ := v.scan.attr("fmt")
		parts.display, _ = unescape(nil, display)
	case kindFrame:
		name, _ := v.scan.attr("name")
		unescaped, _ := unescape(nil, name)
		parts.frame.Name = string(unescaped)
		if address, ok := v.scan.attr("addr"); ok {
			parts.frame.Address, _ = strconv.ParseUint(string(address), 0, 64)
		}
	}
	if tok == tokenLeaf && t.kind == kindLabel {
		// A label that is plain text.
		return cell{label(v.leaf(plainText, v.scan.text).text(), 0), cellValue}, nil
	}
	parts.from = len(v.frames)
	for tok == tokenStart {
		inner, err := v.scan.next()
		if err != nil {
			return cell{}, err
		}
		if inner == tokenEOF {
			return cell{}, errTruncated
		}
		if inner == tokenEnd {
			break
		}
		if inner == tokenText {
			continue
		}
		if string(v.scan.name) == "binary" {
			if name, ok := v.scan.attr("name"); ok {
				parts.binary, _ = unescape(nil, name)
			}
		}
		childTag, child, err := v.element(inner, nil)
		if err != nil {
			return cell{}, err
		}
		parts.add(v, childTag, child)
	}
	c := cell{state: cellBroken}
	switch {
	case parts.broken:
	case t.kind == kindNumber || t.kind == kindDecimal || t.kind == kindAddresses:
		v.malformed++ // a number has no children
	default:
		c = cell{parts.word(v, t), cellValue}
	}
	v.frames = v.frames[:parts.from]
	return c, nil
}

var plainText = &tag{name: "string", kind: kindText, null: noNull}

// maxParts is how many texts of one label are kept; real labels have up to
// four.
const maxParts = 8

// composite gathers the children of an element.
type composite struct {
	display []byte
	number  uint64 // pid or tid
	known   bool   // number is
	process ProcessIndex
	texts   [maxParts]TextIndex // given by the program
	count   int
	phrases [maxParts]TextIndex // between them
	joints  int
	frame   Frame
	binary  []byte
	from    int // in valueReader.frames
	stack   StackIndex
	address uint64
	broken  bool
}

func (p *composite) add(v *valueReader, t *tag, c cell) {
	if c.state == cellBroken {
		p.broken = true
		return
	}
	if c.state != cellValue {
		return
	}
	switch t.kind {
	case kindText:
		if c.text() == 0 || p.process != 0 {
			break
		}
		if blank(v.dict.Text(c.text())) {
			break
		}
		if p.count < maxParts {
			p.texts[p.count] = c.text()
			p.count++
		}
	case kindPhrase:
		if p.joints < maxParts && p.process == 0 {
			p.phrases[p.joints] = c.text()
			p.joints++
		}
	case kindProcess:
		p.process = c.process()
	case kindThread:
		p.process = v.dict.Threads[c.thread()].Process
	case kindFrame:
		v.frames = append(v.frames, FrameIndex(c.word))
	case kindBacktrace:
		v.frames = append(v.frames, v.dict.Stacks[c.stack()]...)
	case kindAddresses:
		p.stack = c.stack()
	case kindNumber:
		switch t.name {
		case "pid", "tid":
			p.number, p.known = c.number(), true
		case "text-address":
			p.address = c.number()
		}
	}
}

// word is the value of the element itself.
func (p *composite) word(v *valueReader, t *tag) uint64 {
	switch t.kind {
	case kindProcess:
		return uint64(v.dict.process(p.number, p.display))
	case kindThread:
		return uint64(v.dict.thread(p.number, p.process, p.display))
	case kindFrame:
		p.frame.Binary = string(p.binary)
		return uint64(v.dict.frame(p.frame))
	case kindBacktrace:
		return uint64(v.dict.stack(v.frames[p.from:]))
	case kindSample:
		// The frames hold the return addresses; the place itself comes apart.
		leaf := v.dict.frame(Frame{Address: p.address})
		frames := append(v.frames[p.from:], leaf)
		for i, f := range v.dict.Stacks[p.stack] {
			if a := v.dict.Frames[f].Address; a != 0 && (i > 0 || a != p.address) {
				frames = append(frames, f)
			}
		}
		return uint64(v.dict.stack(frames))
	case kindLabel:
		return label(p.label(v), p.process)
	case kindText, kindPhrase:
		return uint64(p.label(v)) // a message with arguments
	}
	return 0
}

// label is the text a user gave: the texts before the process, without the
// phrases around them; only a label that has no such text (a narrative) is its
// first phrases.
func (p *composite) label(v *valueReader) TextIndex {
	if p.count == 1 {
		return p.texts[0]
	}
	v.text = v.text[:0]
	all := p.texts[:p.count]
	if p.count == 0 {
		all = p.phrases[:p.joints]
	}
	for _, t := range all {
		if p.count > 0 && len(v.text) > 0 {
			v.text = append(v.text, ' ')
		}
		v.text = append(v.text, v.dict.Text(t)...)
	}
	trimmed := bytes.TrimSpace(v.text)
	if p.count == 0 && p.process != 0 {
		trimmed = bytes.TrimSpace(bytes.TrimSuffix(trimmed, []byte("(")))
	}
	return v.dict.text(trimmed)
}

// addresses reads "6487614000 6487524148 0".
func (v *valueReader) addresses(text []byte) StackIndex {
	from := len(v.frames)
	for len(text) > 0 {
		text = bytes.TrimLeft(text, " \t\r\n")
		end := bytes.IndexAny(text, " \t\r\n")
		if end < 0 {
			end = len(text)
		}
		if end == 0 {
			break
		}
		n, ok := parseNumber(text[:end])
		if !ok {
			v.malformed++
			break
		}
		if n != 0 {
			v.frames = append(v.frames, v.dict.frame(Frame{Address: n}))
		}
		text = text[end:]
	}
	stack := v.dict.stack(v.frames[from:])
	v.frames = v.frames[:from]
	return stack
}

func blank(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] != ' ' {
			return false
		}
	}
	return true
}
