package claims

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"mtrace/analyze"
)

const softwareNote = "SOFTWARE METAL: these are the times of a software Metal, not of a GPU."

// WriteText writes a table of the claims with target, result, ratio and status, and the values behind each failed
// claim.
func (d *Document) WriteText(w io.Writer) error {
	rows := [][5]string{{"claim", "target", "result", "ratio", ""}}
	for _, r := range d.Results {
		rows = append(rows, [5]string{r.name(), r.Target, r.Result, "", string(r.Status)})
		row := &rows[len(rows)-1]
		if r.Ratio != nil {
			row[3] = times(*r.Ratio)
		}
		if r.Tolerance != "" {
			row[1] += " ± " + r.Tolerance
		}
		if r.Reason != "" {
			row[4] += ": " + r.Reason
		}
	}
	var width [5]int
	for r := range rows {
		row := &rows[r]
		for i := range row {
			row[i] = analyze.Printable(row[i])
			width[i] = max(width[i], utf8.RuneCountInString(row[i]))
		}
	}
	var b strings.Builder
	if d.Incomplete != "" {
		fmt.Fprintln(&b, d.Incomplete)
	}
	if d.Software {
		fmt.Fprintln(&b, softwareNote)
	}
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			if i == 2 || i == 3 { // numbers
				line += pad + cell + "  "
			} else {
				line += cell + pad + "  "
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	for _, r := range d.Results {
		if len(r.Figures) > 0 {
			fmt.Fprintf(&b, "\nFAIL %s: %s\n", analyze.Printable(r.name()), analyze.Printable(r.Expr))
		}
		for _, f := range r.Figures {
			fmt.Fprintf(&b, "  %s\n", analyze.Printable(f))
		}
	}
	fmt.Fprintf(&b, "\n%d passed, %d failed, %d skipped\n", d.Passed, d.Failed, d.Skipped)
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Result) name() string {
	title := r.Title
	if title == "" {
		title = r.Expr
	}
	return strings.TrimSpace(r.ID + " " + title)
}

// times formats a ratio with about three significant digits: "161x", "1.23x".
func times(v float64) string {
	switch {
	case v >= 99.5:
		return fmt.Sprintf("%.0fx", v)
	case v >= 9.95:
		return fmt.Sprintf("%.1fx", v)
	}
	return fmt.Sprintf("%.2fx", v)
}
