// Package show contains the commands that show a trace to a person: report, view, xctrace and explain.
package show

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/analyze/page"
	"mtrace/analyze/report"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/cmd/mtrace/internal/loading"
)

// ReportView holds the flags of mtrace report: what is printed of a report, in which form, and where.
type ReportView struct {
	JSON     cli.Destination
	html     string
	Sections []string
	whatIf   []string
	part     loading.Selection
	threads  []string
	queues   []uint
	all      bool
	wide     bool
	top      uint
	Force    bool // replace existing files
}

// Flags declares the flags that mtrace run and mtrace report share.
func (v *ReportView) Flags(flags *pflag.FlagSet) {
	flags.Var(&v.JSON, "json",
		"print the report as JSON (mtrace.report/1) instead of text, or write it to =`FILE` or to the descriptor =fd:N")
	flags.Lookup("json").NoOptDefVal = cli.StandardOutput
	flags.StringArrayVar(&v.whatIf, "what-if", nil,
		"predict how long the run would take if parts of it took FACTOR times as long: "+
			"`KIND:NAME=FACTOR,…`, as kernel:matmul*=0.5,lock:cache=0; kinds: "+strings.Join(cause.Kinds(), ", "))
	flags.StringSliceVar(&v.Sections, "section", nil, "print only these `SECTIONS`: "+strings.Join(
		report.Sections(), ", "))
	flags.BoolVar(&v.all, "all", false, "print all sections (default: the most important, on one screen)")
	flags.UintVar(&v.top, "top", 0, "print at most this `NUMBER` of rows of each table (default: those worth reading)")
	flags.BoolVar(&v.wide, "wide", false, "cut and omit nothing, however wide the text gets "+
		"(default: as wide as the terminal or COLUMNS, from 60 to 140)")
}

func ReportCommand() cli.Command {
	return cli.Command{
		Name:    "report",
		Summary: "Print the report on a trace: verdict, evidence and tables",
		Usage:   "[flags] FILE|FOLDER…",
		Example: "mtrace report --section verdict,threads trace.mtrace\n" +
			"mtrace report runs/   # of several traces, a line each",
		Values: map[string][]string{"section": report.Sections()},
		Setup: func(flags *pflag.FlagSet) func(cli.Stdio, []string) error {
			var v ReportView
			v.Flags(flags)
			flags.StringVar(&v.html, "html", "",
				"write the complete report as HTML to this `FILE` and print no text; - is standard output")
			cli.ForceFlag(flags, &v.Force)
			v.part.Flags(flags)
			flags.StringSliceVar(&v.threads, "thread", nil,
				"list only these `THREADS`, by number or name ('worker-*'), "+
					"with the threads that they wait for or that wait for them")
			flags.UintSliceVar(&v.queues, "queue", nil, "list only the queue with this `NUMBER`")
			return func(std cli.Stdio, args []string) error { return v.reports(std, args) }
		},
	}
}

func (v *ReportView) reports(std cli.Stdio, paths []string) error {
	if len(paths) == 0 {
		return cli.UsageError("no trace is given: mtrace report FILE…")
	}
	if err := v.part.Check(); err != nil {
		return err
	}
	paths, err := tracesIn(paths)
	if err != nil {
		return err
	}
	if err := v.Check(paths); err != nil {
		return err
	}
	if v.table(paths) {
		return v.printRuns(std, paths)
	}
	return loading.EachTrace(paths, func(path string) error { return v.Print(std, path) })
}

// Check returns an error if the report cannot be written where the flags say. paths are the traces, which must not be
// overwritten.
func (v *ReportView) Check(paths []string) error {
	switch {
	case v.html != "" && len(paths) > 1:
		return cli.UsageError("--html works with one trace, but %d were given", len(paths))
	case v.JSON.Elsewhere() && len(paths) > 1:
		return cli.UsageError("--json=%s works with one trace, but %d were given", v.JSON, len(paths))
	case v.html == cli.StandardOutput && v.JSON == cli.StandardOutput:
		return cli.UsageError("--html - and --json would both write to standard output: name a file for one of them")
	}
	return cmp.Or(v.JSON.Take("--json", v.Force, paths...), cli.MayWrite("--html", v.html, v.Force, paths...))
}

