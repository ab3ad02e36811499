package xctrace

import (
	"bytes"
	"math"
	"strconv"

	"mtrace/analyze"
)

// composite reads an element whose value consists of its children, such as a thread, a call stack or a label.
func (v *valueReader) composite(tok token, t *tag) (cell, error) {
	var parts composite
	switch t.kind {
	case kindOpaque:
		if display, ok := v.scan.attr("fmt"); ok {
			parts.opaque = v.opaqueText(display)
		}
	case kindProcess, kindThread:
		// the name is only in the displayed text (attribute fmt); the children have only the pid and tid
		display, _ := v.scan.attr("fmt")
		parts.display, _ = unescape(nil, display)
	case kindFrame:
		name, _ := v.scan.attr("name")
		unescaped, _ := unescape(nil, name)
		parts.frame.Name = analyze.RustName(string(unescaped))
		if address, ok := v.scan.attr("addr"); ok {
			parts.frame.Address, _ = strconv.ParseUint(string(address), 0, 64)
		}
	case kindBinary:
		name, _ := v.scan.attr("name")
		unescaped, _ := unescape(nil, name)
		parts.number = uint64(v.dict.text(unescaped))
	case kindSource:
		line, _ := v.scan.attr("line")
		parts.number, _ = parseNumber(line)
	}
	if tok == tokenLeaf && t.kind == kindLabel {
		// this label consists of plain text
		return cell{label(v.leaf(plainText, v.scan.text).text(), 0), cellValue}, nil
	}
	parts.from = len(v.frames)
	for n := 0; tok == tokenStart; n++ {
		childTag, child, more, err := v.child(t, n)
		if err != nil {
			return cell{}, err
		}
		if !more {
			break
		}
		parts.add(v, childTag, child)
	}
	c := cell{state: cellBroken}
	switch {
	case parts.broken:
	case t.kind == kindNumber || t.kind == kindDecimal || t.kind == kindAddresses:
		v.malformed++ // an element with a number must not have children
	default:
		c = cell{parts.word(v, t), cellValue}
	}
	v.frames = v.frames[:parts.from]
	return c, nil
}

var plainText = &tag{name: "string", kind: kindText, null: noNull}

// maxParts is how many texts of a label are kept; real labels have up to four.
const maxParts = 8

// composite collects the children of one XML element, such as a thread, a call stack or a label. When all have been
// read, the method word computes the element's value from them.
type composite struct {
	display []byte
	number  uint64 // pid or tid, line, name of a binary
	process ProcessIndex
	texts   [maxParts]TextIndex // of a label: the program's texts
	count   int
	phrases [maxParts]TextIndex // of a label: Instruments' own words between the program's texts
	joints  int
	frame   Frame
	from    int // index of the element's first frame in valueReader.frames
	stack   StackIndex
	address uint64
	opaque  TextIndex
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
	case kindBinary:
		p.frame.Binary = v.dict.Text(c.text())
	case kindSource:
		p.frame.File, p.frame.Line = v.dict.Text(TextIndex(c.word>>32)), uint32(c.word)
	case kindFrame:
		v.frames = append(v.frames, FrameIndex(c.word))
	case kindBacktrace:
		v.frames = append(v.frames, v.dict.Stacks[c.stack()]...)
	case kindAddresses:
		p.stack = c.stack()
	case kindNumber:
		switch t.name {
		case "pid", "tid":
			p.number = c.number()
		case "text-address":
			p.address = c.number()
		}
	}
}

// word returns the element's value as one word: a number, or an index into the Dictionary.
func (p *composite) word(v *valueReader, t *tag) uint64 {
	switch t.kind {
	case kindOpaque:
		return uint64(p.opaque)
	case kindProcess:
		return uint64(v.dict.process(p.number, p.display))
	case kindThread:
		return uint64(v.dict.thread(p.number, p.process, p.display))
	case kindFrame:
		return uint64(v.dict.frame(p.frame))
	case kindBinary:
		return p.number
	case kindSource:
		return uint64(p.texts[0])<<32 | p.number&math.MaxUint32
	case kindBacktrace:
		return uint64(v.dict.stack(v.frames[p.from:]))
	case kindSample:
		// the other frames are return addresses; the sampled address itself is the innermost frame
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

// label returns the text that the user gave. Instruments writes a label as a sequence of its own phrases, the user's
// texts, and the process. The user's texts are those before the process; without any, label returns Instruments'
// phrases before the process.
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

// addresses reads a call stack of numbers, as "6487614000 6487524148 0". Zeros are left out.
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
