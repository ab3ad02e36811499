package doctor

import (
	"fmt"
	"io"
	"strings"

	"mtrace/analyze"
)

// marks has the mark that is printed before a check, and its colour, by status.
var marks = map[Status]struct{ mark, colour string }{
	OK: {"ok", "32"}, Info: {"--", ""}, Warn: {"!!", "33"}, Skipped: {"..", ""}, Fail: {"NO", "31"},
}

const width = 100

// WriteText writes the report as text, wrapped at 100 columns. If all is false, details of checks that went well are
// left out.
func (r *Report) WriteText(w io.Writer, all, colour bool) error {
	var b strings.Builder
	for _, c := range r.Checks {
		m := marks[c.Status]
		mark := m.mark
		if colour && m.colour != "" {
			mark = "\x1b[" + m.colour + "m" + mark + "\x1b[0m"
		}
		fmt.Fprintf(&b, "%s  %-13s %s\n", mark, c.ID, indented(c.Text, 18))
		if c.Advice != "" {
			fmt.Fprintf(&b, "%18s%s\n", "", indented("→ "+c.Advice, 20))
		}
		if all || c.Status == Fail || c.Status == Warn || c.ID == "command" || c.ID == "python" {
			for _, line := range c.Details {
				fmt.Fprintf(&b, "%18s%s\n", "", indented(line, 22))
			}
		}
	}
	b.WriteString("\n")
	switch {
	case r.Can && len(r.Args) > 0:
		b.WriteString("This machine and this command can be traced: mtrace run -- " +
			analyze.Printable(strings.Join(r.Args, " ")) + "\n")
	case r.Can:
		b.WriteString("This machine can trace. Try: mtrace run -- python3 your_program.py\n")
	default:
		b.WriteString("Some checks failed: see the lines marked NO.\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// indented wraps a text between words at 100 columns, and indents all lines but the first.
func indented(text string, indent int) string {
	before := strings.Repeat(" ", indent)
	return strings.TrimPrefix(strings.Join(analyze.Wrap(strings.Fields(analyze.Printable(text)), width, before, before),
		"\n"), before)
}
