package compare

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"mtrace/analyze"
	"mtrace/analyze/page"
	"mtrace/analyze/report"
	"mtrace/analyze/scaling"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/cmd/mtrace/internal/loading"
	"mtrace/cmd/mtrace/internal/record"
	"mtrace/collector"
)

// threadsMark is replaced by the number of threads in each argument of the command.
const threadsMark = "{threads}"

func SweepCommand() cli.Command {
	return cli.Command{
		Name: "sweep",
		Summary: "Run a program with several numbers of threads, " +
			"and print how its throughput scales and what limits it",
		Usage:   "[flags] -- CMD … " + threadsMark + " …",
		Example: "mtrace sweep --threads 1,2,4,8 --runs 3 -- python3 workload.py --threads {threads} --json",
		Whole:   true,
		Setup: func(flags *pflag.FlagSet) func(cli.Stdio, []string) error {
			var s sweep
			flags.IntSliceVar(&s.threads, "threads", []int{1, 2, 4, 8},
				"the `NUMBERS` of threads to run with; each replaces "+threadsMark)
			flags.IntVar(&s.runs, "runs", 1, "`NUMBER` of runs for each number of threads; "+
				"from three on, their spread gives the intervals")
			flags.StringVarP(&s.output, "output", "o", "", "keep the traces in this `FOLDER`")
			flags.StringVar(&s.plot, "plot", "", "draw throughput by number of threads into this .svg `FILE`; "+
				"- prints the image instead of the text")
			flags.StringVar(&s.html, "html", "", "write one self-contained HTML page to this `FILE`: the scaling, "+
				"the fitted laws and the threads' use of time; - prints the page instead of the text")
			flags.BoolVar(&s.json, "json", false, "print the result as JSON ("+scaling.Schema+")")
			cli.ForceFlag(flags, &s.force)
			return func(std cli.Stdio, args []string) error { return s.run(std, args) }
		},
	}
}

type sweep struct {
	threads      []int
	runs         int
	output, plot string
	html         string
	json         bool
	force        bool   // replace existing files
	dir          string // folder of the traces
}

// sweptRun is one run of the program with a given number of threads.
type sweptRun struct {
	threads    int
	trace      string
	throughput float64 // operations per second
	reported   bool    // the program reported its throughput; otherwise it is computed from the trace
	report     *report.Report
}

func (s *sweep) check(command []string) (err error) {
	has := func(arg string) bool { return strings.Contains(arg, threadsMark) }
	switch {
	case len(command) == 0:
		return cli.UsageError("no program to run: mtrace sweep -- CMD … %s …", threadsMark)
	case !slices.ContainsFunc(command, has):
		return cli.UsageError(
			"the command does not say where the number of threads goes: insert %s, as in --threads %s",
			threadsMark, threadsMark)
	case len(s.threads) == 0:
		return cli.UsageError("no numbers of threads: --threads 1,2,4,8")
	case s.runs < 1:
		return cli.UsageError("--runs %d: at least 1 run for each number of threads is needed", s.runs)
	}
	slices.Sort(s.threads)
	for i, n := range s.threads {
		if n < 1 {
			return cli.UsageError("--threads %d: the number of threads must be 1 or more", n)
		}
		if i > 0 && s.threads[i-1] == n {
			return cli.UsageError("--threads names %d twice: use --runs to repeat each number", n)
		}
	}
	if s.plot == cli.StandardOutput && s.json {
		return cli.UsageError("--plot - and --json would both write to standard output: name a file for the plot")
	}
	if s.html == cli.StandardOutput && (s.json || s.plot == cli.StandardOutput) {
		return cli.UsageError(
			"--html - and --json or --plot - would both write to standard output: name a file for the page")
	}
	if s.plot != "" && s.plot != cli.StandardOutput {
		if err := scaling.CheckPlot(s.plot); err != nil {
			return cli.UsageError("--plot: %w", err)
		}
	}
	return cmp.Or(cli.MayWrite("--html", s.html, s.force), cli.MayWrite("--plot", s.plot, s.force))
}

