package analyze

import (
	"io"
	"regexp"
	"unicode/utf8"
)

// SafeText is a writer of text for a terminal. It lets nothing through that would steer the terminal: of control
// characters, C1 included, only line ends, tabs and, with colours, changes of colour. Everything else of that kind
// becomes U+FFFD.
//
// It is the last line of defence: labels and names are the traced program's. Columns are as wide as they should be only
// if the cells went through Printable before.
func SafeText(w io.Writer, colours bool) io.Writer { return &safeWriter{w: w, colours: colours} }

// SafeJSON is a writer of JSON documents for a terminal: it writes DEL and C1, which JSON allows in texts, as \u00XX.
// Of other control characters JSON allows none in texts.
func SafeJSON(w io.Writer) io.Writer { return &safeWriter{w: w, json: true} }

type safeWriter struct {
	w             io.Writer
	colours, json bool
	rest          []byte // the begin of a character, or of a change of colour, that was not there to its end
	out           []byte
}

// colour matches a change of colour: SGR of ECMA-48.
var colour = regexp.MustCompile(`^\x1b\[[0-9;]*m`)

// longestColour bounds how long the begin of a change of colour is kept.
const longestColour = 32

func (s *safeWriter) Write(text []byte) (int, error) {
	written := len(text)
	if len(s.rest) > 0 {
		text = append(s.rest, text...)
		s.rest = nil
	}
	s.out = s.out[:0]
	for len(text) > 0 {
		if c := text[0]; c >= ' ' && c < 0x7f || c == '\n' || c == '\t' {
			s.out, text = append(s.out, c), text[1:]
			continue
		}
		if !utf8.FullRune(text) {
			s.rest = append([]byte(nil), text...)
			break
		}
		r, size := utf8.DecodeRune(text)
		switch {
		case r >= 0xa0 && (r != utf8.RuneError || size > 1):
			s.out = append(s.out, text[:size]...)
		case s.json && r >= 0x7f:
			const digits = "0123456789abcdef"
			if r == utf8.RuneError {
				s.out = append(s.out, `\ufffd`...)
				break
			}
			s.out = append(s.out, '\\', 'u', '0', '0', digits[r>>4], digits[r&15])
		case s.json && r == '\r':
			s.out = append(s.out, '\r')
		case s.colours && r == 0x1b:
			if m := colour.Find(text); m != nil {
				s.out, size = append(s.out, m...), len(m)
				break
			}
			if len(text) < longestColour && begun.Match(text) {
				s.rest = append([]byte(nil), text...)
				size = len(text)
				break
			}
			s.out = append(s.out, "\uFFFD"...)
		default:
			s.out = append(s.out, "\uFFFD"...)
		}
		text = text[size:]
	}
	if _, err := s.w.Write(s.out); err != nil {
		return 0, err
	}
	return written, nil
}

// begun matches all of a text that is the begin of a change of colour.
var begun = regexp.MustCompile(`^\x1b(?:\[[0-9;]*)?$`)
