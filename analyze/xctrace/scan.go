package xctrace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// A scanner cuts an export into elements.
//
// Why not a library: encoding/xml reads about 50 MB/s and rejects what Apple itself writes (an attribute named
// resident-%). Exports run to gigabytes, so reading one must not take longer than recording it did. Only a small part
// of XML is needed: elements, attributes, text, five named entities and character references. Comments and processing
// instructions are skipped; CDATA sections and document types, which xctrace does not write, are errors.
//
// Rules:
//   - An element without child elements is one token (tokenLeaf or tokenEmpty); only elements with children give a
//     start and an end.
//   - Slices in a token point into the window and are valid until the next call of next.
//   - End tags must match their start tags. '<' in an attribute value, an attribute without a value and a missing quote
//     are errors. An attribute name that is not an XML name is counted and accepted.
//   - If the input ends inside an element, the error is errTruncated, whatever the byte; nothing of the unfinished
//     element is delivered.
type scanner struct {
	src  io.Reader
	buf  []byte // window on the document
	pos  int    // next byte to scan, in buf
	base int64  // offset of buf[0] in the document
	eof  bool   // src has nothing more
	err  error  // the error of src, other than io.EOF

	hold int // in buf: fill keeps the bytes from here on; -1: only those from pos on

	expect string // the probable beginning of the next tag, with its '<'; "" if nothing is known about it

	name  []byte // the current element's name
	attrs []attribute
	text  []byte // the text of a leaf or a text token, with entities not replaced
	id    int64  // the id of a tag whose only attributes are id and fmt; -1 means: search the attributes

	open         []byte // names of the open elements, concatenated
	ends         []int  // where each name ends in open
	illegal      int    // illegal attribute names in the current tag
	illegalNames int64  // illegal attribute names in all tags
}

type attribute struct{ name, value []byte }

type token uint8

const (
	tokenEOF   token = iota
	tokenStart       // <a …> followed by child elements
	tokenEnd         // </a>
	tokenEmpty       // <a …/>
	tokenLeaf        // <a …>text</a>, text may be empty
	tokenText        // text between child elements
)

// windowSize is how many bytes of a file are in memory at once, unless an element is longer.
var windowSize = 256 << 10

const (
	// maxToken limits the size of one element or text in bytes, so that a file that is no export cannot fill the
	// memory. The longest real ones, call stacks, have some ten kilobytes.
	maxToken = 64 << 20
	maxDepth = 64
)

// errTruncated means that the document ends inside an element.
var errTruncated = errors.New("the document ends inside an element")

// errShort means that the window ends inside the current token, so that more must be read. It never reaches a caller
// of next.
var errShort = errors.New("window too short")

func newScanner(src io.Reader) *scanner {
	return &scanner{src: src, buf: make([]byte, 0, windowSize), hold: -1}
}

// offset returns the offset in the document of the next byte to scan.
func (s *scanner) offset() int64 { return s.base + int64(s.pos) }

// syntaxError is an error in the document, with its offset in bytes.
type syntaxError struct {
	Offset int64
	What   string
}

func (e *syntaxError) Error() string { return fmt.Sprintf("byte %d: %s", e.Offset, e.What) }

func (s *scanner) syntax(format string, args ...any) error {
	return &syntaxError{s.offset(), fmt.Sprintf(format, args...)}
}

// next returns the next token, or tokenEOF if the document ends outside of all elements.
func (s *scanner) next() (token, error) {
	for {
		tok, n, err := s.scan(s.buf[s.pos:])
		switch {
		case err == nil:
			s.pos += n
			if s.illegal > 0 {
				s.illegalNames += int64(s.illegal)
				s.illegal = 0
			}
			if tok != tokenEOF {
				return tok, nil
			}
			// scan skipped a comment or an instruction: continue with the next token
		case err == errShort:
			more, err := s.fill()
			if err != nil {
				return tokenEOF, err
			}
			if !more {
				if s.pos == len(s.buf) && len(s.ends) == 0 {
					return tokenEOF, nil
				}
				if len(s.ends) == 0 && len(bytes.TrimSpace(s.buf[s.pos:])) == 0 {
					s.pos = len(s.buf)
					return tokenEOF, nil
				}
				return tokenEOF, errTruncated
			}
		default:
			return tokenEOF, err
		}
	}
}

