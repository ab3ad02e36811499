package convert

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
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/cmd/mtrace/internal/loading"
)

// profileFormats maps each value of --format to the extension of the files it writes.
var profileFormats = map[string]string{"pprof": ".pb.gz", "folded": ".folded"}

func PprofCommand() cli.Command {
	return cli.Command{
		Name:    "pprof",
		Summary: "Write a trace as profiles for go tool pprof",
		Usage:   "[flags] FILE -o OUT",
		Example: "mtrace pprof trace.mtrace -o profiles && go tool pprof -top profiles/wait.pb.gz",
		Values:  map[string][]string{"format": {"pprof", "folded"}, "type": profile.Types},
		Setup: func(flags *pflag.FlagSet) func(cli.Stdio, []string) error {
			var j ProfileJob
			flags.StringVarP(&j.out, "output", "o", "",
				"write each profile to TYPE.pb.gz in this `FOLDER`; "+
					"with only one --type also a file, or - for standard output")
			flags.StringSliceVar(&j.Types, "type", profile.Types,
				"write profiles of these `TYPES`; a recording of Instruments also has cpu")
			flags.StringVar(&j.format, "format", "pprof",
				"write this `FORMAT`: pprof, or folded (one line per stack, for flame graphs)")
			cli.ForceFlag(flags, &j.force)
			j.Of.Flags(flags)
			return func(std cli.Stdio, args []string) error {
				j.asked = flags.Changed("type")
				return j.run(std, args)
			}
		},
	}
}

// A ProfileJob holds the flags of mtrace pprof: which profiles to make from which part of a trace, in which format,
// and where.
type ProfileJob struct {
	out    string
	Types  []string
	asked  bool // the user named the types
	format string
	Of     loading.Selection
	force  bool // replace existing files
}

// built is a profile to be written.
type built struct {
	Kind    string
	Profile *pprof.Profile
}

