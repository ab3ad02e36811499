package bench

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"mtrace/analyze"
)

// A Table is a table of text cells, ready to print. The first column and the columns listed in Left are aligned to
// the left, the others to the right.
type Table struct {
	Title   string
	Columns []string
	Rows    [][]string
	Left    []string // further columns aligned to the left
	Notes   []string
}

func (t *Table) row(cells ...string) { t.Rows = append(t.Rows, cells) }

func (t *Table) note(format string, args ...any) {
	t.Notes = append(t.Notes, fmt.Sprintf(format, args...))
}

func (t *Table) left(column int) bool {
	if column == 0 {
		return true
	}
	for _, name := range t.Left {
		if t.Columns[column] == name {
			return true
		}
	}
	return false
}

// WriteText writes the table for a terminal.
func (t *Table) WriteText(w io.Writer) error {
	widths := make([]int, len(t.Columns))
	for _, row := range append([][]string{t.Columns}, t.Rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	b.WriteString(t.Title + "\n")
	line := func(cells []string) {
		var l strings.Builder
		for i, cell := range cells {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			l.WriteString("  ")
			if t.left(i) {
				l.WriteString(cell + pad)
			} else {
				l.WriteString(pad + cell)
			}
		}
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	if len(t.Rows) > 0 {
		line(t.Columns)
		for _, row := range t.Rows {
			line(row)
		}
	}
	for _, note := range t.Notes {
		b.WriteString(strings.Join(analyze.Wrap(strings.Fields(note), 100, "  ", "  "), "\n") + "\n")
	}
	_, err := io.WriteString(w, b.String()+"\n")
	return err
}

// WriteMarkdown writes the table in GitHub's Markdown: title as heading, rows, and each note as a paragraph.
func (t *Table) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	escape := strings.NewReplacer("|", `\|`, "\n", " ")
	fmt.Fprintf(&b, "### %s\n\n", t.Title)
	if len(t.Rows) > 0 {
		head, rule := "|", "|"
		for i, column := range t.Columns {
			head += " " + escape.Replace(column) + " |"
			if t.left(i) {
				rule += "---|"
			} else {
				rule += "---:|"
			}
		}
		b.WriteString(head + "\n" + rule + "\n")
		for _, row := range t.Rows {
			b.WriteString("|")
			for _, cell := range row {
				b.WriteString(" " + escape.Replace(cell) + " |")
			}
			b.WriteString("\n")
		}
		b.WriteString("\n")
	}
	for _, note := range t.Notes {
		b.WriteString(note + "\n\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
