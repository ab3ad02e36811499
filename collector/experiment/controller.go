package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"mtrace/collector"
	"mtrace/collector/wire"
)

// Options select the targets and the duration of an experiment.
type Options struct {
	Targets  []Target      // empty means the targets in Names, and the lock with the longest waits
	Asked    bool          // the user named the targets: a target that never occurs is an error
	Duration time.Duration // 0 is until the program ends
	Budget   float64       // share by which the program may be slowed down over the whole experiment
	Seed     uint64
	Progress string // wire.ProgressCommands, or wire.ProgressMark and a name
	Speedup  bool   // virtual speed-ups of calls, too
	Delay    Delay
	// Rank, if set, is called after the program's first seconds, recorded without delays. It returns the targets of
	// the experiment, the most promising first. If Rank is nil or fails, Targets are used. Its error becomes a note
	// for the user, or ends the experiment if Targets is empty.
	Rank func() ([]Target, error)
}

// A Delay is how a thread spends the time for which the experiment delays it.
type Delay string

// The ways to delay a thread. Automatic means Sleep, except for targets of the program's own code between calls:
// there it means spinning.
const (
	Automatic Delay = "auto"
	Sleep     Delay = "sleep" // the call takes longer without using the processor
	Spin      Delay = "spin"  // the call uses the processor for longer
)

// sleeps reports whether threads sleep while targets of this kind are delayed; otherwise they spin.
func (d Delay) sleeps(kind wire.ExperimentKind) bool {
	return d == Sleep || d != Spin && kind != wire.ExperimentOwn
}

// speedups are the shares by which a virtual speed-up shortens a call. The call really takes as long as before, but
// all other threads are delayed: relative to them, the call has become faster.
var speedups = []float64{0.10, 0.25, 0.50}

// A Controller performs one experiment: it delays targets in blocks of time and measures how much the program's
// progress slows down.
type Controller struct {
	options   Options
	collector *collector.Collector
	sights    *Sights
	random    *rand.Rand
	subject   Subject
	progress  wire.StringID
	plan      wire.Experiment // without its blocks, which are only in the trace
	targets   []active        // indexed by wire.ExperimentTarget.ID - 1
	pace      pace
	budget    budget
	ranked    bool // the first targets are the most promising ones
	rounds    int

	Blocks int      // number of blocks written to the trace
	Notes  []string // notes to print for the user
}

// An active is a target that occurs in the program, with the delays that the experiment injects at it.
type active struct {
	delays wire.Delays
	dose   dose
	level  int // of a virtual speed-up: how many blocks it had; selects the next element of speedups
}

// New returns a controller. sights must observe the recording of c, because the controller looks for targets in its
// observations.
func New(o Options, c *collector.Collector, sights *Sights) *Controller {
	x := &Controller{options: o, collector: c, sights: sights, random: rand.New(rand.NewPCG(o.Seed, o.Seed))}
	if name, marks := strings.CutPrefix(o.Progress, wire.ProgressMark); marks {
		x.progress = wire.HashString(name)
	}
	x.budget.share = o.Budget
	x.plan = wire.Experiment{Seed: o.Seed, Budget: o.Budget, Progress: o.Progress}
	return x
}

// Run performs the experiment until the program ends, ctx is done or the duration is over. When it returns, no thread
// is delayed any more. It returns an error if no delay was measured.
func (x *Controller) Run(ctx context.Context) error {
	subject, err := findSubject(ctx.Done(), x.collector, x.progress)
	if err != nil {
		return err
	}
	x.subject = subject
	defer x.set(wire.Delays{})
	if x.options.Duration > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, x.options.Duration)
		defer cancel()
	}
	if err = x.observe(ctx); err == nil {
		err = x.rank(ctx)
	}
	if err == nil {
		err = x.choose(ctx)
	}
	for err == nil && ctx.Err() == nil {
		err = x.round(ctx)
	}
	if x.Blocks > 0 && (errors.Is(err, collector.ErrEnded) || errors.Is(err, errOver)) {
		err = nil
	}
	return err
}

// errOver is returned if the time for the experiment ends before the first measurement.
var errOver = errors.New("the experiment had no time to begin: let the program run longer")

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return errOver
	case <-timer.C:
		return nil
	}
}