func (s *sweep) run(std cli.Stdio, command []string) (err error) {
	if err := s.check(command); err != nil {
		return err
	}
	if s.dir = s.output; s.dir == "" {
		if s.dir, err = os.MkdirTemp(collector.TemporaryFolder(), "mtrace-sweep-"); err != nil {
			return cli.AsStatus(err)
		}
		defer os.RemoveAll(s.dir)
	} else if err := s.prepareFolder(); err != nil {
		return err
	}
	interrupted := make(chan os.Signal, 1) // a program may handle it and exit normally
	for _, g := range slices.Concat(record.Forwarded, record.Endured) {
		if !signal.Ignored(g) {
			signal.Notify(interrupted, g)
		}
	}
	defer signal.Stop(interrupted)
	var runs []sweptRun
	for i := range s.runs { // thread counts alternate, so that a drift of the machine affects all equally
		for _, n := range s.threads {
			if term.IsTerminal(int(std.Err.Fd())) {
				fmt.Fprintf(std.Err, "\r\x1b[Kmtrace sweep: %s %d threads, run %d of %d\r",
					cli.Bar(len(runs), s.runs*len(s.threads)),
					n, i+1, s.runs)
			}
			r, err := s.once(std, command, n, i)
			select {
			case g := <-interrupted:
				return cli.Status{Code: 128 + int(g.(syscall.Signal)),
					Err: errors.New("interrupted: no results are printed, because the sweep is incomplete")}
			default:
			}
			if err != nil {
				return err
			}
			if runs = append(runs, r); r.reported != runs[0].reported {
				with, without := n, runs[0].threads
				if !r.reported {
					with, without = without, with
				}
				return cli.UsageError(
					"with --threads %d the program printed its throughput (ops_per_s), with %d threads it did not: "+
						"the program must print ops_per_s in every run or in none", with, without)
			}
		}
	}
	doc, err := s.document(command, runs)
	if err != nil {
		return cli.AsStatus(err)
	}
	return s.print(std, doc)
}

// tracePath returns the path for one run's trace. turn numbers the runs with the same number of threads, from 0.
func (s *sweep) tracePath(threads, turn int) string {
	return filepath.Join(s.dir, fmt.Sprintf("%d-threads-%d.mtrace", threads, turn+1))
}

// prepareFolder creates the folder for the traces. Without --force it fails if a trace of an earlier sweep would be
// replaced.
func (s *sweep) prepareFolder() error {
	if err := os.MkdirAll(s.dir, 0o777); err != nil {
		return cli.AsStatus(err)
	}
	for turn := range s.runs {
		for _, n := range s.threads {
			if path := s.tracePath(n, turn); !s.force && (cli.Exists(path) || cli.Exists(path+cli.PartSuffix)) {
				return cli.UsageError("%s exists already, probably from an earlier sweep: "+
					"name another folder, or give --force to replace the file",
					path)
			}
		}
	}
	return nil
}

// once runs the program once with n threads under the tracer, and returns its throughput and report.
func (s *sweep) once(std cli.Stdio, command []string, n, turn int) (sweptRun, error) {
	r := sweptRun{threads: n, trace: s.tracePath(n, turn)}
	args := make([]string, len(command))
	for i, a := range command {
		args[i] = strings.ReplaceAll(a, threadsMark, strconv.Itoa(n))
	}
	out, err := os.CreateTemp(collector.TemporaryFolder(), "mtrace-sweep-out-")
	if err != nil {
		return r, cli.AsStatus(err)
	}
	defer os.Remove(out.Name())
	defer out.Close()
	err = record.Run(cli.Stdio{In: std.In, Out: out, Err: std.Err}, record.RunOptions{Recording: record.UsualRecording,
		Output: r.trace, Force: s.force, NoReport: true, Follow: true, Quiet: true}, args)
	var ended cli.Status
	switch {
	case errors.As(err, &ended) && ended.Err != nil, err != nil && !errors.As(err, &ended):
		return r, err
	case ended.Code == 128+int(syscall.SIGINT):
		return r, cli.Status{Code: ended.Code,
			Err: errors.New("interrupted: no results are printed, because the sweep is incomplete")}
	case ended.Code != 0:
		said := ""
		if printed, err := os.ReadFile(out.Name()); err == nil {
			if last := cli.LastLine(string(printed)); last != "" {
				said = fmt.Sprintf("; it printed last: %.200q", last)
			}
		}
		return r, cli.UsageError("with --threads %d the program ended with status %d: %s%s", n, ended.Code,
			strings.Join(args, " "), said)
	}
	trace, err := loading.LoadTrace(r.trace, analyze.Options{})
	if err != nil {
		return r, err
	}
	if err := loading.CutError(trace); err != nil { // as on a full disk: its numbers do not describe the whole run
		return r, err
	}
	r.report = report.Build(trace, report.Options{})
	printed, err := os.ReadFile(out.Name())
	if err != nil {
		return r, cli.AsStatus(err)
	}
	if r.throughput, r.reported = reportedThroughput(printed); r.reported && !(r.throughput > 0) {
		return r, cli.UsageError("with --threads %d the program printed ops_per_s %v, which must be above 0",
			n, r.throughput)
	}
	if !r.reported {
		if r.throughput = completedPerSecond(trace); r.throughput == 0 {
			return r, cli.UsageError("with --threads %d no command buffer completed, so the throughput is unknown: "+
				"run mtrace doctor -- %s to see whether the program can be traced", n, args[0])
		}
	}
	return r, nil
}

