// Package convert contains the commands that write a trace for other tools: export, pprof, push and repair.
package convert

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"mtrace/analyze"
	"mtrace/analyze/table"
	"mtrace/analyze/wholefile"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/cmd/mtrace/internal/loading"
)

func ExportCommand() cli.Command {
	return cli.Command{
		Name:    "export",
		Summary: "Convert a trace for other tools, to a timeline or to tables",
		Usage:   "[flags] FILE --format FORMAT -o OUT",
		Example: "mtrace export trace.mtrace --format perfetto -o trace.pftrace   # open it in ui.perfetto.dev",
		Values:  map[string][]string{"format": FormatNames(AnyFormat), "partition": {byRun}},
		Setup: func(flags *pflag.FlagSet) func(cli.Stdio, []string) error {
			var x ExportJob
			flags.StringSliceVar(&x.Formats, "format", nil,
				"the `FORMAT`: "+listed(FormatNames(isTimeline), "or")+" (timelines), "+
					listed(FormatNames(isTables), "or")+
					" (tables); if several are given, the folder OUT gets a file for each")
			flags.StringVarP(&x.Output, "output", "o", "",
				"the `FILE` to write, - for standard output; for "+listed(FormatNames(isFolder), "and")+
					" a folder with a file for each table")
			flags.StringVar(&x.table, "table", "",
				"write only the table with this `NAME` of a recording of Instruments, its rows unchanged "+
					"(formats "+singleFormats()+")")
			flags.StringVar(&x.by, "partition", "",
				"with "+listed(FormatNames(isFolder), "and")+
					", `run`: write each table's file into TABLE/host=HOST/run=START of the folder OUT, "+
					"so that the exports of many runs form one dataset")
			cli.ForceFlag(flags, &x.force)
			x.Selection.Flags(flags)
			return func(std cli.Stdio, args []string) error { return x.run(std, args) }
		},
	}
}

// An ExportJob holds the flags of mtrace export: which part of a trace to write, in which formats, and where.
type ExportJob struct {
	Formats   []string
	Output    string
	table     string
	by        string // how datasets are partitioned; empty: not at all
	force     bool   // replace files that are there
	Selection loading.Selection
}

// outlet is one output of an export: the exporter, and its unfinished file or folder. commit gives it its final name,
// discard removes it.
type outlet struct {
	exporter
	format  *format
	path    string
	commit  func() error
	discard func()
}

func (x *ExportJob) run(std cli.Stdio, args []string) error {
	switch {
	case len(args) != 1:
		return cli.UsageError("give one trace, not %d: mtrace export FILE --format FORMAT -o OUT", len(args))
	case len(x.Formats) == 0:
		return cli.UsageError("no format: --format %s", strings.Join(FormatNames(AnyFormat), ", "))
	case x.Output == "":
		return cli.UsageError("the output is missing: -o OUT")
	}
	for i, f := range x.Formats {
		if FormatNamed(f) == nil {
			return cli.UsageError("no format %q: there are %s", f, strings.Join(FormatNames(AnyFormat), ", "))
		}
		if slices.Contains(x.Formats[:i], f) {
			return cli.UsageError("--format names %s twice", f)
		}
	}
	if err := x.Selection.Check(); err != nil {
		return err
	}
	if err := x.checkPartition(args[0]); err != nil {
		return err
	}
	if x.table != "" {
		return x.writeTable(std, args[0])
	}
	return x.Write(std, args[0])
}

func (x *ExportJob) Write(std cli.Stdio, path string) (err error) {
	var outlets []*outlet
	defer func() {
		for _, o := range outlets {
			o.Abandon()
			if o.discard != nil {
				o.discard()
			}
		}
	}()
	for _, f := range x.Formats {
		o, err := x.open(std, path, FormatNamed(f))
		if err != nil {
			return cli.AsStatus(err)
		}
		outlets = append(outlets, o)
	}
	defer discardWhenInterrupted(outlets)()
	trace, err := x.fill(std, path, outlets)
	if err != nil {
		return err
	}
	if loading.Instruments(path) && slices.ContainsFunc(outlets, func(o *outlet) bool { return o.format.keepsEmpty }) {
		fmt.Fprintln(std.Err,
			"mtrace: the tables calls, waits, locks, signal_waits, dispatches, scopes and processor_times are empty: "+
				"Instruments does not record them")
	}
	for _, o := range outlets {
		if err = o.Finish(); err == nil {
			err = o.commit()
		}
		if err != nil {
			return cli.UsageError("%s: %w", o.path, err)
		}
		o.discard = nil
		if o.path != cli.StandardOutput {
			fmt.Fprintln(std.Out, o.path)
		}
	}
	return loading.CutError(trace)
}