// safety is how long delays may continue after the planned end of their block. If mtrace is killed, the traced
// program stops delaying itself after that time.
const safety = 2 * time.Second

func (x *Controller) set(d wire.Delays) error {
	d.Progress = x.progress
	d.Until = x.subject.Now() + (x.pace.settle + x.pace.block + safety).Nanoseconds()
	return x.subject.Touch(func(g wire.Region) { g.SetDelays(d) })
}

// The program is observed without delays until it has made unitsWatched units of progress (usually completed
// command buffers), for at least shortestWatch and at most longestWatch.
const (
	shortestWatch = 300 * time.Millisecond
	longestWatch  = 5 * time.Second
	unitsWatched  = 50
)

// observe measures how fast the program makes progress without delays, and chooses the length of blocks accordingly.
func (x *Controller) observe(ctx context.Context) error {
	began, err := count(x.subject)
	var c change
	for err == nil && c.took < longestWatch.Nanoseconds() &&
		(c.took < shortestWatch.Nanoseconds() || c.units < unitsWatched) {
		if err = wait(ctx, shortestWatch/3); err == nil {
			var now tally
			now, err = count(x.subject)
			c = between(began, now)
		}
	}
	if err != nil {
		return err
	}
	if c.units == 0 {
		return errNoProgress
	}
	x.plan.Threads = c.threads
	x.pace = paceOf(time.Duration(c.took)/time.Duration(c.units), c.threads)
	return nil
}

// firstLook is how long the program is recorded before Options.Rank chooses targets. This time begins when
// findSubject has found a process that makes progress.
const firstLook = 2 * time.Second

// rank replaces the experiment's targets by those that Options.Rank chooses from a first recording of the program, so
// that a short experiment begins with the most promising ones.
func (x *Controller) rank(ctx context.Context) error {
	if x.options.Rank == nil {
		return nil
	}
	if err := wait(ctx, firstLook); err != nil {
		return err
	}
	targets, err := x.options.Rank()
	switch {
	case err != nil && len(x.options.Targets) == 0:
		return err
	case err != nil:
		x.Notes = append(x.Notes, fmt.Sprintf("targets are not ranked: %v", err))
	default:
		x.options.Targets, x.ranked = targets, true
	}
	return ctx.Err()
}

// choose finds out which targets occur in the program and how often, and chooses their first delays. It writes the
// plan of the experiment into the trace. It returns an error if there is nothing to delay.
func (x *Controller) choose(ctx context.Context) error {
	for _, t := range x.options.Targets {
		target, delays, problem := x.resolve(t)
		if problem != "" {
			x.Notes = append(x.Notes, problem)
			continue
		}
		if target.Kind == wire.ExperimentLock && target.Address == 0 {
			if x.options.Asked {
				x.Notes = append(x.Notes, t.Name+": no thread waited for a lock while the program was observed")
			}
			continue
		}
		c, err := x.probe(ctx, delays)
		if err != nil {
			return err
		}
		if c.occurrences == 0 {
			if x.options.Asked {
				x.Notes = append(x.Notes, fmt.Sprintf("%s: it did not occur while the program was observed", t.Name))
			}
			continue
		}
		x.add(target, delays, newDose(float64(c.busiest)/float64(c.took)*1e9, x.budget.allowed()))
		if x.options.Speedup && target.Kind == wire.ExperimentCall && target.TookNS > 0 {
			x.addSpeedup(target, delays)
		}
	}
	x.sights.finish(x.subject.Index())
	if len(x.targets) == 0 {
		return errors.New(strings.Join(append([]string{"there is nothing to delay"}, x.Notes...), "; "))
	}
	x.subject.Write(x.plan.Facts()...)
	return nil
}

func (x *Controller) add(t wire.ExperimentTarget, d wire.Delays, dose dose) {
	t.ID = len(x.targets) + 1
	x.plan.Targets = append(x.plan.Targets, t)
	x.targets = append(x.targets, active{delays: d, dose: dose})
}