// fill moves the unread bytes to the front of the window and reads until the window is full. It returns false if
// there are no more bytes.
func (s *scanner) fill() (bool, error) {
	if s.err != nil {
		return false, s.err
	}
	if s.eof {
		return false, nil
	}
	from := s.pos
	if s.hold >= 0 && s.pos-s.hold <= maxHeld {
		from = s.hold
		s.hold = 0
	} else {
		s.hold = -1
	}
	rest := len(s.buf) - from
	if rest == cap(s.buf) {
		if rest >= maxToken {
			return false, s.syntax("one element is longer than %d MiB: this is not an export of xctrace", maxToken>>20)
		}
		grown := make([]byte, rest, 2*rest)
		copy(grown, s.buf[from:])
		s.buf = grown
	} else {
		s.buf = s.buf[:copy(s.buf[:rest], s.buf[from:])]
	}
	s.base += int64(from)
	s.pos -= from
	n, err := io.ReadFull(s.src, s.buf[rest:cap(s.buf)])
	s.buf = s.buf[:rest+n]
	switch err {
	case nil:
	case io.EOF, io.ErrUnexpectedEOF:
		// io.ReadFull returns ErrUnexpectedEOF instead of io.EOF after some bytes. A truncated gzip stream returns it
		// too, and is also at its end.
		s.eof = true
	default:
		s.err = err
	}
	// a zero byte is not allowed in XML; a disk that lost power leaves many
	if at := bytes.IndexByte(s.buf[rest:], 0); at >= 0 {
		s.err = &syntaxError{s.base + int64(rest+at), "a NUL byte"}
		s.buf, n = s.buf[:rest+at], at
		if n == 0 {
			return false, s.err
		}
	}
	return n > 0, nil
}

// maxHeld is the maximum size, in bytes, of a row whose text can be held until the row was read.
const maxHeld = 1 << 20

// held returns the bytes of the row from s.hold to the current position; nil if the row is too long to be held.
func (s *scanner) held() []byte {
	if s.hold < 0 {
		return nil
	}
	return s.buf[s.hold:s.pos]
}

// scan reads one token from b and returns its length. tokenEOF without an error means that a comment or the like was
// skipped.
func (s *scanner) scan(b []byte) (token, int, error) {
	if len(b) == 0 {
		return tokenEOF, 0, errShort
	}
	if b[0] != '<' {
		i := bytes.IndexByte(b, '<')
		if i < 0 {
			return tokenEOF, 0, errShort
		}
		if len(s.ends) == 0 {
			// between root elements only white space and a byte order mark are allowed
			if rest := bytes.TrimSpace(bytes.TrimPrefix(b[:i], []byte("\xef\xbb\xbf"))); len(rest) > 0 {
				return tokenEOF, 0, s.syntax("found %s where a document should begin", quoteStart(rest))
			}
			return tokenEOF, i, nil
		}
		s.text = b[:i]
		return tokenText, i, nil
	}
	if len(b) < 2 {
		return tokenEOF, 0, errShort
	}
	switch b[1] {
	case '/':
		return s.scanEnd(b)
	case '?':
		return s.pass(b, "?>")
	case '!':
		return s.scanDeclaration(b)
	}
	n, empty, err := s.scanTag(b)
	if err != nil {
		return tokenEOF, 0, err
	}
	if empty {
		return tokenEmpty, n, nil
	}
	// a leaf: text and the matching end tag follow directly
	i := bytes.IndexByte(b[n:], '<')
	if i < 0 {
		return tokenEOF, 0, errShort
	}
	end := n + i
	if len(b) < end+2 {
		return tokenEOF, 0, errShort
	}
	if b[end+1] == '/' {
		closing := end + 2 + len(s.name)
		if len(b) <= closing {
			if bytes.HasPrefix(append(s.name[:len(s.name):len(s.name)], '>'), b[end+2:]) {
				return tokenEOF, 0, errShort
			}
		} else if string(b[end+2:closing]) == string(s.name) && b[closing] == '>' {
			s.text = b[n:end]
			return tokenLeaf, closing + 1, nil
		}
	}
	if len(s.ends) == maxDepth {
		return tokenEOF, 0, s.syntax("elements nest deeper than %d", maxDepth)
	}
	s.open = append(s.open, s.name...)
	s.ends = append(s.ends, len(s.open))
	return tokenStart, n, nil
}

