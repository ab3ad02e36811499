package experiment

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/statistics"
	"mtrace/collector/wire"
)

// A Status is the conclusion about a target (calls or a lock that the experiment delayed): for example that delays
// cost time. The values are part of the JSON output, so they must not change.
type Status string

// The statuses.
const (
	Affects   Status = "affects"   // progress depends on it: the interval lies above 0, and few such findings are false
	Slack     Status = "slack"     // the interval lies below a small sensitivity: added delays hardly matter
	Undecided Status = "undecided" // there are not enough blocks to tell
	Opposite  Status = "opposite"  // delays make the program faster: the interval lies below 0
)

// An Estimate is the experiment's result for one target: a set of calls, or a lock, that it delayed.
type Estimate struct {
	Target analyze.ExperimentTarget
	Status Status
	Blocks int   // number of treated blocks
	Units  int64 // units of progress in the treated blocks
	// In the treated blocks (time ranges with delays), Occurrences calls of the target were delayed. Total is the sum
	// of these delays, and Injected is Total per unit of progress.
	Occurrences     int64
	Total, Injected analyze.Nanos
	asked           analyze.Nanos // the sum of the requested delays; Total is the sum of the measured ones
	// Sensitivity is how many ns longer a thread takes for a unit of progress, for each ns of delay that is added to
	// the unit. It is nil if there are too few blocks, or if the target is virtually sped up.
	Sensitivity *Slope
	PValue      float64 // p-value of the hypothesis that the delays have no effect
	QValue      float64 // PValue adjusted for the number of targets
	Curve       []Point // the gains of a target that is virtually sped up
	// Longer is how much longer the experiment must run to decide about this target, with the same share of blocks
	// for it; 0 if the experiment has decided.
	Longer analyze.Nanos
	Replay *Prediction // nil if nothing was measured, or nothing was compared
}

// A Point is one measured gain of a virtual speed-up: the gain if the target's calls were shorter by an assumed
// share.
type Point struct {
	Share  float64 // the assumed share of the target's duration that is removed
	Blocks int
	// Saved is the share by which a unit of progress takes less time; nil if there are too few blocks
	Saved  *Slope
	PValue float64
}

// A Result has the results of an experiment for all its targets.
type Result struct {
	Experiment *analyze.Experiment
	Baseline   analyze.Nanos // median time of a unit of progress without delays
	Slowed     float64       // share by which all blocks' delays together slowed the program down
	Estimates  []Estimate    // in the order of Experiment.Targets
	Warnings   []string
}

// Analyze estimates the sensitivity of each target of the experiment. The same experiment always gives the same
// result.
func Analyze(of *analyze.Experiment) *Result {
	e := &estimator{Experiment: of}
	e.measureScale()
	r := &Result{Experiment: of}
	var pValues []float64
	for _, t := range e.Targets {
		x := Estimate{Target: t, PValue: 1}
		for i := range e.Blocks {
			if b := &e.Blocks[i]; b.Target == t.ID && !b.Control && b.Length() > 0 {
				x.Blocks++
				x.Units += b.Units
				x.Total += b.Injected
				x.Occurrences += b.Occurrences
				x.asked += b.Delay * analyze.Nanos(b.Occurrences)
			}
		}
		x.Injected = x.Total / analyze.Nanos(max(1, x.Units))
		if t.Mode == wire.ExperimentSpeedup {
			x.Curve = e.curve(&t)
			x.PValue = smallest(x.Curve)
		} else {
			e.sensitivity(&x)
		}
		r.Estimates = append(r.Estimates, x)
		pValues = append(pValues, x.PValue)
	}
	for i, q := range statistics.FalseDiscovery(pValues) {
		x := &r.Estimates[i]
		x.QValue = q
		x.judge()
		if x.Status == Undecided {
			x.Longer = e.longer(x)
		}
	}
	r.measureBaseline(e)
	r.warn()
	return r
}

// sensitivity estimates how many ns longer a unit of progress takes for each ns of delay, for a target in mode delay.
func (e *estimator) sensitivity(x *Estimate) {
	often := float64(x.Occurrences) / float64(max(1, x.Units))
	s := newScore(e.pairs(
		func(b *analyze.ExperimentBlock) bool { return b.Target == x.Target.ID && b.Injected > 0 },
		func(b, beside *analyze.ExperimentBlock) (x, y, z float64) {
			return injected(b) / units(b), e.unitTime(b, float64(wall(b))) - e.unitTime(beside, float64(wall(beside))),
				often * float64(b.Delay)
		}), e.scale)
	if slope, known := s.estimate(); known {
		x.Sensitivity, x.PValue = &slope, s.pValue(0)
	}
}

// curve estimates the gains of a virtually sped-up target, one for each delay that was tried. In a treated block (a
// time range with delays), all threads pause except the thread that reaches the target. In the adjacent control block,
// that thread pauses too. The gain is the difference between the two blocks. Coz instead subtracts the pauses from the
// block's time. That is wrong here: the GPU does not pause, so some pauses cost nothing.
func (e *estimator) curve(t *analyze.ExperimentTarget) (points []Point) {
	var delays []analyze.Nanos
	for i := range e.Blocks {
		if b := &e.Blocks[i]; b.Target == t.ID && b.Delay > 0 && !slices.Contains(delays, b.Delay) {
			delays = append(delays, b.Delay)
		}
	}
	slices.Sort(delays)
	unit := float64(e.baseline())
	for _, d := range delays {
		p := Point{Share: float64(d) / float64(max(1, t.Took)), PValue: 1}
		var list []pair
		for i := range e.Blocks {
			b := &e.Blocks[i]
			if b.Target != t.ID || b.Delay != d || b.Control || b.Length() == 0 {
				continue
			}
			for _, beside := range e.controls(i) {
				list = append(list, pair{block: i, x: unit, z: unit, weight: pairWeight(b, beside),
					y: e.unitTime(beside, float64(wall(beside))) - e.unitTime(b, float64(wall(b)))})
			}
		}
		s := newScore(list, e.scale)
		p.Blocks = s.blocks
		if saved, known := s.estimate(); known {
			p.Saved, p.PValue = &saved, s.pValue(0)
		}
		points = append(points, p)
	}
	return points
}

// controls returns the control blocks (time ranges in which all threads pause) next to block i that have the same
// target and delay.
func (e *estimator) controls(i int) (list []*analyze.ExperimentBlock) {
	for _, j := range []int{i - 1, i + 1} {
		if j < 0 || j >= len(e.Blocks) {
			continue
		}
		if b := &e.Blocks[j]; b.Control && b.Target == e.Blocks[i].Target && b.Delay == e.Blocks[i].Delay &&
			b.Length() > 0 {
			list = append(list, b)
		}
	}
	return list
}

// smallest returns the smallest p-value of a curve, multiplied by the number of points (Bonferroni): among several
// p-values, one may be small by chance.
func smallest(curve []Point) float64 {
	p := 1.0
	for _, point := range curve {
		p = min(p, point.PValue*float64(len(curve)))
	}
	return p
}

// sleeps reports whether delayed threads sleep. Delays that are too short for a sleep spin instead.
func (x *Estimate) sleeps() bool {
	return x.Target.Sleeps && x.each() >= analyze.Nanos(wire.ShortestSleep.Nanoseconds())
}

// each returns the mean delay of one occurrence of the target.
func (x *Estimate) each() analyze.Nanos {
	return x.Total / analyze.Nanos(max(1, x.Occurrences))
}
