package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"mtrace/analyze/profile"
	"mtrace/analyze/wholefile"
)

func pprofCommand() command {
	return command{
		name:    "pprof",
		summary: "Write a trace as profiles for go tool pprof",
		usage:   "[flags] FILE -o OUT",
		example: "mtrace pprof trace.mtrace -o profiles && go tool pprof -top profiles/wait.pb.gz",
		setup: func(flags *pflag.FlagSet) func(stdio, []string) error {
			out := flags.StringP("output", "o", "", "a `FOLDER` for the profiles, one TYPE.pb.gz each; with one --type, a file or a folder")
			types := flags.StringSlice("type", profile.Types, "the `TYPES` of profiles to write")
			var of part
			of.flags(flags)
			return func(std stdio, args []string) error { return writeProfiles(std, args, *out, *types, &of) }
		},
	}
}

func writeProfiles(std stdio, args []string, out string, types []string, of *part) error {
	if len(args) != 1 {
		return usageError("takes one trace, but got %d: mtrace pprof FILE -o OUT", len(args))
	}
	if out == "" {
		return usageError("nowhere to write to: mtrace pprof FILE -o OUT")
	}
	for _, t := range types {
		if !slices.Contains(profile.Types, t) {
			return usageError("no profile of type %q: there are %s", t, strings.Join(profile.Types, ", "))
		}
	}
	if err := of.check(); err != nil {
		return err
	}
	trace, err := of.load(std, args[0], nil)
	if err != nil {
		return err
	}
	info, statErr := os.Stat(out)
	toFile := len(types) == 1 && (statErr != nil || !info.IsDir())
	paths := []string{out}
	if toFile && wholefile.Same(out, args[0]) {
		return usageError("%s is what is read: name another file to write", out)
	}
	if toFile {
		err = profile.Write(types[0], trace, out)
	} else {
		paths, err = profile.WriteAll(types, trace, out)
	}
	if err != nil {
		return status{exitUsage, err}
	}
	for _, p := range paths {
		fmt.Fprintln(std.out, p)
	}
	return cutError(trace)
}