// reportedThroughput returns the "ops_per_s" that the program printed as JSON: in its whole output if that is one
// object, otherwise in the last line that is such an object. It returns false if there is none.
func reportedThroughput(printed []byte) (float64, bool) {
	var result struct {
		OpsPerSecond *float64 `json:"ops_per_s"`
	}
	if json.Unmarshal(printed, &result) == nil && result.OpsPerSecond != nil {
		return *result.OpsPerSecond, true
	}
	lines := bytes.Split(printed, []byte("\n"))
	for _, line := range slices.Backward(lines) {
		if json.Unmarshal(line, &result) == nil && result.OpsPerSecond != nil {
			return *result.OpsPerSecond, true
		}
	}
	return 0, false
}

// completedPerSecond returns completed command buffers per second, from the first commit to the last completion; 0 if
// there are none.
func completedPerSecond(t *analyze.Trace) float64 {
	var span analyze.Interval
	count := 0
	for b := range t.Buffers() {
		end := max(b.GPU.End, b.Completed.Begin)
		if !b.Committed.Known() || end <= b.Committed.Begin {
			continue
		}
		if count++; count == 1 || b.Committed.Begin < span.Begin {
			span.Begin = b.Committed.Begin
		}
		span.End = max(span.End, end)
	}
	if span.Length() == 0 {
		return 0
	}
	return float64(count) / float64(span.Length()) * 1e9
}

func (s *sweep) document(command []string, runs []sweptRun) (*scaling.Document, error) {
	var series scaling.Series
	for _, n := range s.threads {
		p := scaling.Point{Threads: n}
		for _, r := range runs {
			if r.threads == n {
				p.Samples = append(p.Samples, r.throughput)
			}
		}
		series.Points = append(series.Points, p)
	}
	doc, err := scaling.Analyze(strings.Join(command, " "), scaling.Point{}, series)
	if err != nil {
		return nil, err
	}
	if doc.Counted = "reported by the program (as ops_per_s) while it was traced"; !runs[0].reported {
		doc.Counted = "command buffers from the first commit to the last completion, counted in the trace"
	}
	doc.NoteNoise()
	for _, r := range runs {
		doc.Software = doc.Software || r.report.Source.SoftwareMetal
	}
	for _, n := range s.threads {
		doc.Verdicts = append(doc.Verdicts, s.verdict(runs, n))
		doc.Times = append(doc.Times, timeWith(runs, n))
	}
	return doc, nil
}

// timeWith adds up all runs with n threads, and returns each activity's share of their threads' total time.
func timeWith(runs []sweptRun, n int) scaling.Time {
	all := map[string]float64{}
	sum := 0.0
	for _, r := range runs {
		if r.threads != n {
			continue
		}
		for name, nanos := range r.report.TimeParts() {
			all[name] += float64(nanos)
			sum += float64(nanos)
		}
	}
	for name := range all { // if the sum is 0, there is nothing to divide
		all[name] /= sum
	}
	return scaling.Time{Threads: n, Shares: all}
}

// verdict returns the verdict that most runs with n threads have. Of the runs with this verdict, the one with the
// median throughput provides the details.
func (s *sweep) verdict(runs []sweptRun, n int) scaling.Verdict {
	var own []sweptRun
	votes := map[string]int{}
	for _, r := range runs {
		if r.threads == n {
			own = append(own, r)
			votes[r.report.Serialization.Verdict]++
		}
	}
	slices.SortStableFunc(own, func(a, b sweptRun) int { return cmp.Compare(a.throughput, b.throughput) })
	v := scaling.Verdict{Threads: n, Runs: len(own), Traces: []string{}}
	for _, r := range own {
		v.Agree = max(v.Agree, votes[r.report.Serialization.Verdict])
		if s.output != "" {
			v.Traces = append(v.Traces, r.trace)
		}
	}
	own = slices.DeleteFunc(own, func(r sweptRun) bool { return votes[r.report.Serialization.Verdict] < v.Agree })
	said := own[len(own)/2].report.Serialization
	v.Verdict, v.Share, v.Confidence, v.Summary = said.Verdict, said.Share, said.Confidence, said.Summary
	v.Agree = votes[said.Verdict]
	if len(said.Causes) > 0 && said.Causes[0].Cause == said.Verdict && said.Causes[0].SpeedupIfRemoved != nil {
		v.Speedup = said.Causes[0].SpeedupIfRemoved
	}
	return v
}

func (s *sweep) print(std cli.Stdio, doc *scaling.Document) (err error) {
	switch {
	case s.json:
		err = writeJSON(std.Out, doc)
	case s.plot != cli.StandardOutput && s.html != cli.StandardOutput:
		err = doc.WriteText(analyze.SafeText(std.Out, false))
	}
	if err == nil && s.plot != "" {
		err = cli.WriteFile(std, s.plot, "", s.force, func(f *os.File) error { return doc.WritePlot(f) })
	}
	if err == nil && s.html != "" {
		err = cli.WriteFile(std, s.html, "", s.force, func(f *os.File) error { return page.WriteSweep(f, doc) })
	}
	return err
}
