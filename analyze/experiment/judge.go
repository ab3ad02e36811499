package experiment

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"mtrace/analyze"
	"mtrace/analyze/policy"
	"mtrace/analyze/statistics"
	"mtrace/collector/wire"
)

// judge decides from the interval and the q-value whether delays of the target cost time, and sets its status.
func (x *Estimate) judge() {
	x.Status = Undecided
	significant := x.QValue <= policy.FalseDiscovery.Value
	if x.Target.Mode == wire.ExperimentSpeedup {
		x.judgeCurve(significant)
		return
	}
	s := x.Sensitivity
	switch {
	case s == nil:
	case s.High < policy.SlackSensitivity && s.Low > -policy.SlackSensitivity:
		x.Status = Slack
	case significant && s.Low > 0:
		x.Status = Affects
	case significant && s.High < 0:
		x.Status = Opposite
	}
}

// judgeCurve sets the status of a target that is virtually sped up (all other threads pause meanwhile). It uses the
// point with the largest tried speed-up.
func (x *Estimate) judgeCurve(significant bool) {
	if len(x.Curve) == 0 || x.Curve[len(x.Curve)-1].Saved == nil {
		return
	}
	largest := x.Curve[len(x.Curve)-1].Saved
	switch {
	case significant && largest.Low > 0:
		x.Status = Affects
	case significant && largest.High < 0:
		x.Status = Opposite
	case largest.High < policy.NegligibleShare.Value:
		x.Status = Slack
	}
}

// longer returns how much longer the experiment must run to decide about a target. The experiment can decide when the
// confidence interval is so short that it excludes either 0 or the least sensitivity that matters. longer assumes that
// the estimate stays the same. If there is no interval yet, it assumes that treated blocks are as noisy as blocks
// without delays.
func (e *estimator) longer(x *Estimate) analyze.Nanos {
	ran := e.ran()
	if ran == 0 {
		return 0
	}
	fewest := policy.FewestTreatedBlocks
	if x.Target.Mode == wire.ExperimentSpeedup || x.Sensitivity == nil ||
		math.IsInf(x.Sensitivity.High-x.Sensitivity.Low, 0) {
		blocks := max(fewest, e.blocksNeeded(x))
		return moreTime(ran, float64(blocks+1)/max(0.5, float64(x.Blocks)))
	}
	s := x.Sensitivity
	half := (s.High - s.Low) / 2
	// gap is the larger of two distances: of the estimate from 0, and from the least sensitivity that matters. An
	// estimate from few blocks is often too large by chance, so gap is at most 1.
	gap := min(1, max(math.Abs(s.Estimate), policy.SlackSensitivity-s.Estimate))
	normal := distuv.UnitNormal
	// The interval extends 1.96 standard errors to each side of the estimate. It must be shorter than the gap by the
	// factor `wanted`, so that further blocks decide with probability DecidingPower.
	wanted := 1 + normal.Quantile(policy.DecidingPower)/normal.Quantile(0.975)
	return moreTime(ran, max(1.1, math.Pow(half*wanted/gap, 2)))
}

// moreTime returns how much longer the experiment must run, in whole seconds, until it has run for a multiple
// (`times`) of its time so far.
func moreTime(ran analyze.Nanos, times float64) analyze.Nanos {
	const second = 1e9
	return analyze.Nanos(math.Ceil(min(float64(ran)*max(0, times-1), 1e6*second)/second) * second)
}

// blocksNeeded returns how many treated blocks (time ranges with delays) the confidence interval needs to become as
// short as the least sensitivity that matters; 0 if unknown.
func (e *estimator) blocksNeeded(x *Estimate) int {
	var delays, lengths []float64
	for i := range e.Blocks {
		if b := &e.Blocks[i]; b.Target == x.Target.ID && b.Length() > 0 && b.Injected > 0 {
			delays = append(delays, injected(b)/units(b))
			lengths = append(lengths, pairWeight(b, b))
		}
	}
	if len(delays) == 0 || e.scale == 0 || x.Target.Mode == wire.ExperimentSpeedup {
		return 0
	}
	// `of` is the standard error of the sensitivity if it is measured with a single block
	of := e.scale / statistics.Median(lengths) / statistics.Median(delays)
	wanted := distuv.UnitNormal.Quantile(0.975) + distuv.UnitNormal.Quantile(policy.DecidingPower)
	return int(min(1e6, math.Pow(of*wanted/policy.SlackSensitivity, 2)))
}

// measureBaseline computes the time of a unit without delays, and by how much all delays slowed the run down.
func (r *Result) measureBaseline(e *estimator) {
	var done, time, allDone, allTime float64
	for i := range e.Blocks {
		b := &e.Blocks[i]
		if b.Length() == 0 {
			continue
		}
		allDone, allTime = allDone+float64(b.Units), allTime+float64(b.Length())
		if b.Target == 0 {
			done, time = done+float64(b.Units), time+float64(b.Length())
		}
	}
	r.Baseline = e.baseline()
	if done > 0 && allDone > 0 {
		r.Slowed = max(0, allTime/allDone/(time/done)-1)
	}
}

// baseline returns the median time of a unit of progress in blocks without delays; 0 if there are none.
func (e *estimator) baseline() analyze.Nanos {
	var times []float64
	for i := range e.Blocks {
		if b := &e.Blocks[i]; b.Target == 0 && b.Length() > 0 {
			times = append(times, e.unitTime(b, float64(wall(b))))
		}
	}
	if len(times) == 0 {
		return 0
	}
	return analyze.Nanos(statistics.Median(times))
}

// warn adds warnings if blocks have too little progress, delays took longer than requested, or the budget was
// exceeded.
func (r *Result) warn() {
	e := r.Experiment
	empty, few, usable := 0, 0, 0
	for i := range e.Blocks {
		b := &e.Blocks[i]
		if b.Length() == 0 {
			continue
		}
		usable++
		if b.Units == 0 {
			empty++
		}
		if b.Units < policy.UnitsOfBlock {
			few++
		}
	}
	switch {
	case usable == 0:
		r.Warnings = append(r.Warnings,
			"the experiment has no blocks (time ranges with and without delays): the program ended too soon")
	case policy.MoreThan(policy.WorthNaming, empty, usable):
		r.Warnings = append(r.Warnings, fmt.Sprintf("%d of %d blocks have no unit of progress (%s): "+
			"either blocks are too short, or another event should count progress", empty, usable, e.Progress))
	case policy.MoreThan(policy.Majority, few, usable):
		r.Warnings = append(r.Warnings, fmt.Sprintf(
			"%d of %d blocks have fewer than %d units of progress, so whole units measure progress inexactly",
			few, usable, policy.UnitsOfBlock))
	}
	for i := range r.Estimates {
		if x := &r.Estimates[i]; !x.sleeps() && float64(x.Total) > policy.PreemptedDelays*float64(x.asked) {
			r.Warnings = append(r.Warnings, fmt.Sprintf("delays of %s spin, and took %s longer than requested: "+
				"the machine lacks processors, so a delay costs more than its length (--delay sleep avoids that)",
				analyze.Printable(targetName(&x.Target)), analyze.FormatShare(float64(x.Total)/float64(x.asked)-1)))
		}
	}
	if e.Budget > 0 && r.Slowed > 2*e.Budget {
		r.Warnings = append(r.Warnings, fmt.Sprintf("delays slowed the program down by %s, more than the budget of %s",
			analyze.FormatShare(r.Slowed), analyze.FormatShare(e.Budget)))
	}
}
