package main

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
	"mtrace/analyze/timeline"
	"mtrace/analyze/wholefile"
)

// exportSuffixes are the formats of `mtrace export` and what a file of each is called behind the trace's name; formats
// with a file for each table make a folder.
var exportSuffixes = map[string]string{"perfetto": ".pftrace", "chrome": ".chrome.json",
	"speedscope": ".speedscope.json", "firefox": ".firefox.json",
	"jsonl": ".jsonl", "csv": ".csv", "parquet": ".parquet", "sqlite": ".sqlite"}

var exportFormats = []string{"perfetto", "chrome", "speedscope", "firefox", "jsonl", "csv", "parquet", "sqlite"}

func exportCommand() command {
	return command{
		name:    "export",
		summary: "Write a trace for other tools: a timeline, or tables",
		usage:   "[flags] FILE --format FORMAT -o OUT",
		example: "mtrace export trace.mtrace --format perfetto -o trace.pftrace   # open it in ui.perfetto.dev",
		setup: func(flags *pflag.FlagSet) func(stdio, []string) error {
			var x exportJob
			flags.StringSliceVar(&x.formats, "format", nil,
				"the `FORMAT`: perfetto, chrome, speedscope or firefox (timelines), jsonl, csv, parquet or sqlite (tables); of "+
					"several, each goes into the folder OUT")
			flags.StringVarP(&x.output, "output", "o", "",
				"the `FILE` to write, - for stdout; for csv and parquet a folder with a file for each table")
			flags.StringVar(&x.table, "table", "",
				"of a recording of Instruments, write the rows of the table of this `NAME` as they are (csv, jsonl, parquet)")
			flags.StringVar(&x.by, "partition", "",
				"with csv and parquet, `run`: put each table's file into TABLE/host=HOST/run=START of the folder OUT, so that "+
					"the exports of many runs make one dataset")
			forceFlag(flags, &x.force)
			x.part.flags(flags)
			return func(std stdio, args []string) error { return x.run(std, args) }
		},
	}
}

// exportJob is what to write of a trace, and where.
type exportJob struct {
	formats []string
	output  string
	table   string
	by      string // how datasets are partitioned; empty is not
	force   bool   // replace files that are there
	part    part
}

// exporter is one format being written.
type exporter interface {
	Call(*analyze.VisitedCall)
	Slice(*analyze.Slice) error
	Finish() error
	Abandon()
}

// outlet is where an exporter writes: nothing of it has its name before commit.
type outlet struct {
	exporter
	path    string
	commit  func() error
	discard func()
}

func (x *exportJob) run(std stdio, args []string) error {
	switch {
	case len(args) != 1:
		return usageError("takes one trace, but got %d: mtrace export FILE --format FORMAT -o OUT", len(args))
	case len(x.formats) == 0:
		return usageError("no format: --format %s", strings.Join(exportFormats, ", "))
	case x.output == "":
		return usageError("nowhere to write to: -o OUT")
	}
	for i, f := range x.formats {
		if !slices.Contains(exportFormats, f) {
			return usageError("no format %q: there are %s", f, strings.Join(exportFormats, ", "))
		}
		if slices.Contains(x.formats[:i], f) {
			return usageError("--format names %s twice", f)
		}
	}
	if err := x.part.check(); err != nil {
		return err
	}
	if err := x.checkPartition(args[0]); err != nil {
		return err
	}
	if x.table != "" {
		return x.writeTable(std, args[0])
	}
	return x.write(std, args[0])
}

func (x *exportJob) write(std stdio, path string) (err error) {
	var outlets []*outlet
	defer func() {
		for _, o := range outlets {
			o.Abandon()
			if o.discard != nil {
				o.discard()
			}
		}
	}()
	for _, f := range x.formats {
		o, err := x.open(std, path, f)
		if err != nil {
			return status{exitUsage, err}
		}
		outlets = append(outlets, o)
	}
	defer discardWhenInterrupted(outlets)()
	trace, err := x.fill(std, path, outlets)
	if err != nil {
		return err
	}
	if instruments(path) && slices.ContainsFunc(x.formats, func(f string) bool {
		return f == "csv" || f == "parquet" ||
			f == "sqlite"
	}) {
		fmt.Fprintln(std.err, "mtrace: the tables calls, waits, locks, signal_waits, dispatches, scopes and "+
			"processor_times are empty: Instruments does not record them")
	}
	for _, o := range outlets {
		if err = o.Finish(); err == nil {
			err = o.commit()
		}
		if err != nil {
			return status{exitUsage, fmt.Errorf("%s: %w", o.path, err)}
		}
		o.discard = nil
		if o.path != "-" {
			fmt.Fprintln(std.out, o.path)
		}
	}
	return cutError(trace)
}

