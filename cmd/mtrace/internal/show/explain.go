package show

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"mtrace/analyze/report"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/cmd/mtrace/internal/explain"
)

func ExplainCommand() cli.Command {
	return cli.Command{
		Name:      "explain",
		Summary:   "Explain a verdict, an insight (NOTES) or a term of the report, and what to do about it",
		Usage:     "[VERDICT|INSIGHT|TERM]",
		Example:   "mtrace explain device-wide-sync\nmtrace explain tiny-command-buffers\nmtrace explain gil",
		Arguments: func() []string { return explain.All() },
		Setup: func(*pflag.FlagSet) func(cli.Stdio, []string) error {
			return func(std cli.Stdio, args []string) error {
				if len(args) == 0 {
					return explainAll(std)
				}
				return explainOne(std, strings.Join(args, " "))
			}
		},
	}
}

// explainAll prints each verdict, insight and term with the first sentence of its explanation.
func explainAll(std cli.Stdio) error {
	opts := report.Options{Width: cli.Columns(std.Out)}
	for _, name := range explain.All() {
		_, paragraphs := explain.Find(name)
		first, _, _ := strings.Cut(paragraphs[0], ". ")
		first = strings.TrimSuffix(first, ".") + "."
		if err := report.WriteParagraph(std.Out, first, fmt.Sprintf("%-23s", name), strings.Repeat(" ", 23),
			opts); err != nil {
			return err
		}
	}
	return nil
}

// explainOne prints the whole explanation of a verdict, insight or term.
func explainOne(std cli.Stdio, asked string) error {
	name, paragraphs := explain.Find(asked)
	if paragraphs == nil {
		return cli.UsageError("unknown verdict, insight or term %q%s: mtrace explain lists all", asked,
			cli.DidYouMean(asked, explain.All()))
	}
	opts := report.Options{Width: cli.Columns(std.Out)}
	if _, err := fmt.Fprintln(std.Out, strings.ToUpper(name)); err != nil {
		return err
	}
	for i, p := range paragraphs {
		if i > 0 {
			fmt.Fprintln(std.Out)
		}
		if err := report.WriteParagraph(std.Out, p, "", "", opts); err != nil {
			return err
		}
	}
	return nil
}
