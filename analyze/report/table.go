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

// A table is written with each column as wide as it needs. The first column is cut when the table is too wide.
type table struct {
	heads []string
	left  int // columns from the first that are aligned to the left; the others are numbers
	most  int // rows that are shown, 0 for all; how many more there are is said
	rows  [][]string
	more  int
}

func (t *table) add(cells ...string) {
	if t.most > 0 && len(t.rows) == t.most {
		t.more++
		return
	}
	for i := range cells {
		cells[i] = analyze.Printable(cells[i])
	}
	t.rows = append(t.rows, cells)
}

// write writes the table with an indentation of two.
func (t *table) write(w io.Writer, style styler) {
	widths := make([]int, len(t.heads))
	for _, row := range append([][]string{t.heads}, t.rows...) {
		for i, c := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}
	gap, total := 2, 0
	for _, n := range widths {
		total += n
	}
	if total+gap*len(widths) > width {
		gap = 1
	}
	if over := total + gap*len(widths) - width; over > 0 {
		widths[0] = max(8, widths[0]-over)
	}
	line := func(cells []string) string {
		var b strings.Builder
		for i, c := range cells {
			if i == 0 {
				c = cut(c, widths[0])
			}
			space := strings.Repeat(" ", max(0, widths[i]-utf8.RuneCountInString(c)))
			b.WriteString("  "[:gap])
			if i < t.left {
				b.WriteString(c + space)
			} else {
				b.WriteString(space + c)
			}
		}
		return strings.TrimRight(b.String(), " ")
	}
	fmt.Fprintln(w, style.dim(line(t.heads)))
	for _, row := range t.rows {
		fmt.Fprintln(w, line(row))
	}
	if t.more > 0 {
		fmt.Fprintf(w, "  … and %d more\n", t.more)
	}
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

// A styler colours text, or leaves it.
type styler bool

func (s styler) bold(t string) string   { return s.ansi("1", t) }
func (s styler) dim(t string) string    { return s.ansi("2", t) }
func (s styler) red(t string) string    { return s.ansi("1;31", t) }
func (s styler) yellow(t string) string { return s.ansi("33", t) }

func (s styler) ansi(code, t string) string {
	if !s || t == "" {
		return t
	}
	return "\x1b[" + code + "m" + t + "\x1b[0m"
}

// count writes a number with separators: 12,345.
func count[T ~int | ~int64 | ~uint64](n T) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
