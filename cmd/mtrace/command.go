package main

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
	exitDone  = 0
	exitNo    = 1 // the answer is no: a check failed, a regression was found
	exitUsage = 2 // wrong usage or unusable input
)

// stdio is where a command reads and writes: results to out, everything else to err.
type stdio struct {
	in       *os.File
	out, err *os.File
}

// beQuiet is the flag --quiet of all commands.
var beQuiet bool

// quietly leaves standard error to errors when --quiet asks for that. mtrace run writes its report there, and the
// program that it runs what it likes: it leaves out its notes by itself.
func (s stdio) quietly(command string) (stdio, error) {
	if !beQuiet || command == "run" {
		return s, nil
	}
	nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	return stdio{s.in, s.out, nowhere}, err
}

// A command is one word after `mtrace`. Its flags are declared on the set it is given; run gets what is left of the
// line.
type command struct {
	name    string
	summary string
	usage   string // what follows the name
	example string
	setup   func(*pflag.FlagSet) func(stdio, []string) error
	// whole makes flag parsing stop at the first word that is no flag: that word and all after it are somebody else's.
	whole bool
	// values are what shells complete behind flags, by flag, and words what they complete as arguments of a command that
	// takes no files; nil if it takes files.
	values map[string][]string
	words  func() []string
}

// status is an error that carries an exit status. Its text, when it has any, is what the user reads.
type status struct {
	code int
	err  error
}

func (s status) Error() string {
	if s.err == nil {
		return ""
	}
	return s.err.Error()
}

func (s status) Unwrap() error { return s.err }

// usageError is a mistake in how the command was called.
func usageError(format string, args ...any) error {
	return status{exitUsage, fmt.Errorf(format, args...)}
}

// tell writes a line that may have names of the traced program, or of files: nothing in it steers a terminal.
func tell(w io.Writer, format string, args ...any) {
	fmt.Fprintln(w, analyze.Printable(fmt.Sprintf(format, args...)))
}

// cobra is the command as cobra has it. Its errors begin with its name.
func (c command) cobra(std stdio) *cobra.Command {
	firstLine, more, _ := strings.Cut(c.usage, "\n")
	cmd := &cobra.Command{Use: strings.TrimSpace(c.name + " " + firstLine), Short: c.summary, Long: c.summary + "." +
		asCode(more), Example: c.example,
		Args: cobra.ArbitraryArgs, DisableFlagsInUseLine: true}
	flags := cmd.Flags()
	flags.SetInterspersed(!c.whole)
	flags.SortFlags = false
	run := c.setup(flags)
	flags.BoolP("help", "h", false, "this text")
	flags.Lookup("help").Hidden = true
	c.completeValues(cmd)
	cmd.SetHelpFunc(func(*cobra.Command, []string) { c.help(std.out, flags) })
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return usageError("mtrace %s: %w: mtrace %s --help lists the flags", c.name, flagError(err, flags), c.name)
	})
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		std, err := std.quietly(c.name)
		if err == nil {
			err = run(std, args)
		}
		if err == nil || err.Error() == "" {
			return err
		}
		code := exitUsage
		var s status
		if errors.As(err, &s) {
			code = s.code
		}
		return status{code, fmt.Errorf("mtrace %s: %w", c.name, err)}
	}
	return cmd
}

// plainDefault makes a flag's default be written as it is given, where it is a list; none is no default.
func plainDefault(f *pflag.Flag) {
	if list := strings.Trim(f.DefValue, "[]"); list != "" || f.Value.Type() == "uintSlice" {
		f.DefValue = list
	}
}

// asCode is lines as pages show code, without what they are all indented by.
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

func (c command) help(w io.Writer, flags *pflag.FlagSet) {
	fmt.Fprintf(w, "%s\n\nUsage: %s\n\nExample:\n  %s\n", c.summary, strings.TrimSpace("mtrace "+c.name+" "+c.usage),
		c.example)
	flags.VisitAll(plainDefault)
	if flags.HasAvailableFlags() {
		fmt.Fprintf(w, "\nFlags:\n%s", flags.FlagUsagesWrapped(100))
	}
}

// asStatus is an error of the collection as one of the command; nil stays nil.
func asStatus(err error) error {
	if err == nil {
		return nil
	}
	return status{exitUsage, err}
}

// lastLine is the last line of a program's output.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// exitStatus is the status a shell would report: the program's own, or 128+N if signal N ended it.
func exitStatus(w syscall.WaitStatus) int {
	if w.Signaled() {
		return 128 + int(w.Signal())
	}
	return w.ExitStatus()
}
