package convert

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/collector/tracefile"
)

func RepairCommand() cli.Command {
	return cli.Command{
		Name:    "repair",
		Summary: "Write what is readable of a damaged or cut trace into a new trace",
		Usage:   "[flags] FILE",
		Example: "mtrace repair slow.mtrace.part -o slow.mtrace",
		Setup: func(flags *pflag.FlagSet) func(cli.Stdio, []string) error {
			out := flags.StringP("output", "o", "",
				"the `FILE` to write, - for standard output (default FILE with -repaired in its name)")
			var force bool
			cli.ForceFlag(flags, &force)
			return func(std cli.Stdio, args []string) error {
				if len(args) != 1 {
					return cli.UsageError("give one trace, not %d: mtrace repair FILE", len(args))
				}
				return repair(std, args[0], *out, force)
			}
		},
	}
}

// repair writes what is readable of a damaged trace into a new file. The damaged file is not changed.
func repair(std cli.Stdio, path, out string, force bool) error {
	trace, err := tracefile.Open(path)
	if err != nil {
		return cli.Status{Code: cli.ExitUsage, Err: cli.OrUnfinished(path, err)}
	}
	defer trace.Close()
	if out == "" {
		out = strings.TrimSuffix(strings.TrimSuffix(path, cli.PartSuffix), ".mtrace") + "-repaired.mtrace"
	}
	if out == cli.StandardOutput {
		if err := cli.NotForPeople(std, "a trace"); err != nil {
			return err
		}
		said, err := trace.Repair(std.Out)
		if err == nil {
			tellRepair(std.Err, path, trace, said)
		}
		return cli.AsStatus(err)
	}
	if err := cli.NotTheInput(out, path); err != nil {
		return err
	}
	file, err := cli.BeginTrace(out, force)
	if err != nil {
		return cli.AsStatus(err)
	}
	said, err := trace.Repair(file)
	if err = errors.Join(err, file.Close()); err != nil {
		file.Discard()
		return cli.AsStatus(err)
	}
	if out, err = file.Finish(force); err != nil {
		return cli.AsStatus(err)
	}
	fmt.Fprintln(std.Out, out)
	tellRepair(std.Err, path, trace, said)
	return nil
}

// tellRepair prints what could not be read and is missing in the new file.
func tellRepair(w *os.File, path string, trace *tracefile.Reader, said *tracefile.Repair) {
	if said == nil && len(trace.Damage()) == 0 {
		fmt.Fprintf(w, "mtrace repair: %s is not damaged: the new file is a copy\n", path)
		return
	}
	if said == nil {
		fmt.Fprintln(w, "mtrace repair: nothing is missing")
		return
	}
	for _, line := range said.Lines {
		cli.PrintLine(w, "mtrace repair: %s", line)
	}
	if said.Cut != nil {
		cli.PrintLine(w, "mtrace repair: %s", said.Cut.Why)
	}
}
