package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/cmd/mtrace/internal/compare"
	"mtrace/cmd/mtrace/internal/convert"
	"mtrace/cmd/mtrace/internal/record"
	"mtrace/cmd/mtrace/internal/show"
	"mtrace/cmd/mtrace/internal/tools"
)

// commands returns all commands, in the order in which help lists them.
func commands() []cli.Command {
	return []cli.Command{record.RunCommand(), record.ExperimentCommand(), record.AttachCommand(),
		record.CollectCommand(), show.ReportCommand(), show.ViewCommand(), record.TailCommand(), record.ServeCommand(),
		convert.PprofCommand(), convert.ExportCommand(), convert.PushCommand(), compare.DiffCommand(),
		compare.CheckCommand(), show.ExplainCommand(), convert.RepairCommand(), compare.SweepCommand(),
		show.XctraceCommand(), tools.DoctorCommand(), compare.BenchCommand(), tools.McpCommand(), completionCommand(),
		versionCommand()}
}

// dispatch runs the command that args name, prints its error if any, and returns the exit status.
func dispatch(std cli.Stdio, args []string) int {
	if len(args) == 0 {
		help(std.Err)
		return cli.ExitUsage
	}
	if args[0] == "--version" {
		args = []string{"version"}
	}
	root := tree(std)
	root.SetArgs(args)
	err := root.Execute()
	if err == nil {
		return cli.ExitDone
	}
	if text := err.Error(); text != "" {
		cli.PrintLine(std.Err, "%s", text)
	}
	var s cli.Status
	if errors.As(err, &s) {
		return s.Code
	}
	return cli.ExitUsage
}

// tree returns the commands as a cobra command tree, which parses flags, suggests similar commands and completes.
// Help and errors are printed by mtrace itself.
func tree(std cli.Stdio) *cobra.Command {
	root := &cobra.Command{Use: "mtrace", Short: about, SilenceErrors: true, SilenceUsage: true,
		Args: cobra.ArbitraryArgs}
	root.CompletionOptions.DisableDefaultCmd = true // mtrace has its own command for completion
	cli.ChosenColour = cli.ColourAuto
	root.PersistentFlags().Var(&cli.ChosenColour, "color", "use colours: auto (on a terminal), always or never")
	// `mtrace --help` mentions --color; repeating it in the help of every command would only be noise
	root.PersistentFlags().Lookup("color").Hidden = true
	_ = root.RegisterFlagCompletionFunc("color", func(*cobra.Command, []string, string) ([]string,
		cobra.ShellCompDirective) {
		return cli.ColourModes, cobra.ShellCompDirectiveNoFileComp
	})
	cli.BeQuiet = false
	root.PersistentFlags().BoolVar(&cli.BeQuiet, "quiet", false,
		"print results and errors only: no progress, no notes and no warnings on standard error")
	// `mtrace --help` mentions --quiet; repeating it in the help of every command would only be noise
	root.PersistentFlags().Lookup("quiet").Hidden = true
	root.SetOut(std.Out)
	root.SetErr(std.Err)
	root.SetHelpFunc(func(*cobra.Command, []string) { help(std.Out) })
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return cli.UsageError("mtrace: %w: mtrace --help lists the commands", cli.FlagError(err, root.Flags()))
	})
	root.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cli.UsageError("mtrace: no command is given: mtrace --help lists the commands")
		}
		return unknown(root, args[0])
	}
	root.SetHelpCommand(&cobra.Command{Use: "help [COMMAND]", Short: "Explain a command", Hidden: true,
		ValidArgsFunction: func(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
			for _, c := range commands() {
				names = append(names, c.Name+"\t"+c.Summary)
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
		root.AddCommand(c.Cobra(std))
	}
	return root
}

// unknown returns the error for a command that does not exist, with similar names.
func unknown(root *cobra.Command, name string) error {
	root.SuggestionsMinimumDistance = 2
	hint := "mtrace --help lists the commands"
	if like := root.SuggestionsFor(name); len(like) > 0 {
		hint = "did you mean " + strings.Join(like, " or ") + "? " + hint
	}
	return cli.UsageError("mtrace: unknown command %q: %s", name, hint)
}

// about is the first line of `mtrace --help`.
const about = "mtrace traces a program's use of Metal and explains why the program is not faster."

func help(w io.Writer) {
	fmt.Fprint(w, about+"\n\nUsage: mtrace COMMAND [flags] …\n\nCommands:\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-10s %s\n", c.Name, c.Summary)
	}
	fmt.Fprint(w, "\nExample:\n  mtrace run -- python3 workload.py\n\nEvery command takes --color auto|always|never; "+
		"NO_COLOR and FORCE_COLOR are respected; --quiet leaves\nout progress, notes and warnings.\n"+
		"mtrace COMMAND --help says more.\n")
}