// Print prints the report on one trace. If the trace is cut, it prints what there is and then returns an error.
func (v *ReportView) Print(std cli.Stdio, path string) error {
	opts, err := v.Options(std)
	if err != nil {
		return err
	}
	var (
		r        *report.Report
		trace    *analyze.Trace
		pictures *page.Document
	)
	if v.html == "" {
		r, trace, err = v.build(std, path, opts)
	} else if err = cli.NotTheInput(v.html, path); err == nil {
		r, trace, pictures, err = v.buildPage(std, path, opts)
	}
	if err != nil {
		return err
	}
	if err := r.Unmatched(); err != nil {
		return cli.UsageError("--what-if: %w", err)
	}
	if v.html != "" {
		if err := v.writePage(std, path, r, pictures); err != nil {
			return err
		}
		if v.html != cli.StandardOutput {
			fmt.Fprintf(std.Err, "mtrace report: wrote %s\n", v.html)
		}
	}
	switch {
	case v.JSON != "":
		err = v.JSON.Write(std, path, v.Force, func(w io.Writer) error { return r.WriteJSON(analyze.SafeJSON(w)) })
	case v.html == "":
		err = cli.Paged(std, func(w io.Writer) error { return r.WriteText(analyze.SafeText(w, opts.Color), opts) })
	}
	if err != nil {
		return err
	}
	return loading.CutError(trace)
}

// Options returns the flags in the form that package report needs; invalid ones are an error.
func (v *ReportView) Options(std cli.Stdio) (opts report.Options, err error) {
	if err := report.CheckSections(v.Sections); err != nil {
		return opts, cli.UsageError("%w", err)
	}
	wanted, err := parseWhatIf(v.whatIf)
	if err != nil {
		return opts, err
	}
	opts = report.Options{Sections: v.Sections, Document: v.JSON != "" || v.html != "", WhatIf: wanted,
		Color: cli.Colour(std.Out), Width: cli.Columns(std.Out), Top: int(v.top),
		All: v.all || v.wide || v.top > 0}
	if v.wide {
		opts.Width = report.AnyWidth
	}
	for _, t := range v.threads {
		p := report.ThreadPattern(t)
		if err := p.Check(); err != nil {
			return opts, cli.UsageError("--thread %q: %w", t, err)
		}
		opts.Threads = append(opts.Threads, p)
	}
	for _, q := range v.queues {
		opts.Queues = append(opts.Queues, uint32(q))
	}
	return opts, nil
}

// build makes the report on one trace. It is an error if the trace has none of the selected threads or queues.
func (v *ReportView) build(std cli.Stdio, path string, opts report.Options) (*report.Report, *analyze.Trace, error) {
	if !loading.Instruments(path) {
		opts.Range = func(from, to analyze.Nanos) (*analyze.Trace, error) {
			part := v.part.Options()
			part.From, part.To = from, to
			return loading.LoadTrace(path, part)
		}
	}
	r, trace, err := BuildReport(&v.part, std, path, opts)
	if err == nil {
		err = v.has(trace, path)
	}
	return r, trace, err
}

// has returns an error if the trace has none of the threads, or none of the queues, that the flags select.
func (v *ReportView) has(t *analyze.Trace, path string) error {
	var threads, queues []string
	found := [2]bool{len(v.threads) == 0, len(v.queues) == 0}
	for _, th := range t.Threads {
		threads = append(threads, strings.TrimSpace(fmt.Sprintf("%d %s", th.ID, th.Name)))
		for _, asked := range v.threads {
			found[0] = found[0] || report.ThreadPattern(asked).Matches(th.ID, th.Name)
		}
	}
	for _, q := range t.Queues {
		queues = append(queues, fmt.Sprint(q.ID))
		found[1] = found[1] || slices.Contains(v.queues, uint(q.ID))
	}
	switch {
	case !found[0]:
		return cli.UsageError("%s has no thread %s; its threads: %s", path, strings.Join(v.threads, ", "), some(threads))
	case !found[1]:
		return cli.UsageError("%s has no queue %s; its queues: %s", path, strings.Trim(fmt.Sprint(v.queues), "[]"),
			some(queues))
	}
	return nil
}

// some joins the first 16 words for a message, and adds how many more there are.
func some(words []string) string {
	const most = 16
	switch n := len(words); {
	case n == 0:
		return "none"
	case n > most:
		words = append(slices.Clone(words[:most]), fmt.Sprintf("and %d more", n-most))
	}
	return strings.Join(words, ", ")
}
