package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/google/pprof/profile"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"mtrace/analyze"
	"mtrace/analyze/xctrace"
	"mtrace/analyze/xctrace/bundle"
	"mtrace/analyze/xctrace/pprof"
	"mtrace/analyze/xctrace/summary"
)

// xctraceView is what of an Instruments recording is wanted, and how.
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
	force    bool // replace profiles that are there
}

func xctraceCommand() command {
	return command{
		name:    "xctrace",
		summary: "Summarise what Instruments recorded of Metal, or record with it",
		usage:   "[flags] FILE|DIRECTORY|X.trace|- …\n       mtrace xctrace record [flags] -- CMD ARG…",
		example: "mtrace xctrace --process python3 exports/",
		setup: func(flags *pflag.FlagSet) func(stdio, []string) error {
			var v xctraceView
			flags.BoolVar(&v.json, "json", false, "print the summary as JSON (mtrace.xctrace/1)")
			flags.StringVar(&v.pprof, "pprof", "",
				"write pprof profiles into this `FOLDER`: gpu.pb.gz, and cpu.pb.gz if there are CPU samples")
			forceFlag(flags, &v.force)
			flags.UintSliceVar(&v.pids, "pid", nil,
				"summarise these processes, by their `NUMBER` (default: the recording's target)")
			flags.StringVar(&v.process, "process", "", "summarise the processes of this `NAME`")
			flags.BoolVar(&v.all, "all", false, "summarise every process")
			flags.DurationVar(&v.from, "from", 0, "look at the recording from this `TIME` after its start on, as 1.5s or 200ms")
			flags.DurationVar(&v.to, "to", 0, "look at the recording up to this `TIME` after its start")
			flags.IntVar(&v.run, "run", 0, "the `NUMBER` of the run of a .trace bundle to read (default: the first)")
			flags.StringVarP(&v.output, "output", "o", "", "record: the .trace `BUNDLE` to make (default CMD-PID.trace here)")
			flags.StringVar(&v.template, "template", "Metal System Trace", "record: `NAME`, or path of a .tracetemplate file")
			flags.DurationVar(&v.limit, "time-limit", 0, "record: stop after this `TIME`")
			flags.StringArrayVar(&v.env, "env", nil, "record: `NAME=VALUE`, a variable of the program")
			return func(std stdio, args []string) error {
				if v.from < 0 || v.to < 0 || v.to > 0 && v.to <= v.from {
					return usageError("--from %v --to %v is no range of time", v.from, v.to)
				}
				if v.run < 0 {
					return usageError("--run %d: runs are numbered from 1 on", v.run)
				}
				if len(args) > 0 && args[0] == "record" {
					return v.record(std, args[1:])
				}
				for _, name := range []string{"output", "template", "time-limit", "env"} {
					if flags.Changed(name) {
						return usageError("--%s says how a recording is made: mtrace xctrace record -- CMD ARG…; a summary goes to "+
							"standard output", name)
					}
				}
				return v.summarise(std, args)
			}
		},
	}
}

// record records a program and summarises it.
func (v *xctraceView) record(std stdio, command []string) error {
	if len(command) == 0 {
		return usageError("no program to record: mtrace xctrace record -- CMD ARG…")
	}
	tool, err := v.tool(std)
	if err != nil {
		return err
	}
	if v.output == "" {
		v.output = fmt.Sprintf("%s-%d.trace", filepath.Base(command[0]), os.Getpid())
	}
	if !strings.HasSuffix(v.output, ".trace") {
		return usageError("--output %s: xctrace makes bundles whose names end in .trace", v.output)
	}
	recording := bundle.Recording{Command: command, Output: v.output, Template: v.template, Limit: v.limit, Env: v.env,
		Stdout: std.err, Stderr: std.err}
	if !term.IsTerminal(int(std.in.Fd())) {
		recording.Stdin = std.in
	}
	if err := tool.Record(context.Background(), recording); err != nil {
		return err
	}
	return v.summarise(std, []string{v.output})
}

// tool is xctrace, with what it does told on stderr.
func (v *xctraceView) tool(std stdio) (*bundle.Tool, error) {
	tool, err := bundle.Find()
	if err != nil {
		return nil, err
	}
	tool.Say = func(format string, args ...any) { fmt.Fprintf(std.err, "mtrace: "+format+"\n", args...) }
	if term.IsTerminal(int(std.err.Fd())) {
		tool.Progress = tool.Say
	}
	return tool, nil
}

func (v *xctraceView) summarise(std stdio, paths []string) error {
	if len(paths) == 0 {
		return usageError("nothing to summarise: mtrace xctrace FILE, a directory, a .trace bundle, or - for stdin")
	}
	recording, err := v.load(std, paths)
	if err != nil {
		return err
	}
	if err := usable(std, recording); err != nil {
		return err
	}
	return v.print(std, recording)
}

