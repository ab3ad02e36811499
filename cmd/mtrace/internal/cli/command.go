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

// Exit statuses of all commands, as listed in docs/messages.md. `mtrace run` also passes on the traced program's
// status.
const (
	ExitDone  = 0
	ExitNo    = 1 // a negative result: a check failed, a regression was found
	ExitUsage = 2 // wrong usage or unusable input
)

// Stdio has a command's streams. Only results go to Out, so that it can be piped; messages and progress go to Err.
type Stdio struct {
	In       *os.File
	Out, Err *os.File
}

// BeQuiet is set by the flag --quiet: only results and errors are printed.
var BeQuiet bool

// quietly discards a command's standard error if --quiet is set; the command's final error is printed all the same.
// `mtrace run` is exempt, because the traced program and the report also write to standard error.
func (s Stdio) quietly(command string) (Stdio, error) {
	if !BeQuiet || command == "run" {
		return s, nil
	}
	nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	return Stdio{s.In, s.Out, nowhere}, err
}

// A Command is a subcommand of mtrace. Setup declares its flags and returns the function that runs it with the
// remaining arguments.
type Command struct {
	Name    string
	Summary string
	Usage   string // the arguments, as printed after the command's name
	Example string
	Setup   func(*pflag.FlagSet) func(Stdio, []string) error
	// Whole stops flag parsing at the first argument that is not a flag: from there on the arguments are the command
	// line of another program, whose flags are not mtrace's.
	Whole bool
	// Values maps a flag to the values that shells complete for it. Arguments returns the completions for arguments;
	// if nil, shells complete file names.
	Values    map[string][]string
	Arguments func() []string
}

// Status is an error that also sets mtrace's exit status. If Err is nil, nothing is printed.
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

// UsageError returns an error that ends mtrace with status 2: the command line is wrong.
func UsageError(format string, args ...any) error {
	return Status{ExitUsage, fmt.Errorf(format, args...)}
}

// PrintLine writes a line without control characters: names of files and of the traced program could otherwise send
// commands to the terminal.
func PrintLine(w io.Writer, format string, args ...any) {
	fmt.Fprintln(w, analyze.Printable(fmt.Sprintf(format, args...)))
}

// Cobra converts the command to the form that the package cobra needs. The command's errors get the prefix "mtrace
// NAME: ". An error without an exit status of its own gets status 2.
func (c Command) Cobra(std Stdio) *cobra.Command {
	firstLine, more, _ := strings.Cut(c.Usage, "\n")
	cmd := &cobra.Command{Use: strings.TrimSpace(c.Name + " " + firstLine), Short: c.Summary,
		Long: c.Summary + "." +
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

// PlainDefault changes the default that help prints for a list flag from "[1,2]" to "1,2", as users type it; an empty
// list prints none.
func PlainDefault(f *pflag.Flag) {
	if list := strings.Trim(f.DefValue, "[]"); list != "" || f.Value.Type() == "uintSlice" {
		f.DefValue = list
	}
}

// asCode indents lines by four spaces, which makes them a code block in the generated pages. Their own common
// indentation is removed.
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

// AsStatus gives an error the exit status 2 (unusable input); nil stays nil.
func AsStatus(err error) error {
	if err == nil {
		return nil
	}
	return Status{ExitUsage, err}
}

// LastLine returns the last line of a program's output that is not blank.
func LastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// ExitStatus returns the status that a shell would show: the program's own, or 128+N if signal N ended it.
func ExitStatus(w syscall.WaitStatus) int {
	if w.Signaled() {
		return 128 + int(w.Signal())
	}
	return w.ExitStatus()
}