// fill hands what is in the trace to the outlets, and returns it, or the last slice of a long one, which is read slice
// by slice.
func (x *exportJob) fill(std stdio, path string, outlets []*outlet) (*analyze.Trace, error) {
	seen := false
	visit := func(c *analyze.VisitedCall) {
		seen = true
		for _, o := range outlets {
			o.Call(c)
		}
	}
	if !instruments(path) {
		file, err := openTrace(path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		if sliced.Long(file, x.part.options()) {
			return x.slices(std, path, file, outlets, visit)
		}
	}
	trace, err := x.part.load(std, path, visit)
	if err != nil {
		return nil, err
	}
	for _, o := range outlets {
		if w, ok := o.exporter.(*timeline.Writer); ok && !seen {
			w.Model(trace)
		}
		if err := o.Slice(analyze.Whole(trace)); err != nil {
			return nil, status{exitUsage, fmt.Errorf("%s: %w", o.path, err)}
		}
	}
	return trace, nil
}

// discardWhenInterrupted makes a signal that ends the tool take the unfinished files with it, until stop is called.
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

// open makes the outlet of one format.
func (x *exportJob) open(std stdio, trace, format string) (*outlet, error) {
	path := x.output
	tables := format == string(table.CSV) || format == string(table.Parquet)
	if len(x.formats) > 1 {
		if err := os.MkdirAll(path, 0o777); err != nil {
			return nil, err
		}
		base := filepath.Base(trace)
		path = filepath.Join(path, strings.TrimSuffix(base, filepath.Ext(base))+exportSuffixes[format])
	}
	switch {
	case path == "-" && tables:
		return nil, fmt.Errorf("%s is a file for each table: name a folder for them", format)
	case path == "-" && format == string(table.SQLite):
		return nil, errors.New("a database is not written from its begin to its end: name a file")
	case path == "-":
		if format == "perfetto" && term.IsTerminal(int(std.out.Fd())) {
			return nil, errors.New("perfetto's format is binary and stdout is a terminal: name a file")
		}
		out := io.Writer(std.out)
		if term.IsTerminal(int(std.out.Fd())) {
			out = analyze.SafeJSON(out)
		}
		return &outlet{exporter: newExporter(format, out), path: path, commit: func() error { return nil }}, nil
	case tables:
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return nil, fmt.Errorf("%s is a file, and %s needs a folder, for a file for each table", path, format)
		}
		partition, err := x.partition(trace)
		if err != nil {
			return nil, err
		}
		d := &table.Directory{Path: path, Partition: partition, Replace: x.force}
		if err := d.Check(table.Format(format)); err != nil {
			return nil, err
		}
		return &outlet{table.NewFiles(d, table.Format(format)), path, d.Commit, d.Discard}, nil
	}
	if wholefile.Same(path, trace) {
		return nil, fmt.Errorf("%s is what is read: name another file to write", path)
	}
	f, err := wholefile.Create(path, x.force)
	if err != nil {
		return nil, err
	}
	if format == string(table.SQLite) {
		return &outlet{table.NewSQLite(f.File), path, f.Commit, f.Discard}, nil
	}
	return &outlet{newExporter(format, f.File), path, f.Commit, f.Discard}, nil
}

// newExporter makes the writer of a format that is one file.
func newExporter(format string, w io.Writer) exporter {
	switch format {
	case "perfetto":
		return timeline.NewPerfetto(w)
	case "chrome":
		return timeline.NewChrome(w)
	case "speedscope":
		return timeline.NewSpeedscope(w)
	case "firefox":
		return timeline.NewFirefox(w)
	}
	return table.NewJSONLines(w)
}
