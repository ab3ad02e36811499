package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"mtrace/analyze"
)

// width is how many columns the text may take.
const width = 100

// wrap breaks s into lines of at most width columns; first and then begin them.
func wrap(w io.Writer, s, first, then string) { wrapStyled(w, analyze.Printable(s), first, then) }

// wrapStyled is wrap for a text that a styler has coloured.
func wrapStyled(w io.Writer, s, first, then string) {
	line, room := first, width
	for _, word := range strings.Fields(s) {
		if n := utf8.RuneCountInString(line) + 1 + utf8.RuneCountInString(word); n > room && strings.TrimSpace(line) != "" {
			fmt.Fprintln(w, strings.TrimRight(line, " "))
			line = then
		}
		if line != first && line != then {
			line += " "
		}
		line += word
	}
	fmt.Fprintln(w, strings.TrimRight(line, " "))
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
