package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"mtrace/analyze"
)

// A table has columns as wide as their contents. If it is too wide for the sheet, its first column is shortened. If
// that is not enough, columns are omitted and a note says how many. The same holds for rows beyond `most`.
type table struct {
	over  []string // a line above the heads, for heads of two lines; nil if there is none
	heads []string
	left  int   // number of leading columns that are aligned to the left; the others are numbers
	most  int   // maximum rows, 0 for all; a note counts the omitted ones
	spare []int // columns to omit first, in this order; after these, the rightmost ones
	rows  [][]string
	more  int
}

// mostThreads and mostRows are the default maximum numbers of rows of tables. A note counts the omitted rows.
const (
	mostThreads = 24
	mostRows    = 15
)

// leastFirst is the width to which the first column may be shortened before other columns are omitted.
const leastFirst = 16

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

// write writes the table, indented by two blanks, with notes on omitted rows and columns.
func (t *table) write(w *sheet) {
	widths := make([]int, len(t.heads))
	for _, row := range append([][]string{t.heads, t.over}, t.rows...) {
		for i, c := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}
	shown, gap := t.fit(widths, w.width)
	line := func(cells []string) string {
		var b strings.Builder
		for _, i := range shown {
			c := cells[i]
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
	if t.over != nil {
		fmt.Fprintln(w, w.dim(line(t.over)))
	}
	fmt.Fprintln(w, w.dim(line(t.heads)))
	for _, row := range t.rows {
		fmt.Fprintln(w, line(row))
	}
	if t.more > 0 {
		fmt.Fprintf(w, "  … and %d more\n", t.more)
	}
	if left := len(t.heads) - len(shown); left > 0 {
		wrap(w, fmt.Sprintf("… and %s that --wide shows", analyze.Plural(left, "column")), "  ", "  ")
	}
}

// fit returns which columns fit into a width, and the number of blanks between them. It narrows the first column
// (widths[0]) as far as needed.
func (t *table) fit(widths []int, width int) (shown []int, gap int) {
	order := slices.Clone(t.spare) // the order in which columns are omitted
	for i := range widths {
		shown = append(shown, i)
		if right := len(widths) - 1 - i; right >= t.left && !slices.Contains(t.spare, right) {
			order = append(order, right)
		}
	}
	for {
		total := 0
		for _, i := range shown {
			total += widths[i]
		}
		gap = 2
		if total+gap*len(shown) > width {
			gap = 1
		}
		over := total + gap*len(shown) - width
		if over <= 0 {
			return shown, gap
		}
		if narrow := max(widths[0]-over, min(widths[0], leastFirst)); narrow == widths[0]-over || len(order) == 0 {
			widths[0] = narrow
			return shown, gap
		}
		shown = slices.DeleteFunc(shown, func(i int) bool { return i == order[0] })
		order = order[1:]
	}
}
