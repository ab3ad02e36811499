package analyze

import (
	"strings"
	"unicode"
)

// Printable makes a text safe for one line of a terminal: it removes control characters. Labels and names come from the
// traced program and may contain any.
func Printable(text string) string {
	if plain(text) {
		return text
	}
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

// plain reports whether a text has only printable ASCII characters, as nearly all names do. Profiles ask for each call.
func plain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}
