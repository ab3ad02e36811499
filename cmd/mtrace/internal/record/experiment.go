package record

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"mtrace/analyze/report"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/cmd/mtrace/internal/loading"
	"mtrace/cmd/mtrace/internal/show"
	"mtrace/collector/experiment"
	"mtrace/collector/wire"
)

type experimentOptions struct {
	run      RunOptions
	targets  []string
	duration time.Duration
	budget   string
	seed     uint64
	progress string
	speedup  bool
	delay    string
}

// ExperimentCommand returns the command that adds delays to a running program and measures how much they cost it.
func ExperimentCommand() cli.Command {
	return cli.Command{
		Name: "experiment",
		Summary: "Delay a running program's calls, locks and waits at random, " +
			"and measure how much that slows its progress",
		Usage:   "[flags] -- CMD ARG…",
		Example: "mtrace experiment --target commit,wait --duration 40s -- python3 workload.py --threads 8",
		Whole:   true,
		Setup: func(flags *pflag.FlagSet) func(cli.Stdio, []string) error {
			o := experimentOptions{run: RunOptions{Follow: true, guard: true, Recording: UsualRecording}}
			flags.StringSliceVar(&o.targets, "target", nil, "delay these `TARGETS`: "+strings.Join(experiment.Names(), ", ")+
				"; lock:NAME or lock:0xADDRESS; own:THREAD (the thread's own code); or a call's name. "+
				"Add @THREAD to delay only some threads: commit@worker "+
				"(default: all that occur, and the lock with the longest waits)")
			flags.DurationVar(&o.duration, "duration", 0,
				"end the experiment after this `TIME`, while the program continues (default: when the program ends)")
			flags.StringVar(&o.budget, "budget", "5%", "slow the program down by at most this `SHARE` of its time")
			flags.Uint64Var(&o.seed, "seed", 0,
				"make the random order of delays repeatable with this seed `NUMBER` (default: a new one)")
			flags.StringVar(&o.progress, "progress", wire.ProgressCommands,
				"measure progress in this `UNIT`: commands (completed command buffers), "+
					"or mark:NAME (calls of mtrace_mark with that name)")
			flags.BoolVar(&o.speedup, "speedup", false, "also measure what faster calls would bring: "+
				"while a thread makes the call, all other threads are delayed")
			flags.StringVar(&o.delay, "delay", string(experiment.Automatic),
				"`HOW` threads are delayed: sleep, which frees the processor for others; spin, which keeps it busy; "+
					"or auto, which spins for a thread's own code and for delays under 120 µs, and sleeps otherwise")
			flags.StringVarP(&o.run.Output, "output", "o", "",
				"write the trace to this `FILE` (default CMD-PID.mtrace in the current folder); "+
					"it is FILE.part until it is complete")
			cli.ForceFlag(flags, &o.run.Force)
			flags.Var(&o.run.view.JSON, "json", "print the result as JSON (mtrace.experiment/1) on standard output; "+
				"=`FILE` writes it to a file, =fd:N to a descriptor")
			flags.Lookup("json").NoOptDefVal = cli.StandardOutput
			flags.Var(&o.run.report, "report", "write the result's text to this `FILE` instead of standard error; "+
				"- is standard output")
			return func(std cli.Stdio, args []string) error { return o.start(std, args) }
		},
	}
}

