package xctrace

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// scannerEvents writes a document as one line per event, in a form that two parsers
// can be compared by.
func scannerEvents(s *scanner) ([]string, error) {
	var events []string
	text := func(raw []byte) {
		decoded, _ := unescape(nil, raw)
		addText(&events, string(decoded))
	}
	var open []string
	start := func() {
		line := "<" + string(s.name)
		for _, a := range s.attrs {
			value, _ := unescape(nil, a.value)
			line += fmt.Sprintf(" %s=%q", a.name, lineEnds(string(value)))
		}
		events = append(events, line)
	}
	for {
		tok, err := s.next()
		if err != nil {
			return events, err
		}
		switch tok {
		case tokenEOF:
			return events, nil
		case tokenStart:
			start()
			open = append(open, string(s.name))
		case tokenEnd:
			events = append(events, "</"+open[len(open)-1])
			open = open[:len(open)-1]
		case tokenEmpty:
			start()
			events = append(events, "</"+string(s.name))
		case tokenLeaf:
			name := string(s.name)
			start()
			text(s.text)
			events = append(events, "</"+name)
		case tokenText:
			text(s.text)
		}
	}
}

// addText adds text to the events; runs of text are one.
func addText(events *[]string, s string) {
	if s = lineEnds(s); s == "" {
		return
	}
	if n := len(*events); n > 0 && strings.HasPrefix((*events)[n-1], "\"") {
		var before string
		fmt.Sscanf((*events)[n-1], "%q", &before)
		(*events)[n-1] = fmt.Sprintf("%q", before+s)
		return
	}
	*events = append(*events, fmt.Sprintf("%q", s))
}

// lineEnds makes \r\n and \r one \n, which XML demands and exports never need.
func lineEnds(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// errOther marks input that encoding/xml accepts and the scanner deliberately does not.
var errOther = errors.New("a part of XML that exports do not have")

func standardEvents(data []byte) ([]string, error) {
	d := xml.NewDecoder(bytes.NewReader(data))
	var events []string
	depth, roots := 0, 0
	var names []string
	raw := func(n xml.Name) string {
		if n.Space != "" {
			return n.Space + ":" + n.Local
		}
		return n.Local
	}
	for {
		tok, err := d.RawToken()
		if err == io.EOF {
			if depth > 0 || roots == 0 {
				return events, io.ErrUnexpectedEOF
			}
			return events, nil
		}
		if err != nil {
			return events, err
		}
		switch t := tok.(type) {
		case xml.StartElement:
			if depth == 0 {
				roots++
			}
			depth++
			line := "<" + raw(t.Name)
			names = append(names, raw(t.Name))
			for _, a := range t.Attr {
				line += fmt.Sprintf(" %s=%q", raw(a.Name), lineEnds(a.Value))
			}
			events = append(events, line)
		case xml.EndElement:
			if depth == 0 || names[depth-1] != raw(t.Name) {
				return events, errOther // RawToken does not check this
			}
			depth--
			names = names[:depth]
			events = append(events, "</"+raw(t.Name))
		case xml.CharData:
			if depth == 0 {
				if len(bytes.TrimSpace(t)) > 0 {
					return events, errOther
				}
				continue
			}
			addText(&events, string(t))
		case xml.Directive:
			return events, errOther
		}
	}
}

var scanSeeds = []string{
	`<a/>`, `<a></a>`, `<a>text</a>`, `<a b="c" d='e'/>`, `<a><b/>t<c>u</c></a>`,
	"<?xml version=\"1.0\"?>\n<r>\n <x i = \"1\" /> </r>\n", `<a b="&lt;&amp;&quot;&#65;&#x42;">&gt;&apos;</a>`,
	`<!-- c --><a><!-- > --><b>1<!-- x -->2</b></a>`, `<a b=">"/>`, `<a/><b/>`, `<é/>`, `<a x="µs – ×"/>`,
	`<a`, `<a b`, `<a b=`, `<a b="`, `<a></b>`, `</a>`, `<a b="<"/>`, `<a b=c/>`, `<a resident-%="1"/>`, `<1/>`, `< a/>`,
	`<a/ >`, `<a b="1"c="2"/>`,
	`<b><a id="12" fmt="a b &amp; c">34</a><a id="12" fmt="x"><c/></a><a id="13" fmt="x" g="h">1</a>` +
		`<a id="13" fmt="x"/></b>`,
	`<a id="12" fmt="a < b">some more text</a>`, `<a id="12" fmt="a"b="some more text">1</a>`,
	`<a id="12" fmt="a>some more text</a>`,
	`<!DOCTYPE x><a/>`, `<a><![CDATA[x]]></a>`, `text<a/>`, `<a/>text`, ``, ` `, "\xef\xbb\xbf<a/>", `<a>]]></a>`,
	`<a>&bad;</a>`, `<a></a >`,
}

// The scanner reads the same as encoding/xml. On all other input it returns an error or an end, and never depends on
// how the bytes arrive.
func FuzzScanner(f *testing.F) {
	for _, s := range scanSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := scannerEvents(newScanner(bytes.NewReader(data)))
		piecewise := newScanner(iotest.OneByteReader(bytes.NewReader(data)))
		piecewise.buf = make([]byte, 0, 1)
		again, errAgain := scannerEvents(piecewise)
		if fmt.Sprint(got, err != nil, err == errTruncated) != fmt.Sprint(again, errAgain != nil, errAgain == errTruncated) {
			t.Fatalf("whole: %q, %v\nbyte by byte: %q, %v", got, err, again, errAgain)
		}
		want, stdErr := standardEvents(data)
		if stdErr != nil || bytes.Contains(data, []byte("<![CDATA[")) {
			return
		}
		if err != nil {
			// encoding/xml accepts attributes without a space between them, which the standard forbids.
			if strings.Contains(err.Error(), "deeper") || strings.Contains(err.Error(), "no space before") {
				return
			}
			t.Fatalf("%q: %v, but encoding/xml reads %q", data, err, want)
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("%q:\n got %q\nwant %q", data, got, want)
		}
	})
}

