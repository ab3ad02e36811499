package show

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/pprof/profile"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"mtrace/analyze"
	"mtrace/analyze/xctrace"
	"mtrace/analyze/xctrace/bundle"
	"mtrace/analyze/xctrace/pprof"
	"mtrace/analyze/xctrace/summary"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/cmd/mtrace/internal/loading"
)

// xctraceView holds the flags of mtrace xctrace.
type xctraceView struct {
	json     bool
	pprof    string
	all      bool
	process  string
	pids     []uint
	from, to time.Duration
	run      int
	output   string
	template string
	limit    time.Duration
	env      []string
	force    bool // replace existing profiles
}

func XctraceCommand() cli.Command {
	return cli.Command{
		Name:    "xctrace",
		Summary: "Summarise a recording of Instruments, or record a program with Instruments",
		Usage:   "[flags] FILE|DIRECTORY|X.trace|- …\n       mtrace xctrace record [flags] -- CMD ARG…",
		Example: "mtrace xctrace --process python3 exports/",
		Setup: func(flags *pflag.FlagSet) func(cli.Stdio, []string) error {
			var v xctraceView
			flags.BoolVar(&v.json, "json", false, "print the summary as JSON (mtrace.xctrace/1)")
			flags.StringVar(&v.pprof, "pprof", "",
				"write pprof profiles into this `FOLDER`: gpu.pb.gz, and cpu.pb.gz if there are CPU samples")
			cli.ForceFlag(flags, &v.force)
			flags.UintSliceVar(&v.pids, "pid", nil,
				"summarise the processes with these `NUMBERS` (default: the process that was recorded)")
			flags.StringVar(&v.process, "process", "", "summarise the processes of this `NAME`")
			flags.BoolVar(&v.all, "all", false, "summarise every process")
			flags.DurationVar(&v.from, "from", 0,
				"summarise only what was recorded from this `TIME` after the start, such as 1.5s or 200ms")
			flags.DurationVar(&v.to, "to", 0, "summarise only what was recorded up to this `TIME` after the start")
			flags.IntVar(&v.run, "run", 0, "read the run with this `NUMBER` of a .trace bundle (default: the first)")
			flags.StringVarP(&v.output, "output", "o", "",
				"record: create this .trace `BUNDLE` (default CMD-PID.trace in the current folder)")
			flags.StringVar(&v.template, "template", "Metal System Trace",
				"record: use the template of Instruments with this `NAME`, or this .tracetemplate file")
			flags.DurationVar(&v.limit, "time-limit", 0, "record: stop after this `TIME`")
			flags.StringArrayVar(&v.env, "env", nil, "record: set this environment variable, `NAME=VALUE`, for the program")
			return func(std cli.Stdio, args []string) error {
				if v.from < 0 || v.to < 0 || v.to > 0 && v.to <= v.from {
					return cli.UsageError("--from %v --to %v: both must be 0 or more, and --to later than --from",
						v.from, v.to)
				}
				if v.run < 0 {
					return cli.UsageError("--run %d: runs are numbered from 1 on", v.run)
				}
				if len(args) > 0 && args[0] == "record" {
					return v.record(std, args[1:])
				}
				for _, name := range []string{"output", "template", "time-limit", "env"} {
					if flags.Changed(name) {
						return cli.UsageError("--%s works only with mtrace xctrace record -- CMD ARG…; "+
							"a summary goes to standard output", name)
					}
				}
				return v.summarise(std, args)
			}
		},
	}
}

// record records a program with Instruments' xctrace, and prints the summary.
func (v *xctraceView) record(std cli.Stdio, command []string) error {
	if len(command) == 0 {
		return cli.UsageError("no program to record: mtrace xctrace record -- CMD ARG…")
	}
	tool, err := loading.InstrumentsTool(std)
	if err != nil {
		return err
	}
	if v.output == "" {
		v.output = fmt.Sprintf("%s-%d.trace", filepath.Base(command[0]), os.Getpid())
	}
	if !strings.HasSuffix(v.output, ".trace") {
		return cli.UsageError("--output %s: the name must end in .trace", v.output)
	}
	recording := bundle.Recording{Command: command, Output: v.output, Template: v.template, Limit: v.limit, Env: v.env,
		Stdout: std.Err, Stderr: std.Err}
	if !term.IsTerminal(int(std.In.Fd())) {
		recording.Stdin = std.In
	}
	if err := tool.Record(context.Background(), recording); err != nil {
		return err
	}
	return v.summarise(std, []string{v.output})
}

