package compare

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"mtrace/analyze"
	"mtrace/cmd/mtrace/internal/bench"
	"mtrace/cmd/mtrace/internal/cli"
)

// benchOptions are the flags of `mtrace bench`.
type benchOptions struct {
	list                         bool
	quick, trace, json, markdown bool
	claims, shaders              string
	threads, elements, sizes     []int
	iterations, rounds           int
	sync                         string
}

func BenchCommand() cli.Command {
	return cli.Command{
		Name:    "bench",
		Summary: "Run the built-in Metal benchmarks and print their tables",
		Usage:   "[flags] NAME…\n\n" + benchNames(),
		Example: "mtrace bench scaling --threads 1,2,4,8\n" +
			"  mtrace bench all --quick --claims fixtures/claims/field-reports.json",
		Values: map[string][]string{"sync": {"wait", "event", "device", "none"}},
		Arguments: func() []string {
			var names []string
			for _, b := range bench.All() {
				names = append(names, b.Name+"\t"+b.Summary)
			}
			return append(names, "all")
		},
		Setup: func(flags *pflag.FlagSet) func(cli.Stdio, []string) error {
			var o benchOptions
			flags.BoolVar(&o.list, "list", false, "list the benchmarks, one line each, and run none")
			flags.BoolVar(&o.quick, "quick", false, "small sizes and few operations: every benchmark in under a minute")
			flags.IntSliceVar(&o.threads, "threads", nil,
				"`NUMBERS` of threads with which scaling, axpy and overhead are run")
			flags.IntVar(&o.iterations, "iters", 0,
				"`NUMBER` of operations that each thread of a case runs, over all rounds")
			flags.IntVar(&o.rounds, "rounds", 0, "`NUMBER` of rounds, each of which runs all cases once; "+
				"95 % intervals need at least six")
			flags.IntSliceVar(&o.elements, "elements", nil, "array `SIZES`, in elements")
			flags.IntSliceVar(&o.sizes, "sizes", nil, "matrix `SIZES`: matmul, fused")
			flags.StringVar(&o.sync, "sync", "",
				"`HOW` threads wait for the GPU in scaling and axpy: wait, event, device or none (default wait)")
			flags.BoolVar(&o.trace, "trace", false, "run under the tracer and keep the trace bench-NAME.mtrace")
			flags.StringVar(&o.claims, "claims", "", "compare the results with the claims in this `FILE`; "+
				"exit 1 if a claim fails")
			flags.BoolVar(&o.json, "json", false, "print everything as JSON ("+bench.Schema+")")
			flags.BoolVar(&o.markdown, "markdown", false, "print the tables as Markdown")
			flags.StringVar(&o.shaders, "shaders", "",
				"the `FOLDER` with the benchmarks' Metal kernels (default: mtrace's own shaders)")
			return func(std cli.Stdio, args []string) error { return o.run(std, args) }
		},
	}
}

// benchNames returns the list of benchmarks for the help text, one per line.
func benchNames() string {
	var b strings.Builder
	b.WriteString("Benchmarks (all runs every one):")
	for _, each := range bench.All() {
		fmt.Fprintf(&b, "\n  %-12s %s", each.Name, each.Summary)
	}
	return b.String()
}

