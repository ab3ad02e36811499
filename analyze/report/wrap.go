package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mtrace/analyze"
)

// width is how many columns the text may take.
const width = 100

// wrap breaks s into lines of at most width columns; first and then begin them. A number keeps its unit.
func wrap(w io.Writer, s, first, then string) {
	wrapWords(w, keepUnits(strings.Fields(analyze.Printable(s))), first, then)
}

// wrapParts wraps parts with dots between. A part is broken only if it is too long for a line.
func wrapParts(w io.Writer, parts []string, first, then string) {
	var words []string
	for i, part := range parts {
		if i < len(parts)-1 {
			part += " ·"
		}
		if utf8.RuneCountInString(then)+utf8.RuneCountInString(part) < width {
			words = append(words, part)
		} else {
			words = append(words, keepUnits(strings.Fields(part))...)
		}
	}
	wrapWords(w, words, first, then)
}

func wrapWords(w io.Writer, words []string, first, then string) {
	line, empty := first, true
	for _, word := range words {
		if !empty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			fmt.Fprintln(w, strings.TrimRight(line, " "))
			line, empty = then, true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	fmt.Fprintln(w, strings.TrimRight(line, " "))
}

// units are those of analyze's figures.
var units = []string{"%", "ns", "µs", "ms", "s", "B", "KB", "MB", "GB", "KiB", "MiB", "GiB"}

// keepUnits makes a number and its unit one word.
func keepUnits(words []string) []string {
	var kept []string
	for _, word := range words {
		unit := strings.TrimRightFunc(word, func(r rune) bool { return r != '%' && unicode.IsPunct(r) })
		n := len(kept) - 1
		if n >= 0 && slices.Contains(units, unit) && unicode.IsDigit(rune(kept[n][len(kept[n])-1])) {
			kept[n] += " " + word
		} else {
			kept = append(kept, word)
		}
	}
	return kept
}

// cut shortens s to n characters, leaving out its middle.
func cut(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	head := (n - 1) / 2
	return string(r[:head]) + "…" + string(r[len(r)-(n-1-head):])
}
