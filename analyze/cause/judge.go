package cause

import (
	"cmp"
	"fmt"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/path"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay"
)

// A Range is a time range of the run that was analyzed in detail, as a sample of a longer range.
type Range struct {
	Analysis   *Analysis
	Begin, End analyze.Nanos // relative to the run's origin
	Scale      float64       // length of the longer range, divided by the length of this one
}

// String returns the range's begin and end in words.
func (w *Range) String() string { return fmt.Sprintf("from %v to %v", w.Begin, w.End) }

// A Judgement is the verdict on a whole run, decided from some of its ranges. It keeps no reference to the ranges'
// traces, so that their memory can be freed.
type Judgement struct {
	verdict     Verdict
	replayError float64
	waits       path.Waits
	ranges      *evidence.Ranges // nil if no thread took part in the GPU's work
	working     analyze.Nanos    // the threads' time in the run, estimated from the ranges
}

// Of returns the analysis of the whole run. `whole` has the totals that were added up over all of it.
func (j *Judgement) Of(whole *evidence.Totals) *Analysis {
	a := &Analysis{Totals: whole, Waits: j.waits, Verdict: j.verdict, ReplayError: j.replayError, estimated: j.working}
	if j.ranges != nil {
		a.Totals, a.Tests = j.ranges.Of(whole), j.ranges.Tests
	}
	return a
}

// Judge decides on the verdict of a run from the analyzed ranges: the verdict of the ranges with most thread time. A
// fault that is worth naming takes precedence over a limit. The cost of a cause is the sum over the ranges, each
// scaled to the longer range that it samples. The evidence comes from the range in which the verdict has its median
// share; `typical` is the index of that range.
func Judge(ranges []Range) (j *Judgement, typical int) {
	j = &Judgement{}
	won, sure, all := map[string]float64{}, map[string]float64{}, 0.0
	for w := range analyze.Each(ranges) {
		time := float64(w.Analysis.Evidence.Times.Working()) * w.Scale
		won[w.Analysis.Verdict.Cause] += time
		sure[w.Analysis.Verdict.Cause] += time * w.Analysis.Verdict.Confidence
		all += time
	}
	if all == 0 {
		j.verdict = ranges[0].Analysis.Verdict
		return j, 0
	}
	j.working = analyze.Nanos(all)
	v := &j.verdict
	for i := range ranges {
		if c := ranges[i].Analysis.Verdict.Cause; v.Cause == "" || won[c] > won[v.Cause] {
			v.Cause = c
		}
	}
	if f := firstFound(ranges, v.Cause); f == nil || f.Standing == Limit {
		v.Cause = cmp.Or(worthNaming(ranges, all), v.Cause)
	}
	of := verdictOf(ranges, v.Cause)
	slices.SortStableFunc(of, func(x, y int) int {
		return cmp.Compare(ranges[x].Analysis.Verdict.Share,
			ranges[y].Analysis.Verdict.Share)
	})
	typical = of[len(of)/2]
	best := &ranges[typical]
	v.Confidence = sure[v.Cause] / all
	v.Summary = best.Analysis.Verdict.Summary
	v.Share = best.Analysis.Verdict.Share
	v.Causes = findings(ranges, typical, analyze.Nanos(all))
	if i := slices.IndexFunc(v.Causes, func(f Finding) bool { return f.Cause == v.Cause }); i > 0 {
		v.Causes[0], v.Causes[i] = v.Causes[i], v.Causes[0]
	}
	v.sortCauses()
	if len(v.Causes) > 0 && v.Causes[0].Cause == v.Cause {
		v.closeIn(ranges)
		v.Share = v.Causes[0].Share(analyze.Nanos(all))
	}
	v.RuledOut = slices.DeleteFunc(slices.Clone(best.Analysis.Verdict.RuledOut), func(f Finding) bool {
		return slices.ContainsFunc(v.Causes, func(c Finding) bool { return c.Cause == f.Cause })
	})
	if t := best.Analysis.Verdict.Together; t != nil && len(v.Causes) > 1 && slices.Contains(t.Causes[:],
		v.Causes[0].Cause) &&
		slices.Contains(t.Causes[:], v.Causes[1].Cause) {
		v.Together = t
	}
	var found []evidence.RangeEvidence
	var waits []path.Range
	for i := range ranges {
		waits = append(waits, path.Range{Waits: ranges[i].Analysis.Waits, Scale: ranges[i].Scale})
		found = append(found, evidence.RangeEvidence{Evidence: ranges[i].Analysis.Evidence, Scale: ranges[i].Scale})
	}
	j.waits = path.Sum(waits)
	j.ranges, j.replayError = evidence.Combine(found, typical), best.Analysis.ReplayError
	return j, typical
}

// verdictOf returns the indexes of the ranges with the given verdict. If some of these have predictions, it returns
// only those.
func verdictOf(ranges []Range, cause string) (of []int) {
	predicted := slices.ContainsFunc(ranges, func(w Range) bool {
		return w.Analysis.Verdict.Cause == cause && w.Analysis.Predicted()
	})
	for i := range ranges {
		if w := ranges[i].Analysis; w.Verdict.Cause == cause && (w.Predicted() || !predicted) {
			of = append(of, i)
		}
	}
	return of
}