// usable says which tables have no row that can be used. It is an error when no table has one.
func usable(std stdio, recording *xctrace.Recording) error {
	var rows, rejected int64
	var unusable []string
	for _, d := range recording.Documents {
		for _, t := range d.Tables {
			if !t.Decoded && t.Rejected == 0 {
				continue // not one that mtrace knows
			}
			rows, rejected = rows+t.Rows, rejected+t.Rejected
			if t.Rows == 0 || t.Rejected < t.Rows {
				continue
			}
			unusable = append(unusable, fmt.Sprintf("%s: none of its %d rows can be used: %s", t.Name(), t.Rows, t.Problems[0]))
		}
	}
	if rows > 0 && rejected == rows {
		return usageError("nothing of the recording can be used: %s", unusable[0])
	}
	for _, why := range unusable {
		tell(std.err, "mtrace: %s", why)
	}
	return nil
}

// load reads a recording. An interrupt ends it with nothing left behind.
func (v *xctraceView) load(std stdio, paths []string) (*xctrace.Recording, error) {
	inputs, bundles, err := xctrace.Inputs(paths, std.in)
	if err != nil {
		return nil, err
	}
	if v.run > 0 && len(bundles) == 0 {
		return nil, usageError("--run is of .trace bundles: an export holds the run that it was made of")
	}
	ctx := context.Background()
	if len(bundles) > 0 {
		// Only exporting leaves files behind. What reads a pipe may simply die.
		var stop func()
		ctx, stop = signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		defer stop()
	}
	show := progressOn(std.err)
	progress := func(name string, read, size int64) error {
		show(name, read, size)
		return ctx.Err()
	}
	recording := xctrace.NewRecording()
	recording.From, recording.To = analyze.Nanos(v.from), analyze.Nanos(v.to)
	for i := range inputs {
		if err == nil {
			err = recording.Add(&inputs[i], progress)
		}
	}
	for _, b := range bundles {
		if err == nil {
			beside := len(inputs) > 0 && !slices.Contains(paths, b.Path)
			err = v.loadBundle(ctx, std, recording, b.Path, beside, progress)
		}
	}
	if ctx.Err() != nil {
		return nil, status{exitInterrupted, errors.New("interrupted")}
	}
	if err != nil {
		return nil, err
	}
	recording.Finish()
	return recording, nil
}

// exitInterrupted is the status of what SIGINT ended, as a shell reports it.
const exitInterrupted = 128 + int(syscall.SIGINT)

// loadBundle exports a bundle and reads what comes. One that was found beside exports may be passed over.
func (v *xctraceView) loadBundle(ctx context.Context, std stdio, recording *xctrace.Recording, path string,
	beside bool, progress xctrace.Progress) error {
	tool, err := v.tool(std)
	if err != nil && beside {
		tell(std.err, "mtrace: %s is skipped: the same folder has exports: %v", path, err)
		return nil
	}
	if err != nil {
		return err
	}
	failed, err := tool.Export(ctx, path, v.run, func(in xctrace.Input) error { return recording.Add(&in, progress) })
	for _, f := range failed {
		tell(std.err, "mtrace: table %s: %v", f.Schema, f.Err)
		recording.Failed[f.Schema] = f.Err.Error()
	}
	if settings, err := bundle.Settings(path); err == nil {
		for _, s := range settings {
			recording.Template = append(recording.Template, xctrace.Setting{Key: s.Key, Value: s.Value})
		}
	}
	return err
}

func (v *xctraceView) print(std stdio, recording *xctrace.Recording) error {
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
		encoder := json.NewEncoder(analyze.SafeJSON(std.out))
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		err = encoder.Encode(s)
	} else {
		err = s.Text(analyze.SafeText(std.out, false))
	}
	if err == nil && len(s.Source.Truncated) > 0 {
		err = fmt.Errorf("%s cut: the summary covers the rows before the cut; export again for a whole one",
			are(s.Source.Truncated))
	}
	return err
}

// are says "x is", "x and 2 more are".
func are(names []string) string {
	if len(names) == 1 {
		return names[0] + " is"
	}
	return fmt.Sprintf("%s and %d more are", names[0], len(names)-1)
}

// profiles writes the pprof files.
func (v *xctraceView) profiles(std stdio, recording *xctrace.Recording, filter summary.Filter) error {
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
			fmt.Fprintf(std.err, "mtrace: no %s profile: the recording has no rows for it\n", name)
			continue
		}
		path := filepath.Join(v.pprof, name+".pb.gz")
		if err := writeFile(std, path, "", v.force, func(f *os.File) error { return p.Write(f) }); err != nil {
			return errors.Join(fmt.Errorf("write %s", path), err)
		}
	}
	return nil
}

// progressOn shows how far reading is, on a terminal only.
func progressOn(f *os.File) func(name string, read, size int64) {
	if !term.IsTerminal(int(f.Fd())) {
		return func(string, int64, int64) {}
	}
	var shown time.Time
	return func(name string, read, size int64) {
		now := time.Now()
		done := size > 0 && read >= size
		if now.Sub(shown) < 200*time.Millisecond && !(done && !shown.IsZero()) {
			return
		}
		shown = now
		text := fmt.Sprintf("reading %s: %s", filepath.Base(name), analyze.FormatBytes(uint64(read)))
		if size > 0 {
			text = fmt.Sprintf("%s %s", bar(read, size), filepath.Base(name))
		}
		if done {
			text = "" // the line is cleared
		}
		fmt.Fprintf(f, "\r\x1b[K%s", text)
	}
}
