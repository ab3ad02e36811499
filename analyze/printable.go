package analyze

import (
	"strings"
	"unicode"
)

// Printable is a text for one line of a terminal, without what would steer it: labels and names are the traced
// program's.
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