func (v *xctraceView) summarise(std cli.Stdio, paths []string) error {
	if len(paths) == 0 {
		return cli.UsageError(
			"nothing to summarise: give an export, a folder of exports, a .trace bundle, or - for standard input")
	}
	recording, err := (&loading.RecordingSource{Run: v.run, From: v.from, To: v.to}).Load(std, paths)
	if err != nil {
		return err
	}
	if err := usable(std, recording); err != nil {
		return err
	}
	return v.print(std, recording)
}

// usable prints which tables have no usable rows. If no table has any, it returns an error.
func usable(std cli.Stdio, recording *xctrace.Recording) error {
	var rows, rejected int64
	var unusable []string
	for _, d := range recording.Documents {
		for _, t := range d.Tables {
			if !t.Decoded && t.Rejected == 0 {
				continue // a table that mtrace does not know
			}
			rows, rejected = rows+t.Rows, rejected+t.Rejected
			if t.Rows == 0 || t.Rejected < t.Rows {
				continue
			}
			unusable = append(unusable,
				fmt.Sprintf("table %s: none of its %d rows can be used: %s", t.Name(), t.Rows, t.Problems[0]))
		}
	}
	if rows > 0 && rejected == rows {
		return cli.UsageError("the recording has no usable data: %s", unusable[0])
	}
	for _, why := range unusable {
		cli.PrintLine(std.Err, "mtrace: %s", why)
	}
	return nil
}

func (v *xctraceView) print(std cli.Stdio, recording *xctrace.Recording) error {
	filter := summary.Filter{Process: v.process, All: v.all, From: analyze.Nanos(v.from), To: analyze.Nanos(v.to)}
	for _, pid := range v.pids {
		filter.PIDs = append(filter.PIDs, uint64(pid))
	}
	s, err := summary.Of(recording, filter)
	if err != nil {
		return err
	}
	if v.pprof != "" {
		if err := v.profiles(std, recording, filter); err != nil {
			return err
		}
	}
	if v.json {
		encoder := json.NewEncoder(analyze.SafeJSON(std.Out))
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		err = encoder.Encode(s)
	} else {
		err = s.Text(analyze.SafeText(std.Out, false))
	}
	if err == nil && len(s.Source.Truncated) > 0 {
		err = fmt.Errorf("%s incomplete: the summary covers only the rows before the end of the file; "+
			"export the recording from Instruments again",
			loading.Are(s.Source.Truncated))
	}
	return err
}

// profiles writes gpu.pb.gz and cpu.pb.gz into the folder of --pprof; one without samples is left out with a message.
func (v *xctraceView) profiles(std cli.Stdio, recording *xctrace.Recording, filter summary.Filter) error {
	if err := os.MkdirAll(v.pprof, 0o777); err != nil {
		return err
	}
	for name, build := range map[string]func(*xctrace.Recording, summary.Filter) (*profile.Profile,
		error){"gpu": pprof.GPU, "cpu": pprof.CPU} {
		p, err := build(recording, filter)
		if err != nil {
			return err
		}
		if p == nil || len(p.Sample) == 0 {
			fmt.Fprintf(std.Err, "mtrace: no %s profile: the recording has no rows for this profile\n", name)
			continue
		}
		path := filepath.Join(v.pprof, name+".pb.gz")
		if err := cli.WriteFile(std, path, "", v.force, func(f *os.File) error { return p.Write(f) }); err != nil {
			return errors.Join(fmt.Errorf("write %s", path), err)
		}
	}
	return nil
}
