package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"
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

// A command is one word after `mtrace`. Its flags are declared on the set it is given; run gets what is left of the line.
type command struct {
	name    string
	summary string
	usage   string // what follows the name
	example string
	setup   func(*pflag.FlagSet) func(stdio, []string) error
	// whole makes flag parsing stop at the first word that is no flag: that word and all after it are somebody else's.
	whole bool
}

// commands is the table of commands, in the order of help.
func commands() []command {
	return []command{runCommand(), collectCommand(), reportCommand(), pprofCommand(), exportCommand(), diffCommand(), checkCommand(), repairCommand(), sweepCommand(), xctraceCommand(), doctorCommand(), benchCommand(), versionCommand()}
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

// dispatch runs the command that args names and returns the exit status.
func dispatch(std stdio, args []string) int {
	if len(args) == 0 {
		help(std.err)
		return exitUsage
	}
	switch args[0] {
	case "-h", "--help", "help":
		help(std.out)
		return exitDone
	case "--version":
		args = []string{"version"}
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return c.execute(std, args[1:])
		}
	}
	fmt.Fprintf(std.err, "mtrace: no command %q: mtrace --help lists them\n", args[0])
	return exitUsage
}

// execute parses the command's flags, runs it and turns its error into one line and a status.
func (c command) execute(std stdio, args []string) int {
	flags := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	flags.SetInterspersed(!c.whole)
	flags.SetOutput(io.Discard)
	flags.SortFlags = false
	flags.Usage = func() {}
	run := c.setup(flags)
	err := flags.Parse(args)
	if errors.Is(err, pflag.ErrHelp) {
		c.help(std.out, flags)
		return exitDone
	}
	if err != nil {
		fmt.Fprintf(std.err, "mtrace %s: %s: mtrace %s --help lists the flags\n", c.name, err, c.name)
		return exitUsage
	}
	err = run(std, flags.Args())
	if err == nil {
		return exitDone
	}
	if text := err.Error(); text != "" {
		fmt.Fprintf(std.err, "mtrace %s: %s\n", c.name, strings.ReplaceAll(text, "\n", " "))
	}
	var s status
	if errors.As(err, &s) {
		return s.code
	}
	return exitUsage
}

func (c command) help(w io.Writer, flags *pflag.FlagSet) {
	fmt.Fprintf(w, "%s\n\nUsage: mtrace %s %s\n\nExample:\n  %s\n", c.summary, c.name, c.usage, c.example)
	flags.VisitAll(func(f *pflag.Flag) { // a list is written as it is given, and none is no default
		if list := strings.Trim(f.DefValue, "[]"); list != "" || f.Value.Type() == "uintSlice" {
			f.DefValue = list
		}
	})
	if flags.HasFlags() {
		fmt.Fprintf(w, "\nFlags:\n%s", flags.FlagUsagesWrapped(100))
	}
}

func help(w io.Writer) {
	fmt.Fprint(w, "mtrace traces a program's use of Metal and says why it does not go faster.\n\nUsage: mtrace COMMAND [flags] …\n\nCommands:\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-9s %s\n", c.name, c.summary)
	}
	fmt.Fprint(w, "\nExample:\n  mtrace run -- python3 workload.py\n\nmtrace COMMAND --help says more.\n")
}
