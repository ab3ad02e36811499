package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"mtrace/analyze"
)

// A table is written with each column as wide as it needs. The first column is cut when the table is too wide.
type table struct {
	heads []string
	left  int // columns from the first that are aligned to the left; the others are numbers
	most  int // rows that are shown, 0 for all; how many more there are is said
	rows  [][]string
	more  int
}

// mostThreads and mostRows bound the tables; what is left out is said.
const (
	mostThreads = 24
	mostRows    = 15
)

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