// start validates the flags and runs the program as `mtrace run` does, with the experiment.
func (o *experimentOptions) start(std cli.Stdio, args []string) error {
	if len(args) == 0 {
		return cli.UsageError("no program to run: mtrace experiment -- CMD ARG…")
	}
	e := experiment.Options{Duration: o.duration, Seed: o.seed, Progress: o.progress, Speedup: o.speedup,
		Delay: experiment.Delay(o.delay), Asked: len(o.targets) > 0}
	if e.Seed == 0 {
		e.Seed = newSeed()
	}
	budget, err := parseShare(o.budget)
	switch name, marks := strings.CutPrefix(o.progress, wire.ProgressMark); {
	case err != nil || budget < 0.001 || budget > 0.5:
		return cli.UsageError("--budget %s: give a share from 0.1%% to 50%%, such as 5%%", o.budget)
	case !slices.Contains([]experiment.Delay{experiment.Automatic, experiment.Sleep, experiment.Spin}, e.Delay):
		return cli.UsageError("--delay %s: give auto, sleep or spin", o.delay)
	case o.duration < 0:
		return cli.UsageError("--duration %v: give a time such as 40s", o.duration)
	case o.progress != wire.ProgressCommands && (!marks || name == ""):
		return cli.UsageError("--progress %s: give commands, or mark:NAME", o.progress)
	}
	e.Budget = budget
	names := o.targets
	if len(names) == 0 {
		names = experiment.Names()
	}
	for _, name := range names {
		target, err := experiment.Parse(name)
		if err != nil {
			return cli.UsageError("--target: %w", err)
		}
		e.Targets = append(e.Targets, target)
	}
	o.run.experiment = &experimentRun{options: e, sights: experiment.NewSights(), json: &o.run.view.JSON,
		force: o.run.Force, ranks: !e.Asked}
	return Run(std, o.run, args)
}

func newSeed() (seed uint64) {
	for seed == 0 {
		seed = rand.Uint64()
	}
	return seed
}

// verifyBudget is the share of its time by which `mtrace run --verify` may slow the program down.
const verifyBudget = 0.05

// verification returns the experiment of `mtrace run --verify`, which delays only the calls or locks that the
// report's verdict names as the cause.
func verification() *experimentRun {
	return &experimentRun{verifies: true, sights: experiment.NewSights(), options: experiment.Options{Asked: true,
		Budget: verifyBudget, Seed: newSeed(), Progress: wire.ProgressCommands, Delay: experiment.Automatic}}
}

// parseShare parses a share given as 5% or 0.05.
func parseShare(text string) (float64, error) {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	share, err := strconv.ParseFloat(number, 64)
	if percent {
		share /= 100
	}
	return share, err
}

// An experimentRun is the experiment of one run: it delays the program's calls at random and measures what the
// delays cost. It is nil if the run has no experiment.
type experimentRun struct {
	options experiment.Options
	sights  *experiment.Sights
	json    *cli.Destination
	force   bool
	ranks   bool // order the targets by a report on the first seconds
	// set by mtrace run --verify: only the verdict's cause is measured, and the usual report is printed in place of
	// the experiment's
	verifies bool
	failure  error    // the reason why there was no experiment; otherwise nil
	notes    []string // notes to print for the user
	blocks   int
}

// start runs the experiment in the background. The returned stop cancels it and returns once it has ended. If e
// is nil, both do nothing.
func (e *experimentRun) start(s *session) (stop func()) {
	if e == nil {
		return func() {}
	}
	c := s.collector
	switch {
	case e.verifies:
		e.options.Rank = s.ofVerdict
	case e.ranks:
		e.options.Rank = s.promising
	}
	ctx, cancel := context.WithCancel(context.Background())
	controller := experiment.New(e.options, c, e.sights)
	done := make(chan struct{})
	go func() {
		defer close(done)
		e.failure = controller.Run(ctx)
	}()
	return func() {
		cancel()
		<-done
		e.notes, e.blocks = controller.Notes, controller.Blocks
	}
}

// notVerified returns why --verify measured nothing. It returns "" if --verify measured something or was not
// given.
func (e *experimentRun) notVerified() string {
	switch {
	case e == nil || !e.verifies || e.blocks > 0:
		return ""
	case e.failure != nil:
		return e.failure.Error()
	}
	return "the program ended too soon"
}

// print prints the result of the experiment, which it reads from the trace at path.
func (e *experimentRun) print(std cli.Stdio, path string) error {
	for _, note := range e.notes {
		cli.PrintLine(std.Err, "mtrace experiment: %s", note)
	}
	if e.failure != nil {
		return fmt.Errorf("no experiment was made: %w", e.failure)
	}
	r, _, err := show.BuildReport(&loading.Selection{}, std, path, report.Options{})
	if err != nil {
		return err
	}
	if r.Experiment == nil {
		return errors.New(
			"no experiment took place: the program ended, or made no call to delay, before the first block of delays")
	}
	if *e.json != "" {
		return e.json.Write(std, path, e.force, r.Experiment.WriteJSON)
	}
	return r.Experiment.WriteText(std.Out)
}
