// Package tools contains the commands about the tool itself: doctor, and mcp, which answers the questions of
// assistants.
package tools

import (
	"fmt"
	"os"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"mtrace/analyze"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/cmd/mtrace/internal/doctor"
)

func DoctorCommand() cli.Command {
	return cli.Command{
		Name:    "doctor",
		Summary: "Check whether this machine can trace, and whether a command can be traced",
		Usage:   "[flags] [-- CMD ARG…]",
		Example: "mtrace doctor -- python3 workload.py",
		Whole:   true,
		Setup: func(flags *pflag.FlagSet) func(cli.Stdio, []string) error {
			var o doctorOptions
			flags.BoolVar(&o.json, "json", false, "print everything as JSON (mtrace.doctor/1), to attach to a bug report")
			flags.BoolVarP(&o.all, "verbose", "v", false,
				"print all details, such as the classes of Metal objects and every Python found")
			flags.StringVar(&o.bundle, "bundle", "",
				"also trace two programs, compare all results with the expected ones, "+
					"and write everything to this archive (.tar.gz), to be sent to the developers; "+
					"- is standard output")
			flags.BoolVar(&o.noSelfTest, "no-self-test", false, "do not run the bundled Metal program")
			cli.ForceFlag(flags, &o.force)
			return func(std cli.Stdio, args []string) error { return o.run(std, args) }
		},
	}
}

type doctorOptions struct {
	json, all, noSelfTest bool
	bundle                string
	force                 bool // replace an older archive
}

// run checks the machine and prints the result. If the machine cannot trace, the exit status is 1.
func (o doctorOptions) run(std cli.Stdio, command []string) error {
	if o.bundle != "" {
		return o.runBundle(std, command)
	}
	question := doctor.Question{Tool: cli.ToolVersion(), Command: command}
	question.Library, question.LibraryProblem = cli.FindLibrary()
	question.SelfTest, question.SelfTestProblem = o.selfTest(question.Library)
	progress := func(string) {}
	if term.IsTerminal(int(std.Err.Fd())) {
		progress = func(what string) { fmt.Fprintf(std.Err, "\r\x1b[Kchecking %s…", what) }
	}
	report := doctor.Examine(doctor.ThisMachine(), question, progress)
	if term.IsTerminal(int(std.Err.Fd())) {
		fmt.Fprint(std.Err, "\r\x1b[K")
	}
	clean := doctor.ThisUser().Scrub
	if o.json {
		clean = doctor.ThisUser().Folders().Share
	}
	report, err := clean(report)
	if err == nil && o.json {
		err = report.WriteJSON(analyze.SafeJSON(std.Out))
	} else if err == nil {
		err = report.WriteText(analyze.SafeText(std.Out, cli.Colour(std.Out)), o.all, cli.Colour(std.Out))
	}
	if err == nil && !report.Can {
		return cli.Status{Code: cli.ExitNo}
	}
	return err
}

// selfTest returns the self-test to run, or nil and the reason why it is skipped.
func (o doctorOptions) selfTest(library string) (*doctor.SelfTest, string) {
	if o.noSelfTest {
		return nil, "not asked for"
	}
	program, ok := cli.BesideExecutable(".", "mtrace-selftest")
	if !ok {
		return nil, "the bundled Metal program, mtrace-selftest, is not in mtrace's folder: " +
			"take it from a release's archive or wheel, or build it with ./build.sh in mtrace's sources"
	}
	tool, err := os.Executable()
	if err != nil {
		return nil, "mtrace cannot determine its own path: " + err.Error()
	}
	test := &doctor.SelfTest{Program: program, Tool: tool, Library: library, Environ: os.Environ()}
	if preload, ok := cli.SoftwareMetal(); ok {
		test.Preload = preload
	}
	return test, ""
}
