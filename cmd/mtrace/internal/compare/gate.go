package compare

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"regexp"

	"github.com/spf13/pflag"

	"mtrace/analyze"
	"mtrace/analyze/gate"
	"mtrace/cmd/mtrace/internal/cli"
)

// A gateOutput lists the additional forms in which a decision is written, and their destinations.
type gateOutput struct {
	json, markdown, github bool
	junit                  string // path
	taken                  bool   // standard output is, by something else
	force                  bool   // replace files that are there
}

func (o *gateOutput) flags(flags *pflag.FlagSet, schema string) {
	flags.BoolVar(&o.json, "json", false, "print the results as JSON ("+schema+")")
	flags.BoolVar(&o.markdown, "markdown", false,
		"print the results as Markdown, for a pull request or GitHub's job summary")
	flags.BoolVar(&o.github, "github", false,
		"print an annotation of GitHub Actions for each failure, to standard error")
	flags.StringVar(&o.junit, "junit", "", "also write the results as JUnit XML into this `FILE`; - is standard "+
		"output, and replaces the text")
	cli.ForceFlag(flags, &o.force)
}

func (o *gateOutput) check() error {
	if o.json && o.markdown {
		return cli.UsageError("--json and --markdown exclude each other: give one of them")
	}
	if o.junit == cli.StandardOutput && (o.json || o.markdown) {
		return cli.UsageError("--junit - and --json or --markdown would share standard output: name a file for the JUnit XML")
	}
	return cli.MayWrite("--junit", o.junit, o.force)
}

// A decision can be printed in the forms of gateOutput.
type decision interface {
	Gate() *gate.Gate
	WriteText(io.Writer) error
}

// write writes the decision about the traces. If the command ends with the error undecided, it writes that there is no
// decision.
func (o *gateOutput) write(std cli.Stdio, d decision, undecided error, inputs ...string) error {
	g := d.Gate()
	if undecided != nil {
		g.Undecided = undecided.Error()
	}
	if o.junit != "" {
		for _, input := range inputs {
			if err := cli.NotTheInput(o.junit, input); err != nil {
				return err
			}
		}
		if err := cli.WriteFile(std, o.junit, "", o.force, func(f *os.File) error { return g.WriteJUnit(f) }); err != nil {
			return err
		}
	}
	if o.github {
		if err := g.WriteAnnotations(analyze.SafeText(std.Err, false)); err != nil {
			return err
		}
	}
	switch {
	case o.json:
		return writeJSON(std.Out, d)
	case o.markdown:
		return g.WriteMarkdown(analyze.SafeText(std.Out, false))
	case o.junit == cli.StandardOutput, o.taken:
		return nil
	}
	if !cli.Colour(std.Out) {
		return d.WriteText(analyze.SafeText(std.Out, false))
	}
	var text bytes.Buffer
	if err := d.WriteText(analyze.SafeText(&text, false)); err != nil {
		return err
	}
	_, err := std.Out.Write(painted(text.Bytes()))
	return err
}

// decided matches the words of a decision at the beginning of a line or in a column of their own.
var decided = regexp.MustCompile(`(?m)(^|  )(PASS|FAIL|SKIPPED)(:|$)`)

// painted colours the decisions in a text: green, red, and yellow for undecided ones.
func painted(text []byte) []byte {
	return decided.ReplaceAllFunc(text, func(found []byte) []byte {
		paint := "\x1b[33m"
		switch {
		case bytes.Contains(found, []byte("PASS")):
			paint = "\x1b[32m"
		case bytes.Contains(found, []byte("FAIL")):
			paint = "\x1b[1;31m"
		}
		return []byte(paint + string(found) + "\x1b[0m")
	})
}

// writeJSON writes a document of ours.
func writeJSON(w io.Writer, doc any) error {
	e := json.NewEncoder(analyze.SafeJSON(w))
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(doc)
}
