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

// ExperimentCommand returns the command that measures how much delays in the running program cost it.
func ExperimentCommand() cli.Command {
	return cli.Command{
		Name:    "experiment",
		Summary: "Run a program with random delays in its calls, locks and waits, and measure the effect on its progress",
		Usage:   "[flags] -- CMD ARG…",
		Example: "mtrace experiment --target commit,wait --duration 40s -- python3 workload.py --threads 8",
		Whole:   true,
		Setup: func(flags *pflag.FlagSet) func(cli.Stdio, []string) error {
			o := experimentOptions{run: RunOptions{Follow: true, guard: true, Recording: UsualRecording}}
			flags.StringSliceVar(&o.targets, "target", nil, "delay these `TARGETS`: "+strings.Join(experiment.Names(), ", ")+
				"; lock:NAME or lock:0xADDRESS; own:THREAD; a call's name; of some threads only with @THREAD, as commit@worker "+
				"(default: all that occur, and the lock with the longest waits)")
			flags.DurationVar(&o.duration, "duration", 0, "end the experiment after this `TIME`; the program continues "+
				"(default: until the program ends)")
			flags.StringVar(&o.budget, "budget", "5%", "slow the program down by this `SHARE` of its time at most")
			flags.Uint64Var(&o.seed, "seed", 0, "use this `NUMBER` as the seed of the random order of blocks (default: a new one)")
			flags.StringVar(&o.progress, "progress", wire.ProgressCommands, "count this `UNIT` as progress: commands "+
				"(completed command buffers), or mark:NAME (calls of mtrace_mark with that name)")
			flags.BoolVar(&o.speedup, "speedup", false, "also make calls virtually faster: all other threads are delayed "+
				"while one makes the call")
			flags.StringVar(&o.delay, "delay", string(experiment.Automatic), "delayed threads sleep, or spin: `HOW` is sleep, "+
				"which leaves the processor to others; spin, which uses it; or auto: a thread's own code and delays "+
				"under 120 µs spin, all else sleeps")
			flags.StringVarP(&o.run.Output, "output", "o", "",
				"the trace `FILE` to write (default CMD-PID.mtrace here); it is called FILE.part until it is complete")
			cli.ForceFlag(flags, &o.run.Force)
			flags.Var(&o.run.view.JSON, "json", "print the result as JSON (mtrace.experiment/1) on standard output; with "+
				"=`FILE`, or =fd:N for a descriptor, write it there instead")
			flags.Lookup("json").NoOptDefVal = cli.StandardOutput
			flags.Var(&o.run.report, "report", "write the result's text into this `FILE` instead of standard error; - is "+
				"standard output")
			return func(std cli.Stdio, args []string) error { return o.start(std, args) }
		},
	}
}

// start checks the flags and runs the program as mtrace run does, with the experiment in it.
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
		return cli.UsageError("--budget %s: give a share from 0.1%% to 50%%, as 5%%", o.budget)
	case !slices.Contains([]experiment.Delay{experiment.Automatic, experiment.Sleep, experiment.Spin}, e.Delay):
		return cli.UsageError("--delay %s: give auto, sleep or spin", o.delay)
	case o.duration < 0:
		return cli.UsageError("--duration %v: give a time, as 40s", o.duration)
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

// verifyBudget is the share by which mtrace run --verify may slow the program down.
const verifyBudget = 0.05

// verification is the experiment of mtrace run --verify.
func verification() *experimentRun {
	return &experimentRun{verifies: true, sights: experiment.NewSights(), options: experiment.Options{Asked: true,
		Budget: verifyBudget, Seed: newSeed(), Progress: wire.ProgressCommands, Delay: experiment.Automatic}}
}

// parseShare reads 5% or 0.05.
func parseShare(text string) (float64, error) {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	share, err := strconv.ParseFloat(number, 64)
	if percent {
		share /= 100
	}
	return share, err
}

// An experimentRun is the experiment of one run of a program. Nil means no experiment.
type experimentRun struct {
	options experiment.Options
	sights  *experiment.Sights
	json    *cli.Destination
	force   bool
	ranks   bool // the targets, by a recording of the first seconds
	// of mtrace run --verify: the verdict's cause alone is measured, and the usual report is printed
	verifies bool
	failure  error    // why there was no experiment
	notes    []string // for the user
	blocks   int
}

// start begins the experiment. The returned function ends it.
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

// notVerified says why nothing was measured for --verify; empty if something was.
func (e *experimentRun) notVerified() string {
	switch {
	case e == nil || !e.verifies || e.blocks > 0:
		return ""
	case e.failure != nil:
		return e.failure.Error()
	}
	return "the program ended too soon"
}

// print prints what the experiment in the trace at path says.
func (e *experimentRun) print(std cli.Stdio, path string) error {
	for _, note := range e.notes {
		cli.Tell(std.Err, "mtrace experiment: %s", note)
	}
	if e.failure != nil {
		return fmt.Errorf("no experiment was made: %w", e.failure)
	}
	r, _, err := show.BuildReport(&loading.Selection{}, std, path, report.Options{})
	if err != nil {
		return err
	}
	if r.Experiment == nil {
		return errors.New("there was no experiment: the trace has no block of one")
	}
	if *e.json != "" {
		return e.json.Write(std, path, e.force, r.Experiment.WriteJSON)
	}
	return r.Experiment.WriteText(std.Out)
}
