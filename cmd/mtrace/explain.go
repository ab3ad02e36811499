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
		summary: "Say in plain words what a verdict means, how it is found, and what to do",
		usage:   "[VERDICT]",
		example: "mtrace explain device-wide-sync",
		setup: func(*pflag.FlagSet) func(stdio, []string) error {
			return func(std stdio, args []string) error {
				switch len(args) {
				case 0:
					return explainAll(std)
				case 1:
					return explainOne(std, args[0])
				}
				return usageError("takes one verdict, but got %d: mtrace explain VERDICT", len(args))
			}
		},
	}
}

// explainAll lists the verdicts, each with its first sentence.
func explainAll(std stdio) error {
	opts := report.Options{Width: columns(std.out)}
	for _, name := range explain.Verdicts() {
		first, _, _ := strings.Cut(explain.Verdict(name)[0], ". ")
		first = strings.TrimSuffix(first, ".") + "."
		if err := report.WriteParagraph(std.out, first, fmt.Sprintf("%-20s", name), strings.Repeat(" ", 20), opts); err != nil {
			return err
		}
	}
	return nil
}

// explainOne prints what there is to say of one verdict, however it is written.
func explainOne(std stdio, asked string) error {
	name := strings.ReplaceAll(strings.ToLower(asked), " ", "-")
	paragraphs := explain.Verdict(name)
	if paragraphs == nil {
		return usageError("no verdict %q: there are %s", asked, strings.Join(explain.Verdicts(), ", "))
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
