package main

import (
	"encoding/json"
	"io"
	"os"

	"github.com/spf13/pflag"

	"mtrace/analyze/gate"
	"mtrace/analyze/wholefile"
)

// gateOutput is where and how a decision is written besides its text.
type gateOutput struct {
	json, markdown, github bool
	junit                  string // path
}

func (o *gateOutput) flags(flags *pflag.FlagSet, schema string) {
	flags.BoolVar(&o.json, "json", false, "print the results as JSON ("+schema+")")
	flags.BoolVar(&o.markdown, "markdown", false, "print the results as Markdown, for a pull request or GitHub's job summary")
	flags.BoolVar(&o.github, "github", false, "print an annotation of GitHub Actions for all that fails, to standard error")
	flags.StringVar(&o.junit, "junit", "", "write the results as JUnit XML into this `FILE` as well")
}

func (o *gateOutput) check() error {
	if o.json && o.markdown {
		return usageError("--json and --markdown are two forms of what is printed: give one of them")
	}
	return nil
}

// A decision is printed in the forms that gateOutput names.
type decision interface {
	Gate() *gate.Gate
	WriteText(io.Writer) error
}

// write writes what was decided of the traces that were read, and that it was not where the command ends with an error for that.
func (o *gateOutput) write(std stdio, d decision, undecided error, inputs ...string) error {
	g := d.Gate()
	if undecided != nil {
		g.Undecided = undecided.Error()
	}
	if o.junit != "" {
		for _, input := range inputs {
			if err := notTheInput(o.junit, input); err != nil {
				return err
			}
		}
		if err := asStatus(wholefile.Write(o.junit, func(f *os.File) error { return g.WriteJUnit(f) })); err != nil {
			return err
		}
	}
	if o.github {
		if err := g.WriteAnnotations(std.err); err != nil {
			return err
		}
	}
	switch {
	case o.json:
		return writeJSON(std.out, d)
	case o.markdown:
		return g.WriteMarkdown(std.out)
	}
	return d.WriteText(std.out)
}

// writeJSON writes a document of ours.
func writeJSON(w io.Writer, doc any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(doc)
}
