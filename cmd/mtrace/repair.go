package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"mtrace/collector/tracefile"
)

func repairCommand() command {
	return command{
		name:    "repair",
		summary: "Make a clean file of what can be read of a damaged or cut trace",
		usage:   "[flags] FILE",
		example: "mtrace repair slow.mtrace.part -o slow.mtrace",
		setup: func(flags *pflag.FlagSet) func(stdio, []string) error {
			out := flags.StringP("output", "o", "",
				"the `FILE` to write, - for standard output (default FILE with -repaired in its name)")
			var force bool
			forceFlag(flags, &force)
			return func(std stdio, args []string) error {
				if len(args) != 1 {
					return usageError("takes one trace, but got %d: mtrace repair FILE", len(args))
				}
				return repair(std, args[0], *out, force)
			}
		},
	}
}

// repair writes the whole part of a trace. The trace itself stays as it is.
func repair(std stdio, path, out string, force bool) error {
	trace, err := tracefile.Open(path)
	if err != nil {
		return status{exitUsage, orUnfinished(path, err)}
	}
	defer trace.Close()
	if out == "" {
		out = strings.TrimSuffix(strings.TrimSuffix(path, partSuffix), ".mtrace") + "-repaired.mtrace"
	}
	if out == standardOutput {
		if err := notForPeople(std, "a trace"); err != nil {
			return err
		}
		said, err := trace.Repair(std.out)
		if err == nil {
			tellRepair(std.err, path, trace, said)
		}
		return asStatus(err)
	}
	if err := notTheInput(out, path); err != nil {
		return err
	}
	file, err := beginTrace(out, force)
	if err != nil {
		return asStatus(err)
	}
	said, err := trace.Repair(file)
	if err = errors.Join(err, file.Close()); err != nil {
		file.discard()
		return status{exitUsage, err}
	}
	if out, err = file.finish(force); err != nil {
		return status{exitUsage, err}
	}
	fmt.Fprintln(std.out, out)
	tellRepair(std.err, path, trace, said)
	return nil
}

// tellRepair states what was left out.
func tellRepair(w *os.File, path string, trace *tracefile.Reader, said *tracefile.Repair) {
	if said == nil && len(trace.Damage()) == 0 {
		fmt.Fprintf(w, "mtrace repair: nothing is wrong with %s: this is a copy\n", path)
		return
	}
	if said == nil {
		fmt.Fprintln(w, "mtrace repair: nothing is missing")
		return
	}
	for _, line := range said.Lines {
		tell(w, "mtrace repair: %s", line)
	}
	if said.Cut != nil {
		tell(w, "mtrace repair: %s", said.Cut.Why)
	}
}
