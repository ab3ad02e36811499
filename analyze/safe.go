package analyze

import (
	"io"
	"regexp"
	"unicode/utf8"
)

// SafeText returns a writer of text for a terminal that neutralizes control sequences. Of control characters, C1
// included, it passes only line ends, tabs and, if colours is set, colour changes. It replaces all others by U+FFFD.
//
// SafeText is the last line of defence, because labels and names come from the traced program. Columns of a table
// are aligned only if their cells went through Printable before.
func SafeText(w io.Writer, colours bool) io.Writer { return &safeWriter{w: w, colours: colours} }

// SafeJSON returns a writer of JSON documents for a terminal. It writes DEL and C1, which JSON allows in strings, as
// \u00XX. JSON allows no other control characters in strings.
func SafeJSON(w io.Writer) io.Writer { return &safeWriter{w: w, json: true} }

type safeWriter struct {
	w             io.Writer
	colours, json bool
	rest          []byte // incomplete character or colour change at the end of the last write
	out           []byte
}

// colour matches a colour change: SGR of ECMA-48.
var colour = regexp.MustCompile(`^\x1b\[[0-9;]*m`)

// longestColour limits how many bytes of an incomplete colour change are buffered.
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

// begun matches the beginning of a colour change.
var begun = regexp.MustCompile(`^\x1b(?:\[[0-9;]*)?$`)
