package analyze

import (
	"strings"
	"unicode"
)

// Printable makes a text safe to print on one line of a terminal: spaces of any kind become blanks, other characters
// that cannot be printed become U+FFFD. Names and labels come from the traced program and may contain control
// sequences.
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

// plain reports whether a text has only printable ASCII characters, as nearly all names do. It is fast, because
// exports of profiles check every call.
func plain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}
