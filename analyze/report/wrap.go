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

// wrap writes s in lines that fit the sheet. The first line begins with the prefix `first`, all further lines with
// the prefix `then`. A number and its unit stay on one line.
func wrap(w *sheet, s, first, then string) {
	wrapWords(w, keepUnits(strings.Fields(analyze.Printable(s))), first, then)
}

// wrapParts writes phrases separated by dots (·) in lines that fit the sheet. A phrase is broken only if it is longer
// than a line.
func wrapParts(w *sheet, parts []string, first, then string) {
	var words []string
	for i, part := range parts {
		if i < len(parts)-1 {
			part += " ·"
		}
		if utf8.RuneCountInString(then)+utf8.RuneCountInString(part) < w.width {
			words = append(words, part)
		} else {
			words = append(words, keepUnits(strings.Fields(part))...)
		}
	}
	wrapWords(w, words, first, then)
}

func wrapWords(w *sheet, words []string, first, then string) {
	for _, line := range w.lines(words, first, then) {
		fmt.Fprintln(w, line)
	}
}

// writeSentence writes a sentence in a colour.
func (s *sheet) writeSentence(text string, colour func(string) string) {
	for _, line := range s.lines(keepUnits(strings.Fields(analyze.Printable(text))), "", "") {
		fmt.Fprintln(s, colour(line))
	}
}

// lines breaks words into lines that fit the sheet. The first line begins with the prefix `first`, all further lines
// with the prefix `then`.
func (s *sheet) lines(words []string, first, then string) []string {
	return analyze.Wrap(words, s.width, first, then)
}

// units are the units that must stay on the same line as their number.
var units = []string{"%", "ns", "µs", "ms", "s", "B", "KB", "MB", "GB", "KiB", "MiB", "GiB"}

// keepUnits joins each number with its unit into one word, so that no line break separates them.
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

// cut shortens s to n characters by replacing its middle with "…".
func cut(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	head := (n - 1) / 2
	return string(r[:head]) + "…" + string(r[len(r)-(n-1-head):])
}

// cutEnd shortens s to at most n characters by replacing its end with "...". It cuts between two words, but within a
// word that fills more than half of the n characters.
func cutEnd(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	end := n - 3
	for end > n/2 && r[end] != ' ' {
		end--
	}
	if r[end] != ' ' {
		end = n - 3
	}
	return strings.TrimRight(string(r[:end]), " ,;:") + "..."
}

// firstClauses shortens s to at most n characters, at the end of a clause: before a colon, semicolon or full stop, or
// else before a comma. It keeps `least` characters or more. If no clause ends within these bounds, it cuts off the
// end.
func firstClauses(s string, least, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	for _, marks := range []string{":;.", ","} {
		for i := n; i > least; i-- {
			if r[i] == ' ' && strings.ContainsRune(marks, r[i-1]) && i-1 > least {
				return string(r[:i-1])
			}
		}
	}
	return cutEnd(s, n)
}

// WriteParagraph writes a text in lines of the options' width. The first line begins with the prefix `first`, all
// further lines with the prefix `then`.
func WriteParagraph(w io.Writer, text, first, then string, opts Options) error {
	_, err := io.WriteString(w, strings.Join(newSheet(w, opts).lines(keepUnits(strings.Fields(text)), first, then),
		"\n")+"\n")
	return err
}