func (j *ProfileJob) run(std cli.Stdio, args []string) error {
	if len(args) != 1 {
		return cli.UsageError("give one trace, not %d: mtrace pprof FILE -o OUT", len(args))
	}
	if j.out == "" {
		return cli.UsageError("the output is missing: mtrace pprof FILE -o OUT")
	}
	if j.out == cli.StandardOutput && len(j.Types) != 1 {
		return cli.UsageError("standard output (-o -) can take only one profile: --type %s",
			strings.Join(profile.Types, ", or "))
	}
	if profileFormats[j.format] == "" {
		return cli.UsageError("unknown format %q: --format must be pprof or folded", j.format)
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

// profiles are the profiles made from one trace or recording.
type profiles struct {
	list       []built
	host       string // host on which the trace was recorded; empty if not known
	incomplete error  // the error to return after the profiles are written, if the file is incomplete
}

// profiles makes the profiles of j.Types from the trace or recording at path.
func (j *ProfileJob) profiles(std cli.Stdio, path string) (made profiles, err error) {
	known := profile.Types
	if loading.Instruments(path) {
		known = append(slices.Clone(profile.Types), "cpu")
	}
	if len(j.Types) == 0 {
		return made, cli.UsageError("no profile type is given: --type %s", strings.Join(known, ", "))
	}
	for _, t := range j.Types {
		if !slices.Contains(known, t) {
			return made, cli.UsageError("unknown profile type %q: --type takes %s", t, strings.Join(known, ", "))
		}
	}
	if err := j.Of.Check(); err != nil {
		return made, err
	}
	if loading.Instruments(path) {
		return j.recorded(std, path)
	}
	list, trace, err := j.traced(std, path)
	if err != nil {
		return made, err
	}
	return profiles{list, trace.Source.Host, loading.CutError(trace)}, nil
}

// traced makes the profiles of a trace that mtrace recorded. It also returns the trace. A long trace is read one
// range of time after the other; then the trace that it returns is the last range.
func (j *ProfileJob) traced(std cli.Stdio, path string) (list []built, trace *analyze.Trace, err error) {
	file, err := loading.OpenTrace(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	if report.UsualLimits.Long(file, j.Of.Options()) {
		var costs *kernels.Costs
		if slices.Contains(j.Types, "gpu") {
			if costs, err = j.costs(file); err != nil {
				return nil, nil, cli.Status{Code: cli.ExitUsage, Err: cli.OrUnfinished(path, err)}
			}
		}
		return j.AddedUp(std, path, file, costs)
	}
	if trace, err = j.Of.Load(std, path, nil); err != nil {
		return nil, nil, err
	}
	made, err := profile.BuildAll(j.Types, trace)
	if err != nil {
		return nil, nil, cli.AsStatus(err)
	}
	for i, p := range made {
		list = append(list, built{j.Types[i], p})
	}
	return list, trace, nil
}

// AddedUp makes the profiles of a trace too long for memory: it reads one range of time after the other and adds up
// the samples. costs holds each kernel's estimated GPU time in the whole trace; only the profile type gpu needs it.
// AddedUp also returns the last range.
func (j *ProfileJob) AddedUp(std cli.Stdio, path string, file *analyze.File, costs *kernels.Costs) (list []built,
	last *analyze.Trace, err error) {
	sum, show := profile.NewSum(j.Types, costs), loading.ShowSteps(std, path, file, j.Of.Options())
	err = file.EachRange(j.Of.Options(), loading.ProfiledRecords, func(part *analyze.Trace, number, of int) error {
		last = part
		show(number+1, of)
		return sum.Add(part)
	})
	if err != nil {
		return nil, nil, cli.Status{Code: cli.ExitUsage, Err: cli.OrUnfinished(path, err)}
	}
	profiles, err := sum.Profiles()
	if err != nil {
		return nil, nil, cli.AsStatus(err)
	}
	for i, kind := range j.Types {
		list = append(list, built{kind, profiles[i]})
	}
	return list, last, nil
}

// costs estimates each kernel's GPU time from the whole trace. In a single range some kernels may always run
// together, so that their times cannot be separated.
func (j *ProfileJob) costs(file *analyze.File) (*kernels.Costs, error) {
	var sum *kernels.Sum
	err := file.EachRange(j.Of.Options(), loading.ProfiledRecords, func(part *analyze.Trace, _, _ int) error {
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

// recorded makes the profiles for which a recording of Instruments has samples. For the other types it makes none and
// prints a message: an empty profile would wrongly claim that nothing happened.
func (j *ProfileJob) recorded(std cli.Stdio, path string) (made profiles, err error) {
	recording, err := (&loading.RecordingSource{}).Load(std, []string{path})
	if err != nil {
		return made, err
	}
	kinds := j.Types
	if !j.asked {
		kinds = []string{"gpu", "cpu", "alloc", "compile"}
	}
	trace, traceErr := j.Of.ModelOf(recording, path)
	for _, kind := range kinds {
		var p *pprof.Profile
		switch {
		case kind == "cpu":
			p, err = recordedpprof.CPU(recording, j.Of.Filter())
		case traceErr == nil:
			p, err = profile.Build(kind, trace)
		}
		switch {
		case err != nil:
			return made, cli.AsStatus(err)
		case p != nil && len(p.Sample) > 0:
			made.list = append(made.list, built{kind, p})
		case j.asked || kind == "gpu" || kind == "cpu":
			fmt.Fprintf(std.Err, "mtrace: no %s profile: %s\n", kind, noProfile(kind))
		}
	}
	if len(made.list) == 0 {
		return made, cmp.Or(traceErr, cli.UsageError("%s has no rows for a profile of type %s", path,
			strings.Join(kinds, ", ")))
	}
	if trace != nil {
		made.host = trace.Source.Host
	}
	if names := recording.Truncated(); len(names) > 0 {
		made.incomplete = loading.IncompleteFile(names[0], analyze.Cut)
	}
	return made, nil
}

// noProfile returns why an Instruments recording has no profile of this kind. The text completes a message.
func noProfile(kind string) string {
	switch kind {
	case "api", "wait":
		return "Instruments does not record calls and waits; record the program with mtrace run"
	case "cpu":
		return "the recording has no CPU samples (tables time-profile, cpu-profile, counters-profile, time-sample)"
	}
	return "the recording has no rows for this profile"
}

// write writes the profiles to -o: a single one to a file, several into a folder. It prints the paths.
func (j *ProfileJob) write(std cli.Stdio, input string, list []built) error {
	if j.out == cli.StandardOutput && j.format == "pprof" {
		if err := cli.NotForPeople(std, "a profile"); err != nil {
			return err
		}
	}
	info, statErr := os.Stat(j.out)
	toFile := len(j.Types) == 1 && (statErr != nil || !info.IsDir())
	if !toFile {
		if err := os.MkdirAll(j.out, 0o755); err != nil {
			return cli.UsageError("creating the folder for profiles: %w", err)
		}
	}
	for _, b := range list {
		path := j.out
		if !toFile {
			path = filepath.Join(j.out, b.Kind+profileFormats[j.format])
		}
		err := cli.WriteFile(std, path, input, j.force, func(f *os.File) error {
			if j.format == "folded" {
				return profile.WriteFolded(f, b.Profile)
			}
			return b.Profile.Write(f)
		})
		if err != nil {
			return err
		}
		if path != cli.StandardOutput {
			fmt.Fprintln(std.Out, path)
		}
	}
	return nil
}
