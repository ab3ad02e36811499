package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	pprof "github.com/google/pprof/profile"
	"github.com/spf13/pflag"

	"mtrace/analyze"
	"mtrace/analyze/kernels"
	"mtrace/analyze/profile"
	"mtrace/analyze/report"
	recordedpprof "mtrace/analyze/xctrace/pprof"
)

// profileFormats are how profiles are written, and what their files end in.
var profileFormats = map[string]string{"pprof": ".pb.gz", "folded": ".folded"}

func pprofCommand() command {
	return command{
		name:    "pprof",
		summary: "Write a trace as profiles for go tool pprof",
		usage:   "[flags] FILE -o OUT",
		example: "mtrace pprof trace.mtrace -o profiles && go tool pprof -top profiles/wait.pb.gz",
		values:  map[string][]string{"format": {"pprof", "folded"}, "type": profile.Types},
		setup: func(flags *pflag.FlagSet) func(stdio, []string) error {
			var j profileJob
			flags.StringVarP(&j.out, "output", "o", "",
				"a `FOLDER` for the profiles, one TYPE.pb.gz each; with one --type, a file, a folder, or - for standard output")
			flags.StringSliceVar(&j.types, "type", profile.Types,
				"the `TYPES` of profiles to write; of a recording of Instruments also cpu")
			flags.StringVar(&j.format, "format", "pprof",
				"the `FORMAT`: pprof, or folded (a line for each stack, for flame graphs)")
			forceFlag(flags, &j.force)
			j.of.flags(flags)
			return func(std stdio, args []string) error {
				j.asked = flags.Changed("type")
				return j.run(std, args)
			}
		},
	}
}

// profileJob is which profiles to write, how and where.
type profileJob struct {
	out    string
	types  []string
	asked  bool // the user named the types
	format string
	of     part
	force  bool // replace files that are there
}

// built is a profile to be written.
type built struct {
	kind    string
	profile *pprof.Profile
}

func (j *profileJob) run(std stdio, args []string) error {
	if len(args) != 1 {
		return usageError("takes one trace, but got %d: mtrace pprof FILE -o OUT", len(args))
	}
	if j.out == "" {
		return usageError("nowhere to write to: mtrace pprof FILE -o OUT")
	}
	if j.out == standardOutput && len(j.types) != 1 {
		return usageError("-o - is for one profile: --type %s", strings.Join(profile.Types, ", or "))
	}
	if profileFormats[j.format] == "" {
		return usageError("no format %q: there are pprof, folded", j.format)
	}
	made, err := j.profiles(std, args[0])
	if err != nil {
		return err
	}
	if err := j.write(std, args[0], made.list); err != nil {
		return err
	}
	return made.incomplete
}

// profiles are those that were made of a file.
type profiles struct {
	list       []built
	host       string // where it was recorded; empty when that is not known
	incomplete error  // what is to be said once they are written, where the file is not whole
}

// profiles makes those that are asked for.
func (j *profileJob) profiles(std stdio, path string) (made profiles, err error) {
	known := profile.Types
	if instruments(path) {
		known = append(slices.Clone(profile.Types), "cpu")
	}
	if len(j.types) == 0 {
		return made, usageError("no type of profile: --type %s", strings.Join(known, ", "))
	}
	for _, t := range j.types {
		if !slices.Contains(known, t) {
			return made, usageError("no profile of type %q: there are %s", t, strings.Join(known, ", "))
		}
	}
	if err := j.of.check(); err != nil {
		return made, err
	}
	if instruments(path) {
		return j.recorded(std, path)
	}
	list, trace, err := j.traced(std, path)
	if err != nil {
		return made, err
	}
	return profiles{list, trace.Source.Host, cutError(trace)}, nil
}