// addSpeedup adds a target whose calls are virtually shortened: all other threads are delayed for each call.
// Successive blocks shorten the calls by 10 %, 25 %, 50 % (speedups), and then by 10 % again.
func (x *Controller) addSpeedup(t wire.ExperimentTarget, d wire.Delays) {
	t.Mode = wire.ExperimentSpeedup
	d.Kinds, d.Others = d.Kinds|wire.DelayOthers|wire.DelayPauses, wire.DelayPauses
	x.add(t, d, dose{now: max(time.Duration(speedups[0]*float64(t.TookNS)), 1)})
}

// probe counts how often a target occurs in half the length of a block. The delays d are set with length 0, so that
// the threads count the target but are not delayed.
func (x *Controller) probe(ctx context.Context, d wire.Delays) (c change, err error) {
	d.Length = 0
	if err := x.set(d); err != nil {
		return c, err
	}
	before, err := count(x.subject)
	if err != nil {
		return c, err
	}
	if err := wait(ctx, x.pace.block/2); err != nil {
		return c, err
	}
	after, err := count(x.subject)
	return between(before, after), err
}

// If targets are ranked, the first rounds (firstRounds) delay only the most promising ones. A program that ends soon
// then has a result about these, instead of too few measurements of all.
const (
	promising   = 3
	firstRounds = 10
)

// round measures each target once: a block of time with its delays, and a neighbouring block without, in random
// order. Then it adjusts the length of the target's delays.
func (x *Controller) round(ctx context.Context) error {
	ids := make([]int, len(x.targets))
	for i := range ids {
		ids[i] = i + 1
	}
	if x.ranked && x.rounds < firstRounds {
		ids = ids[:min(promising, len(ids))]
	}
	x.rounds++
	steps := round(x.random, ids)
	for i := 0; i < len(steps); i += 2 {
		var times [2]float64 // nanoseconds for a unit
		treated := 0
		target := max(steps[i].target, steps[i+1].target)
		sped := x.plan.Targets[target-1].Mode == wire.ExperimentSpeedup
		for j, s := range steps[i : i+2] {
			of := s.target
			if sped {
				of = target
			}
			b, err := x.block(ctx, of, sped && s.target == 0)
			if err != nil {
				return err
			}
			times[j] = float64(b.End-b.Start) / float64(max(b.Units, 1))
			if s.target > 0 {
				treated = j
			}
		}
		slowed := math.Log(times[treated] / times[1-treated]) // the logarithm weighs a burst of load in either block alike
		t := &x.targets[target-1]
		if !sped {
			x.budget.slowed.add(1, slowed)
			t.dose.learn(slowed, x.budget.allowed())
			continue
		}
		t.level++
		t.dose.now = max(time.Duration(speedups[t.level%len(speedups)]*float64(x.plan.Targets[target-1].TookNS)), 1)
	}
	return nil
}

// block injects a target's delays for one block of time, measures the progress meanwhile, and writes the result into
// the trace. Target 0 means no delays. A block that ends early is not written. control marks the baseline of a
// virtual speed-up: see wire.ExperimentBlock.
func (x *Controller) block(ctx context.Context, target int, control bool) (b wire.ExperimentBlock, err error) {
	var d wire.Delays
	if target > 0 {
		d = x.targets[target-1].delays
		d.Length = x.targets[target-1].dose.now
	}
	if control {
		d.Kinds |= wire.DelayItself
	}
	if err := x.set(d); err != nil {
		return b, err
	}
	if err := wait(ctx, x.pace.settle); err != nil {
		return b, err
	}
	before, err := count(x.subject)
	if err != nil {
		return b, err
	}
	if err := wait(ctx, x.pace.block); err != nil {
		return b, err
	}
	after, err := count(x.subject)
	if err != nil {
		return b, err
	}
	c := between(before, after)
	b = wire.ExperimentBlock{Start: before.at, End: after.at, Target: target, Control: control,
		DelayNS:     d.Length.Nanoseconds(),
		Occurrences: c.occurrences, InjectedNS: int64(c.injected), Units: c.units,
		LastBefore: before.lastUnit(x.subject), LastIn: after.lastUnit(x.subject)}
	if d.Kinds&wire.DelayOthers != 0 {
		b.InjectedNS = int64(after.due - before.due)
	}
	x.subject.Write(b.Fact())
	x.Blocks++
	return b, nil
}