// Agree reports whether all ranges have the same verdict, and predictions within each other's intervals. If so,
// ranges between them with that verdict need no predictions of their own, which are slow.
func Agree(ranges []*Analysis) bool {
	first := ranges[0]
	for i, w := range ranges {
		if !w.Predicted() || w.Verdict.Cause != first.Verdict.Cause || len(w.Verdict.Causes) == 0 {
			return false
		}
		for _, o := range ranges[:i] {
			x, y := w.Verdict.Causes[0].Speedup, o.Verdict.Causes[0].Speedup
			if (x == nil) != (y == nil) || x != nil && !(within(x, y) && within(y, x)) {
				return false
			}
		}
	}
	return true
}

// closeIn adds to v.CloseCalls every cause that rivals the run's verdict in most ranges. Only ranges count in which
// the run's verdict is the verdict or a close call.
func (v *Verdict) closeIn(ranges []Range) {
	times, of := map[string]int{}, 0
	for i := range ranges {
		w := &ranges[i].Analysis.Verdict
		switch {
		case w.Cause == v.Cause:
			of++
			for _, c := range w.CloseCalls {
				times[c]++
			}
		case slices.Contains(w.CloseCalls, v.Cause):
			of++
			times[w.Cause]++
		}
	}
	for _, c := range v.Causes[1:] {
		if policy.MoreThan(policy.Majority, times[c.Cause], of) {
			v.CloseCalls = append(v.CloseCalls, c.Cause)
		}
	}
}

// firstFound returns a cause's finding from the first range that has one, or nil.
func firstFound(ranges []Range, cause string) *Finding {
	for i := range ranges {
		if f := ranges[i].Analysis.Verdict.finding(cause); f != nil {
			return f
		}
	}
	return nil
}

// worthNaming returns the most expensive fault that is the verdict of at least two ranges and costs a large enough
// share of `all`, or "". `all` is all threads' time, scaled to the run. The run's verdict is then this fault, even if
// most ranges name a limit.
func worthNaming(ranges []Range, all float64) (most string) {
	times, lost := map[string]int{}, map[string]float64{}
	for w := range analyze.Each(ranges) {
		for _, f := range w.Analysis.Verdict.Causes {
			if f.Standing != Fault {
				continue
			}
			lost[f.Cause] += float64(evidence.Scaled(f.Lost, w.Scale))
			if w.Analysis.Verdict.Cause == f.Cause {
				times[f.Cause]++
			}
		}
	}
	for cause, n := range times {
		if n >= 2 && lost[cause]/all >= policy.WorthNaming.Value && (most == "" || lost[cause] > lost[most]) {
			most = cause
		}
	}
	return most
}

// findings merges the findings of all ranges by cause. The sentences come from the typical range or, if that did not
// find the cause, from the next range that did.
func findings(ranges []Range, typical int, total analyze.Nanos) (all []Finding) {
	type found struct {
		Finding
		in    *Range
		times int
		low   []replay.Speedup
	}
	var by evidence.Ordered[string, found]
	for n := range ranges {
		w := &ranges[(typical+n)%len(ranges)]
		for _, f := range w.Analysis.Verdict.Causes {
			s := by.Of(f.Cause)
			if s.times++; s.in == nil {
				s.Finding, s.in = f, w
				s.Lost, s.Explains, s.Of = 0, 0, 0
			}
			if f.Of > 0 {
				s.Of += evidence.Scaled(f.Of-w.Analysis.Evidence.Times.Working(), w.Scale)
			}
			s.Lost += evidence.Scaled(f.Lost, w.Scale)
			s.Explains += evidence.Scaled(f.Explains, w.Scale)
			if f.Speedup != nil {
				s.low = append(s.low, *f.Speedup)
			}
		}
	}
	for _, s := range by.All {
		f := s.Finding
		if f.Of != 0 { // in other ranges, Lost may be a share of the working time, so add that
			f.Of += total
		}
		f.Evidence = append(slices.Clone(f.Evidence),
			fmt.Sprintf("found in %d of %d ranges; these figures come from the range %v", s.times, len(ranges), s.in))
		if f.Speedup = middle(s.low); f.Speedup != nil {
			f.Unpredicted = ""
		}
		all = append(all, f)
	}
	return all
}

// middle returns the median of the predictions, with an interval that covers all their intervals; nil if there are
// none.
func middle(all []replay.Speedup) *replay.Speedup {
	if len(all) == 0 {
		return nil
	}
	slices.SortFunc(all, func(x, y replay.Speedup) int { return cmp.Compare(x.Estimate, y.Estimate) })
	s := all[len(all)/2]
	for _, o := range all {
		s.Low, s.High, s.LowWithCapacity = min(s.Low, o.Low), max(s.High, o.High), min(s.LowWithCapacity, o.LowWithCapacity)
	}
	return &s
}
