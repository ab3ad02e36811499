package gate

import (
	"fmt"
	"io"
	"strings"
)

// plain escapes the characters that Markdown interprets, and those that GitHub does: @name would notify a person, and
// #1 would link to an issue.
var plain = strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]", "|", "\\|",
	"~", "\\~",
	"&", "&amp;", "<", "&lt;", ">", "&gt;", "@", "&#64;", "#", "&#35;", "://", ":&#47;/", "\r", " ", "\n", " ")

// WriteMarkdown writes the decision and a table of the cases (claims or comparisons), except those that are Quiet,
// for a comment on a pull request.
func (g *Gate) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s: %s\n\n%s", g.Command, g.word(), plain.Replace(g.Name))
	if g.Undecided == "" {
		fmt.Fprintf(&b, ": %d passed, %d failed, %d skipped\n", g.count(Passed), g.count(Failed), g.count(Skipped))
	} else {
		fmt.Fprintf(&b, "\n\n**Nothing is decided: %s**\n", plain.Replace(g.Undecided))
	}
	for _, warning := range g.Warnings {
		fmt.Fprintf(&b, "\n> **%s**\n", plain.Replace(warning))
	}
	for _, note := range g.Notes {
		fmt.Fprintf(&b, "\n%s\n", plain.Replace(note))
	}
	g.table(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// table writes the table, failed cases first.
func (g *Gate) table(b *strings.Builder) {
	quiet, rows := 0, 0
	for _, outcome := range []Outcome{Failed, Passed, Skipped} {
		for _, c := range g.Cases {
			switch {
			case c.Outcome != outcome:
				continue
			case c.Quiet:
				quiet++
				continue
			case rows == 0:
				fmt.Fprintf(b, "\n| | | %s |\n|---|---|%s\n", strings.Join(g.Columns, " | "),
					strings.Repeat("---|", len(g.Columns)))
			}
			rows++
			word := outcome.String()
			switch {
			case g.Undecided != "" && outcome != Skipped:
				word = ""
			case outcome == Failed:
				word = "**" + word + "**"
			}
			fmt.Fprintf(b, "| %s | %s |", word, plain.Replace(c.Name))
			for _, cell := range c.Cells {
				fmt.Fprintf(b, " %s |", plain.Replace(cell))
			}
			b.WriteByte('\n')
		}
	}
	if quiet > 0 {
		fmt.Fprintf(b, "\nand %d more without a remarkable result\n", quiet)
	}
}