func TestScannerErrors(t *testing.T) {
	for _, c := range []struct{ doc, want string }{
		{`<a></b>`, "byte 3: </b> closes <a>"},
		{`</a>`, "closes nothing"},
		{`<a b="<"/>`, "'<' inside attribute b of <a>"},
		{`<a b=c/>`, "has no quotes"},
		{`<a b/>`, "without a value"},
		{`<a/b>`, "'/' inside the tag"},
		{`<a b="1"c="2"/>`, "no space before"},
		{`<1/>`, "is no element"},
		{`<!DOCTYPE a><a/>`, "document type"},
		{`<a><![CDATA[x]]></a>`, "CDATA"},
		{`{"json": 1} <a/>`, "where a document should begin"},
		{strings.Repeat("<a>", 100), "deeper than 64"},
	} {
		_, err := scannerEvents(newScanner(strings.NewReader(c.doc)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q: error %v, want %q", c.doc, err, c.want)
		}
	}
}

// A reader that fails in the middle is that reader's error, not a cut file.
func TestScannerKeepsTheErrorOfItsSource(t *testing.T) {
	failing := io.MultiReader(strings.NewReader("<a><b>"), iotest.ErrReader(errors.New("disk gone")))
	if _, err := scannerEvents(newScanner(failing)); err == nil || err.Error() != "disk gone" {
		t.Errorf("error %v, want disk gone", err)
	}
}

// An element that never ends must not take all memory before it is refused.
func TestScannerBoundsOneElement(t *testing.T) {
	s := newScanner(io.MultiReader(strings.NewReader("<a>"), endless{}))
	_, err := scannerEvents(s)
	if err == nil || !strings.Contains(err.Error(), "longer than 64 MiB") {
		t.Errorf("error %v, want a refusal", err)
	}
	if cap(s.buf) > 2*maxToken {
		t.Errorf("the window grew to %d bytes", cap(s.buf))
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}