// scanTag reads a start tag into s.name and s.attrs. `n` is its length; `empty` tells that it ends in />.
func (s *scanner) scanTag(b []byte) (n int, empty bool, err error) {
	i := 1
	if n := len(s.expect); n > 0 && n < len(b) && string(b[:n]) == s.expect {
		i = n
	}
	for i < len(b) && byteClass[b[i]]&nameByte != 0 {
		i++
	}
	if i == len(b) {
		return 0, false, errShort
	}
	if i == 1 || byteClass[b[1]]&nameStart == 0 {
		return 0, false, s.syntax("%s is no element", quoteStart(b))
	}
	s.name = b[1:i]
	s.illegal = 0
	if n, ok := s.identified(b, i); ok {
		return n, false, nil
	}
	s.attrs, s.id = s.attrs[:0], -1
	for {
		spaced := i
		for i < len(b) && byteClass[b[i]]&space != 0 {
			i++
		}
		if i == len(b) {
			return 0, false, errShort
		}
		switch b[i] {
		case '>':
			return i + 1, false, nil
		case '/':
			if i+1 == len(b) {
				return 0, false, errShort
			}
			if b[i+1] != '>' {
				return 0, false, s.syntax("'/' inside the tag <%s>", s.name)
			}
			return i + 2, true, nil
		}
		if i == spaced {
			return 0, false, s.syntax("there is no space before an attribute of <%s>", s.name)
		}
		from := i
		for i < len(b) && byteClass[b[i]]&nameByte != 0 {
			i++
		}
		if i < len(b) && byteClass[b[i]]&attributeEnd == 0 {
			s.illegal++
			for i < len(b) && byteClass[b[i]]&attributeEnd == 0 {
				i++
			}
		}
		name := b[from:i]
		for i < len(b) && byteClass[b[i]]&space != 0 {
			i++
		}
		if i == len(b) {
			return 0, false, errShort
		}
		if b[i] != '=' || len(name) == 0 {
			return 0, false, s.syntax("attribute without a value in <%s>", s.name)
		}
		i++
		for i < len(b) && byteClass[b[i]]&space != 0 {
			i++
		}
		if i == len(b) {
			return 0, false, errShort
		}
		quote := b[i]
		if quote != '"' && quote != '\'' {
			return 0, false, s.syntax("attribute %s of <%s> has no quotes", name, s.name)
		}
		i++
		length := indexQuote(b[i:], quote)
		if length < 0 {
			return 0, false, errShort
		}
		if b[i+length] == '<' {
			return 0, false, s.syntax("'<' inside attribute %s of <%s>", name, s.name)
		}
		s.attrs = append(s.attrs, attribute{name, b[i : i+length]})
		i += length + 1
	}
}

func (s *scanner) scanEnd(b []byte) (token, int, error) {
	i := bytes.IndexByte(b, '>')
	if i < 0 {
		return tokenEOF, 0, errShort
	}
	from := 0
	if n := len(s.ends); n > 1 {
		from = s.ends[n-2]
	}
	name, open := b[2:i], s.open[from:]
	if string(name) != string(open) || len(s.ends) == 0 {
		name = bytes.TrimRight(name, " \t\r\n")
		if len(s.ends) == 0 {
			return tokenEOF, 0, s.syntax("</%s> closes nothing", name)
		}
		if string(open) != string(name) {
			return tokenEOF, 0, s.syntax("</%s> closes <%s>", name, open)
		}
	}
	s.open = s.open[:from]
	s.ends = s.ends[:len(s.ends)-1]
	s.name = name
	return tokenEnd, i + 1, nil
}

func (s *scanner) scanDeclaration(b []byte) (token, int, error) {
	const cdata = "<![CDATA["
	switch {
	case len(b) < len(cdata) && (bytes.HasPrefix([]byte(cdata), b) || bytes.HasPrefix([]byte("<!--"), b)):
		return tokenEOF, 0, errShort
	case bytes.HasPrefix(b, []byte("<!--")):
		i := bytes.Index(b[4:], []byte("-->"))
		if i < 0 {
			return tokenEOF, 0, errShort
		}
		return tokenEOF, 4 + i + 3, nil
	case bytes.HasPrefix(b, []byte(cdata)):
		return tokenEOF, 0, s.syntax("found a CDATA section, which xctrace does not write")
	}
	return tokenEOF, 0, s.syntax("found a document type declaration, which xctrace does not write")
}

// pass skips everything up to and including the text `end`.
func (s *scanner) pass(b []byte, end string) (token, int, error) {
	i := bytes.Index(b[2:], []byte(end))
	if i < 0 {
		return tokenEOF, 0, errShort
	}
	return tokenEOF, 2 + i + len(end), nil
}

// attr returns the value of an attribute of the current element, with entities not replaced; false if it has none of
// that name.
func (s *scanner) attr(name string) ([]byte, bool) {
	for i := range s.attrs {
		if string(s.attrs[i].name) == name {
			return s.attrs[i].value, true
		}
	}
	return nil, false
}