// fill sends every call and object of the trace to the outlets. To bound memory, a long trace is read in slices
// (ranges of time), one after the other. fill returns the whole trace, or of a long trace the last slice.
func (x *ExportJob) fill(std cli.Stdio, path string, outlets []*outlet) (*analyze.Trace, error) {
	visit := func(c *analyze.VisitedCall) {
		for _, o := range outlets {
			o.Call(c)
		}
	}
	if !loading.Instruments(path) {
		file, err := loading.OpenTrace(path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		if loading.Sliced.Long(file, x.Selection.Options()) {
			return x.slices(std, path, file, outlets, visit)
		}
	}
	trace, err := x.Selection.Load(std, path, visit)
	if err != nil {
		return nil, err
	}
	for _, o := range outlets {
		if err := o.Slice(analyze.Whole(trace)); err != nil {
			return nil, cli.UsageError("%s: %w", o.path, err)
		}
	}
	return trace, nil
}

// discardWhenInterrupted removes the unfinished output files and exits if a signal arrives before stop is called.
func discardWhenInterrupted(outlets []*outlet) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		s, ok := <-signals
		if !ok {
			return
		}
		for _, o := range outlets {
			if o.discard != nil {
				o.discard()
			}
		}
		number, _ := s.(syscall.Signal)
		os.Exit(128 + int(number))
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
	}
}

// open creates the output for one format. With several formats the file goes into the folder -o, named after the
// trace.
func (x *ExportJob) open(std cli.Stdio, trace string, f *format) (*outlet, error) {
	path := x.Output
	if len(x.Formats) > 1 {
		if err := os.MkdirAll(path, 0o777); err != nil {
			return nil, err
		}
		base := filepath.Base(trace)
		path = filepath.Join(path, strings.TrimSuffix(base, filepath.Ext(base))+f.Suffix)
	}
	switch {
	case path == cli.StandardOutput:
		return openStandardOutput(std, f)
	case f.folder != nil:
		return x.openFolder(trace, path, f)
	case wholefile.Same(path, trace):
		return nil, fmt.Errorf("%s is the input: name another file for the output", path)
	}
	file, err := wholefile.Create(path, x.force)
	if err != nil {
		return nil, err
	}
	o := &outlet{format: f, path: path, commit: file.Commit, discard: file.Discard}
	if f.file != nil {
		o.exporter = f.file(file.File)
	} else {
		o.exporter = f.stream(file.File)
	}
	return o, nil
}

func openStandardOutput(std cli.Stdio, f *format) (*outlet, error) {
	terminal := term.IsTerminal(int(std.Out.Fd()))
	switch {
	case f.folder != nil:
		return nil, fmt.Errorf("%s writes one file per table: name a folder", f.Name)
	case f.file != nil:
		return nil, errors.New("a database cannot be written to standard output: name a file")
	case f.binary && terminal:
		return nil, fmt.Errorf("%s is a binary format, and standard output is a terminal: name a file", f.Name)
	}
	out := io.Writer(std.Out)
	if terminal {
		out = analyze.SafeJSON(out)
	}
	return &outlet{exporter: f.stream(out), format: f, path: cli.StandardOutput, commit: func() error { return nil }},
		nil
}

func (x *ExportJob) openFolder(trace, path string, f *format) (*outlet, error) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s is a file, and %s needs a folder for one file per table", path, f.Name)
	}
	partition, err := x.partition(trace)
	if err != nil {
		return nil, err
	}
	d := &table.Directory{Path: path, Partition: partition, Replace: x.force}
	if err := d.Check(table.Format(f.Name)); err != nil {
		return nil, err
	}
	return &outlet{f.folder(d), f, path, d.Commit, d.Discard}, nil
}
