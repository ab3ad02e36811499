package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"mtrace/analyze/report"
	"mtrace/cmd/mtrace/internal/explain"
)

func explainCommand() command {
	return command{
		name:    "explain",
		summary: "Explain a verdict, or a term of the report, in plain words",
		usage:   "[VERDICT|TERM]",
		example: "mtrace explain device-wide-sync\nmtrace explain gil",
		words:   func() []string { return append(explain.Verdicts(), explain.Terms()...) },
		setup: func(*pflag.FlagSet) func(stdio, []string) error {
			return func(std stdio, args []string) error {
				if len(args) == 0 {
					return explainAll(std)
				}
				return explainOne(std, strings.Join(args, " "))
			}
		},
	}
}

// explainAll lists the verdicts and the terms, each with its first sentence.
func explainAll(std stdio) error {
	opts := report.Options{Width: columns(std.out)}
	for _, name := range append(explain.Verdicts(), explain.Terms()...) {
		_, paragraphs := explain.Find(name)
		first, _, _ := strings.Cut(paragraphs[0], ". ")
		first = strings.TrimSuffix(first, ".") + "."
		if err := report.WriteParagraph(std.out, first, fmt.Sprintf("%-20s", name), strings.Repeat(" ", 20),
			opts); err != nil {
			return err
		}
	}
	return nil
}

// explainOne prints the section of a verdict or a term.
func explainOne(std stdio, asked string) error {
	name, paragraphs := explain.Find(asked)
	if paragraphs == nil {
		return usageError("no verdict or term %q: there are %s", asked,
			strings.Join(append(explain.Verdicts(), explain.Terms()...), ", "))
	}
	opts := report.Options{Width: columns(std.out)}
	if _, err := fmt.Fprintln(std.out, strings.ToUpper(name)); err != nil {
		return err
	}
	for i, p := range paragraphs {
		if i > 0 {
			fmt.Fprintln(std.out)
		}
		if err := report.WriteParagraph(std.out, p, "", "", opts); err != nil {
			return err
		}
	}
	return nil
}
