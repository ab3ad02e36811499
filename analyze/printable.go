package analyze

import (
	"strings"
	"unicode"
)

// Printable makes a text safe for one line of a terminal: it removes control characters. Labels and names come from the
// traced program and may contain any.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return unicode.ReplacementChar
		}
		return r
	}, text)
}