func (o *benchOptions) run(std cli.Stdio, names []string) error {
	if o.list {
		for _, each := range bench.All() {
			if _, err := fmt.Fprintf(std.Out, "%-12s %s\n", each.Name, each.Summary); err != nil {
				return err
			}
		}
		return nil
	}
	benches, err := o.chosen(names)
	if err != nil {
		return err
	}
	var claims *bench.Claims
	if o.claims != "" {
		if claims, err = readClaims(o.claims); err != nil {
			return err
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r, err := newBenchRunner(ctx, std, o.shaders, o.trace)
	if err != nil {
		return err
	}
	defer r.close()

	report := bench.Report{Conditions: bench.Conditions{CPUs: runtime.NumCPU(), Started: time.Now(), Quick: o.quick,
		Traced: o.trace, Tool: cli.ToolVersion()}}
	results := map[string]*bench.Results{}
	var failures []error
	for i, b := range benches {
		if len(benches) > 1 {
			r.part = fmt.Sprintf("%d of %d · ", i+1, len(benches))
		}
		run, err := r.run(b, o.parameters(b))
		if ctx.Err() != nil || wasInterrupted(err) {
			return cli.Status{Code: interruptedStatus,
				Err: errors.New("interrupted: no results are printed, because the run is incomplete")}
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", b.Name, err)
			if len(benches) == 1 {
				return cli.Status{Code: benchStatus(err), Err: err}
			}
			failures = append(failures, err)
			continue
		}
		report.Runs = append(report.Runs, run)
		report.Conditions.Host = run.Results.Host
		results[b.Name] = run.Results
	}
	if claims != nil {
		report.Scorecard = claims.Judge(results)
	}
	if err := o.write(std, &report); err != nil {
		return err
	}
	return verdictOf(&report, failures)
}

// verdictOf returns the error that ends mtrace bench after the report is printed: for benchmarks that did not run,
// wrong results and failed claims. It returns nil if there were none.
func verdictOf(report *bench.Report, failures []error) error {
	for i := range report.Runs {
		for _, wrong := range report.Runs[i].Results.Wrong() {
			failures = append(failures, fmt.Errorf("%s computed a wrong result: %s", wrong.Bench, wrong.Case))
		}
	}
	if len(failures) > 0 {
		return cli.Status{Code: cli.ExitNo, Err: errors.Join(failures...)}
	}
	if report.Scorecard != nil && report.Scorecard.Failed() {
		return cli.Status{Code: cli.ExitNo, Err: nil}
	}
	return nil
}

func (o *benchOptions) write(std cli.Stdio, report *bench.Report) error {
	switch {
	case o.json:
		return report.WriteJSON(std.Out)
	case o.markdown:
		return report.WriteMarkdown(std.Out)
	}
	return report.WriteText(analyze.SafeText(std.Out, false))
}

// chosen validates the flags and returns the benchmarks that the arguments name. With --trace it drops those that
// compare traced with untraced runs, because they start the tracer themselves.
func (o *benchOptions) chosen(names []string) ([]*bench.Bench, error) {
	if len(names) == 0 {
		return nil, cli.UsageError("which benchmark? one of: %s, all", bench.Names())
	}
	if o.json && o.markdown {
		return nil, cli.UsageError("--json and --markdown exclude each other: give one of them")
	}
	if o.sync != "" && !slices.Contains([]string{"wait", "event", "device", "none"}, o.sync) {
		return nil, cli.UsageError("--sync must be wait, event, device or none, not %q", o.sync)
	}
	if o.iterations < 0 || o.rounds < 0 {
		return nil, cli.UsageError("--iters and --rounds must be above 0")
	}
	for _, list := range []struct {
		flag   string
		values []int
		most   int
	}{{"--threads", o.threads, 256}, {"--elements", o.elements, 1 << 30}, {"--sizes", o.sizes, 16384}} {
		if len(list.values) > 16 {
			return nil, cli.UsageError("%s takes at most 16 values, but %d were given", list.flag, len(list.values))
		}
		for _, v := range list.values {
			if v < 1 || v > list.most {
				return nil, cli.UsageError("%s takes numbers from 1 to %d, not %d", list.flag, list.most, v)
			}
		}
	}
	var benches []*bench.Bench
	for _, name := range names {
		if name == "all" {
			benches = append(benches, bench.All()...)
			continue
		}
		b, ok := bench.Find(name)
		if !ok {
			return nil, cli.UsageError("no benchmark %q; there are: %s, all", name, bench.Names())
		}
		benches = append(benches, b)
	}
	if o.trace {
		if len(names) == 1 && benches[0].Compared {
			return nil, cli.UsageError(
				"%s compares traced with untraced runs, which it starts itself: leave --trace out", benches[0].Name)
		}
		benches = slices.DeleteFunc(benches, func(b *bench.Bench) bool { return b.Compared })
	}
	return benches, nil
}

// parameters returns the benchmark's parameters, changed by the flags. A flag that the benchmark does not use is
// ignored, so that `bench all --threads 8` works.
func (o *benchOptions) parameters(b *bench.Bench) bench.Parameters {
	p := b.Full
	if o.quick {
		p = b.Quick
	} else if _, software := cli.SoftwareMetal(); software && b.SoftwareSizes != nil {
		p.Sizes = b.SoftwareSizes
	}
	override := func(own *[]int, given []int) {
		if len(*own) > 0 && len(given) > 0 {
			*own = given
		}
	}
	override(&p.Threads, o.threads)
	override(&p.Elements, o.elements)
	override(&p.Sizes, o.sizes)
	if o.iterations > 0 {
		p.Iterations = o.iterations
	}
	if o.rounds > 0 {
		p.Rounds = o.rounds
	}
	if b.Program == "scaling" || b.Program == "axpy" {
		p.Sync = o.sync
	}
	return p
}

func readClaims(path string) (*bench.Claims, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, cli.UsageError("cannot read the claims: %v", err)
	}
	defer file.Close()
	claims, err := bench.ReadClaims(file)
	if err != nil {
		return nil, cli.UsageError("%s: %v", path, err)
	}
	return claims, nil
}
