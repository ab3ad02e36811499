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

// A gateOutput has the flags that choose how the result of mtrace diff or mtrace check is written.
type gateOutput struct {
	json, markdown, github bool
	junit                  string // path of the JUnit file
	taken                  bool   // an HTML page goes to standard output, so nothing else may
	force                  bool   // replace files that are there
}

func (o *gateOutput) flags(flags *pflag.FlagSet, schema string) {
	flags.BoolVar(&o.json, "json", false, "print the results as JSON ("+schema+")")
	flags.BoolVar(&o.markdown, "markdown", false,
		"print the results as Markdown, for a pull request or GitHub's job summary")
	flags.BoolVar(&o.github, "github", false,
		"also print a GitHub Actions annotation for each failure, on standard error")
	flags.StringVar(&o.junit, "junit", "", "also write the results as JUnit XML to this `FILE`; "+
		"- prints the XML instead of the text")
	cli.ForceFlag(flags, &o.force)
}

func (o *gateOutput) check() error {
	if o.json && o.markdown {
		return cli.UsageError("--json and --markdown exclude each other: give one of them")
	}
	if o.junit == cli.StandardOutput && (o.json || o.markdown) {
		return cli.UsageError(
			"--junit - and --json or --markdown would both write to standard output: name a file for the JUnit XML")
	}
	return cli.MayWrite("--junit", o.junit, o.force)
}

// A decision is the result of mtrace diff or mtrace check, which gateOutput.write can print in each format.
type decision interface {
	Gate() *gate.Gate
	WriteText(io.Writer) error
}

// write prints the decision in the formats that the flags chose. If undecided is not nil (such as for a cut trace),
// the output says that nothing was decided, and why. No output may overwrite one of the files in inputs.
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

// decided matches the words PASS, FAIL and SKIPPED only where they state a result: at the start of a line, or as a
// column.
var decided = regexp.MustCompile(`(?m)(^|  )(PASS|FAIL|SKIPPED)(:|$)`)

// painted colours results in a text: PASS green, FAIL red, SKIPPED yellow.
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

// writeJSON writes a document as indented JSON, without characters that could control a terminal.
func writeJSON(w io.Writer, doc any) error {
	e := json.NewEncoder(analyze.SafeJSON(w))
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(doc)
}
