package analyze

import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks words into lines of at most width characters. The first line begins with the prefix `first`, every
// later line with the prefix `then`. A word longer than width gets a line of its own.
func Wrap(words []string, width int, first, then string) (lines []string) {
	line, empty := first, true
	for _, word := range words {
		if !empty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines = append(lines, strings.TrimRight(line, " "))
			line, empty = then, true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	return append(lines, strings.TrimRight(line, " "))
}
