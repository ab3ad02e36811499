// Package cli contains the common parts of all commands: their declaration and flags, exit statuses, streams and
// colours, output files, and the search for the library.
package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mtrace/analyze"
)

// The exit statuses of docs/vocabulary.md; `mtrace run` has more, see run.go.
const (
	ExitDone  = 0
	ExitNo    = 1 // the answer is no: a check failed, a regression was found
	ExitUsage = 2 // wrong usage or unusable input
)

// Stdio has the streams of a command: results go to out, everything else to err.
type Stdio struct {
	In       *os.File
	Out, Err *os.File
}

// BeQuiet is the flag --quiet of all commands.
var BeQuiet bool

// quietly restricts standard error to error messages if --quiet is set. mtrace run handles --quiet itself, because its
// report and the program's own output go to standard error.
func (s Stdio) quietly(command string) (Stdio, error) {
	if !BeQuiet || command == "run" {
		return s, nil
	}
	nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	return Stdio{s.In, s.Out, nowhere}, err
}

// A Command is one subcommand of mtrace. Its flags are declared on the given set; run receives the remaining arguments.
type Command struct {
	Name    string
	Summary string
	Usage   string // what follows the name
	Example string
	Setup   func(*pflag.FlagSet) func(Stdio, []string) error
	// Whole makes flag parsing stop at the first word that is no flag: that word and the rest belong to another
	// program.
	Whole bool
	// Values are the completions of flags' values, by flag. Arguments are the completions of arguments; nil if the
	// command takes files.
	Values    map[string][]string
	Arguments func() []string
}

// Status is an error with an exit status. Its text, if any, is shown to the user.
type Status struct {
	Code int
	Err  error
}

func (s Status) Error() string {
	if s.Err == nil {
		return ""
	}
	return s.Err.Error()
}

func (s Status) Unwrap() error { return s.Err }

// UsageError is an error in the command line.
func UsageError(format string, args ...any) error {
	return Status{ExitUsage, fmt.Errorf(format, args...)}
}

// Tell writes a line that may contain names of the traced program or of files: control characters are removed.
func Tell(w io.Writer, format string, args ...any) {
	fmt.Fprintln(w, analyze.Printable(fmt.Sprintf(format, args...)))
}

// Cobra converts the command to cobra's form. Its errors begin with its name.
func (c Command) Cobra(std Stdio) *cobra.Command {
	firstLine, more, _ := strings.Cut(c.Usage, "\n")
	cmd := &cobra.Command{Use: strings.TrimSpace(c.Name + " " + firstLine), Short: c.Summary, Long: c.Summary + "." +
		asCode(more), Example: c.Example,
		Args: cobra.ArbitraryArgs, DisableFlagsInUseLine: true}
	flags := cmd.Flags()
	flags.SetInterspersed(!c.Whole)
	flags.SortFlags = false
	run := c.Setup(flags)
	flags.BoolP("help", "h", false, "this text")
	flags.Lookup("help").Hidden = true
	c.completeValues(cmd)
	cmd.SetHelpFunc(func(*cobra.Command, []string) { c.help(std.Out, flags) })
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return UsageError("mtrace %s: %w: mtrace %s --help lists the flags", c.Name, FlagError(err, flags), c.Name)
	})
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		std, err := std.quietly(c.Name)
		if err == nil {
			err = run(std, args)
		}
		if err == nil || err.Error() == "" {
			return err
		}
		code := ExitUsage
		var s Status
		if errors.As(err, &s) {
			code = s.Code
		}
		return Status{code, fmt.Errorf("mtrace %s: %w", c.Name, err)}
	}
	return cmd
}

// PlainDefault sets the printed default of a list flag to its form on the command line; an empty list has no default.
func PlainDefault(f *pflag.Flag) {
	if list := strings.Trim(f.DefValue, "[]"); list != "" || f.Value.Type() == "uintSlice" {
		f.DefValue = list
	}
}

// asCode formats lines as code in pages, without their common indentation.
func asCode(text string) string {
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	if lines[0] == "" {
		return ""
	}
	indent := lines[0][:len(lines[0])-len(strings.TrimLeft(lines[0], " "))]
	var b strings.Builder
	b.WriteString("\n")
	for _, line := range lines {
		b.WriteString("\n    " + strings.TrimPrefix(line, indent))
	}
	return b.String()
}

func (c Command) help(w io.Writer, flags *pflag.FlagSet) {
	fmt.Fprintf(w, "%s\n\nUsage: %s\n\nExample:\n  %s\n", c.Summary, strings.TrimSpace("mtrace "+c.Name+" "+c.Usage),
		c.Example)
	flags.VisitAll(PlainDefault)
	if flags.HasAvailableFlags() {
		fmt.Fprintf(w, "\nFlags:\n%s", flags.FlagUsagesWrapped(100))
	}
}

// AsStatus returns an error with the status of unusable input; nil for nil.
func AsStatus(err error) error {
	if err == nil {
		return nil
	}
	return Status{ExitUsage, err}
}

// LastLine returns the last line of a program's output.
func LastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// ExitStatus returns the status that a shell would report: the program's own, or 128+N if signal N ended it.
func ExitStatus(w syscall.WaitStatus) int {
	if w.Signaled() {
		return 128 + int(w.Signal())
	}
	return w.ExitStatus()
}