// traced makes the profiles of a trace of ours, and returns the trace, or the last part of a long one.
func (j *profileJob) traced(std stdio, path string) (list []built, trace *analyze.Trace, err error) {
	file, err := openTrace(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	if report.UsualLimits.Long(file, j.of.options()) {
		return j.addedUp(std, path, file)
	}
	if trace, err = j.of.load(std, path, nil); err != nil {
		return nil, nil, err
	}
	made, err := profile.BuildAll(j.types, trace)
	if err != nil {
		return nil, nil, status{exitUsage, err}
	}
	for i, p := range made {
		list = append(list, built{j.types[i], p})
	}
	return list, trace, nil
}

// addedUp makes the profiles of a long trace part by part.
func (j *profileJob) addedUp(std stdio, path string, file *analyze.File) (list []built, last *analyze.Trace,
	err error) {
	var costs *kernels.Costs
	if slices.Contains(j.types, "gpu") {
		if costs, err = j.costs(file); err != nil {
			return nil, nil, status{exitUsage, orUnfinished(path, err)}
		}
	}
	sum, show := profile.NewSum(j.types, costs), showSteps(std, path, file, j.of.options())
	err = file.EachPart(j.of.options(), profiledRecords, func(part *analyze.Trace, number, of int) error {
		last = part
		show(number+1, of)
		return sum.Add(part)
	})
	if err != nil {
		return nil, nil, status{exitUsage, orUnfinished(path, err)}
	}
	profiles, err := sum.Profiles()
	if err != nil {
		return nil, nil, status{exitUsage, err}
	}
	for i, kind := range j.types {
		list = append(list, built{kind, profiles[i]})
	}
	return list, last, nil
}

// costs are what kernels cost in a long trace: all of it shows that, where a part may not.
func (j *profileJob) costs(file *analyze.File) (*kernels.Costs, error) {
	var sum *kernels.Sum
	err := file.EachPart(j.of.options(), profiledRecords, func(part *analyze.Trace, _, _ int) error {
		if of := kernels.NewSum(part); sum == nil {
			sum = of
		} else {
			sum.Add(of)
		}
		return nil
	})
	if err != nil || sum == nil {
		return nil, err
	}
	return sum.Costs(), nil
}

// recorded makes what can be told of a recording of Instruments. There is no profile without a sample: it would say
// that nothing happened, where nothing is known.
func (j *profileJob) recorded(std stdio, path string) (made profiles, err error) {
	recording, err := (&recordingSource{}).load(std, []string{path})
	if err != nil {
		return made, err
	}
	kinds := j.types
	if !j.asked {
		kinds = []string{"gpu", "cpu", "alloc", "compile"}
	}
	trace, traceErr := j.of.modelOf(recording, path)
	for _, kind := range kinds {
		var p *pprof.Profile
		switch {
		case kind == "cpu":
			p, err = recordedpprof.CPU(recording, j.of.filter())
		case traceErr == nil:
			p, err = profile.Build(kind, trace)
		}
		switch {
		case err != nil:
			return made, status{exitUsage, err}
		case p != nil && len(p.Sample) > 0:
			made.list = append(made.list, built{kind, p})
		case j.asked || kind == "gpu" || kind == "cpu":
			fmt.Fprintf(std.err, "mtrace: no %s profile: %s\n", kind, noProfile(kind))
		}
	}
	if len(made.list) == 0 {
		return made, cmp.Or(traceErr, usageError("%s has no rows for a profile of type %s", path, strings.Join(kinds, ", ")))
	}
	if trace != nil {
		made.host = trace.Source.Host
	}
	if names := recording.Truncated(); len(names) > 0 {
		made.incomplete = incompleteFile(names[0], analyze.Cut)
	}
	return made, nil
}

// noProfile is why a recording of Instruments has no such profile.
func noProfile(kind string) string {
	switch kind {
	case "api", "wait":
		return "Instruments records neither calls nor waits; mtrace run does"
	case "cpu":
		return "no CPU samples are in it (time-profile, cpu-profile, time-sample)"
	}
	return "the recording has no rows for it"
}

// write writes the profiles: one to a file, several into a folder.
func (j *profileJob) write(std stdio, input string, list []built) error {
	if j.out == standardOutput && j.format == "pprof" {
		if err := notForPeople(std, "a profile"); err != nil {
			return err
		}
	}
	info, statErr := os.Stat(j.out)
	toFile := len(j.types) == 1 && (statErr != nil || !info.IsDir())
	if !toFile {
		if err := os.MkdirAll(j.out, 0o755); err != nil {
			return status{exitUsage, fmt.Errorf("making the folder for profiles: %w", err)}
		}
	}
	for _, b := range list {
		path := j.out
		if !toFile {
			path = filepath.Join(j.out, b.kind+profileFormats[j.format])
		}
		err := writeFile(std, path, input, j.force, func(f *os.File) error {
			if j.format == "folded" {
				return profile.WriteFolded(f, b.profile)
			}
			return b.profile.Write(f)
		})
		if err != nil {
			return err
		}
		if path != standardOutput {
			fmt.Fprintln(std.out, path)
		}
	}
	return nil
}
