package analyze

import (
	"io"
	"regexp"
	"unicode/utf8"
)

// SafeText returns a writer that passes text on to a terminal without control sequences. It passes line ends, tabs
// and, if colours is set, colour changes. All other control characters, C1 included, become U+FFFD.
//
// It protects all output, because labels and names come from the traced program and could otherwise control the
// terminal. Cells of a table must go through Printable first, or columns are not aligned.
func SafeText(w io.Writer, colours bool) io.Writer { return &safeWriter{w: w, colours: colours} }

// SafeJSON returns a writer that makes a JSON document safe to print on a terminal. It writes DEL and C1 control
// characters, which JSON allows in strings, as \u00XX. JSON itself forbids other control characters in strings.
func SafeJSON(w io.Writer) io.Writer { return &safeWriter{w: w, json: true} }

type safeWriter struct {
	w             io.Writer
	colours, json bool
	rest          []byte // incomplete character or colour change at the end of the last write
	out           []byte
}

// colour matches a colour change (control sequence SGR of ECMA-48).
var colour = regexp.MustCompile(`^\x1b\[[0-9;]*m`)

// longestColour is the maximum number of bytes of an incomplete colour change that Write keeps until its next call.
// Longer sequences are no colour changes and are replaced by U+FFFD.
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

// begun matches the beginning of a colour change that a later Write may complete.
var begun = regexp.MustCompile(`^\x1b(?:\[[0-9;]*)?$`)
