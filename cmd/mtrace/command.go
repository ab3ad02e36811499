package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

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
}

// commands is the table of commands, in the order of help.
func commands() []command {
	return []command{runCommand(), attachCommand(), collectCommand(), reportCommand(), viewCommand(), tailCommand(),
		serveCommand(), pprofCommand(), exportCommand(), pushCommand(), diffCommand(),
		checkCommand(), explainCommand(), repairCommand(), sweepCommand(), xctraceCommand(), doctorCommand(), benchCommand(),
		mcpCommand(), completionCommand(), versionCommand()}
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

// dispatch runs the command that args name and returns the exit status.
func dispatch(std stdio, args []string) int {
	if len(args) == 0 {
		help(std.err)
		return exitUsage
	}
	if args[0] == "--version" {
		args = []string{"version"}
	}
	root := tree(std)
	root.SetArgs(args)
	err := root.Execute()
	if err == nil {
		return exitDone
	}
	if text := err.Error(); text != "" {
		tell(std.err, "%s", text)
	}
	var s status
	if errors.As(err, &s) {
		return s.code
	}
	return exitUsage
}

// tell writes a line that may have names of the traced program, or of files: nothing in it steers a terminal.
func tell(w io.Writer, format string, args ...any) {
	fmt.Fprintln(w, analyze.Printable(fmt.Sprintf(format, args...)))
}

// tree is the table of commands as cobra has them, which finds, suggests and completes them; help and errors are ours.
func tree(std stdio) *cobra.Command {
	root := &cobra.Command{Use: "mtrace", Short: about, SilenceErrors: true, SilenceUsage: true, Args: cobra.ArbitraryArgs}
	root.CompletionOptions.DisableDefaultCmd = true // there is a row of ours
	chosenColour = colourAuto
	root.PersistentFlags().Var(&chosenColour, "color", "use colours: auto (on a terminal), always or never")
	root.PersistentFlags().Lookup("color").Hidden = true // in the help of mtrace, instead of in that of each command
	_ = root.RegisterFlagCompletionFunc("color", func(*cobra.Command, []string, string) ([]string,
		cobra.ShellCompDirective) {
		return colourModes, cobra.ShellCompDirectiveNoFileComp
	})
	beQuiet = false
	root.PersistentFlags().BoolVar(&beQuiet, "quiet", false,
		"print results and errors only: no progress, no notes and no warnings on standard error")
	root.PersistentFlags().Lookup("quiet").Hidden = true // in the help of mtrace, instead of in that of each command
	root.SetOut(std.out)
	root.SetErr(std.err)
	root.SetHelpFunc(func(*cobra.Command, []string) { help(std.out) })
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return usageError("mtrace: %w: mtrace --help lists the commands", flagError(err, root.Flags()))
	})
	root.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usageError("mtrace: no command: mtrace --help lists them")
		}
		return unknown(root, args[0])
	}
	root.SetHelpCommand(&cobra.Command{Use: "help [COMMAND]", Short: "Say more of a command", Hidden: true,
		ValidArgsFunction: func(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
			for _, c := range commands() {
				names = append(names, c.name+"\t"+c.summary)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			found, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return unknown(root, strings.Join(args, " "))
			}
			return found.Help()
		}})
	for _, c := range commands() {
		root.AddCommand(c.cobra(std))
	}
	return root
}

// unknown is the error for what is no command, with those that are like it.
func unknown(root *cobra.Command, name string) error {
	root.SuggestionsMinimumDistance = 2
	hint := "mtrace --help lists them"
	if like := root.SuggestionsFor(name); len(like) > 0 {
		hint = "did you mean " + strings.Join(like, " or ") + "? " + hint
	}
	return usageError("mtrace: no command %q: %s", name, hint)
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
	completeValues(cmd, c.name)
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

// about is the first line of help.
const about = "mtrace traces a program's use of Metal and says why it does not go faster."

func help(w io.Writer) {
	fmt.Fprint(w, about+"\n\nUsage: mtrace COMMAND [flags] …\n\nCommands:\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-10s %s\n", c.name, c.summary)
	}
	fmt.Fprint(w, "\nExample:\n  mtrace run -- python3 workload.py\n\nEvery command takes --color auto|always|never; "+
		"NO_COLOR and FORCE_COLOR are respected; --quiet leaves\nout progress, notes and warnings.\nmtrace COMMAND --help says more.\n")
}
