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

// A Window is a range that was analyzed for causes and that stands for a longer range of the run.
type Window struct {
	Analysis   *Analysis
	Begin, End analyze.Nanos // relative to the run's origin
	Scale      float64       // ratio of the length of the longer range to that of this one
}

// String tells the window's time range.
func (w *Window) String() string { return fmt.Sprintf("from %v to %v", w.Begin, w.End) }

// A Judgement is the verdict on a run, with the other results of its windows. It does not refer to their traces.
type Judgement struct {
	verdict     Verdict
	replayError float64
	waits       path.Waits
	parts       *evidence.Parts // nil if no thread took part in the GPU's work
}

// Of returns the analysis of the whole run, given the totals that add up over it.
func (j *Judgement) Of(whole *evidence.Totals) *Analysis {
	a := &Analysis{Totals: whole, Waits: j.waits, Verdict: j.verdict, ReplayError: j.replayError}
	if j.parts != nil {
		a.Totals, a.Tests = j.parts.Of(whole), j.parts.Tests
	}
	return a
}

// Judge decides on the verdict of a run from the ranges that were analyzed. It is the verdict with the most thread
// time, but a fault worth naming takes precedence over a limit or no cause. A cause's cost is summed over all ranges,
// scaled to the time that each represents. Evidence comes from one range, which Judge returns by index: the one in
// which the cause has its median share.
func Judge(windows []Window) (j *Judgement, typical int) {
	j = &Judgement{}
	won, sure, all := map[string]float64{}, map[string]float64{}, 0.0
	for w := range analyze.Each(windows) {
		time := float64(w.Analysis.Evidence.Times.Working()) * w.Scale
		won[w.Analysis.Verdict.Cause] += time
		sure[w.Analysis.Verdict.Cause] += time * w.Analysis.Verdict.Confidence
		all += time
	}
	if all == 0 {
		j.verdict = windows[0].Analysis.Verdict
		return j, 0
	}
	v := &j.verdict
	for i := range windows {
		if c := windows[i].Analysis.Verdict.Cause; v.Cause == "" || won[c] > won[v.Cause] {
			v.Cause = c
		}
	}
	if f := firstFound(windows, v.Cause); f == nil || f.Standing == Limit {
		v.Cause = cmp.Or(worthNaming(windows, all), v.Cause)
	}
	of := verdictOf(windows, v.Cause)
	slices.SortStableFunc(of, func(x, y int) int {
		return cmp.Compare(windows[x].Analysis.Verdict.Share,
			windows[y].Analysis.Verdict.Share)
	})
	typical = of[len(of)/2]
	best := &windows[typical]
	v.Confidence = sure[v.Cause] / all
	v.Summary = best.Analysis.Verdict.Summary
	v.Share = best.Analysis.Verdict.Share
	v.Causes = findings(windows, typical, analyze.Nanos(all))
	if i := slices.IndexFunc(v.Causes, func(f Finding) bool { return f.Cause == v.Cause }); i > 0 {
		v.Causes[0], v.Causes[i] = v.Causes[i], v.Causes[0]
	}
	v.inOrder()
	if len(v.Causes) > 0 && v.Causes[0].Cause == v.Cause {
		v.closeIn(windows)
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
	var parts []evidence.Part
	var waits []path.Window
	for i := range windows {
		waits = append(waits, path.Window{Waits: windows[i].Analysis.Waits, Scale: windows[i].Scale})
		parts = append(parts, evidence.Part{Evidence: windows[i].Analysis.Evidence, Scale: windows[i].Scale})
	}
	j.waits = path.Sum(waits)
	j.parts, j.replayError = evidence.TakeTogether(parts, typical), best.Analysis.ReplayError
	return j, typical
}

// verdictOf returns the windows whose verdict is a cause: those with predictions, or all if none has any.
func verdictOf(windows []Window, cause string) (of []int) {
	predicted := slices.ContainsFunc(windows, func(w Window) bool {
		return w.Analysis.Verdict.Cause == cause && w.Analysis.Predicted()
	})
	for i := range windows {
		if w := windows[i].Analysis; w.Verdict.Cause == cause && (w.Predicted() || !predicted) {
			of = append(of, i)
		}
	}
	return of
}

// Agree reports whether windows have the same verdict, with predictions within each other's intervals. Then windows
// between them with that verdict need no predictions of their own.
func Agree(windows []*Analysis) bool {
	first := windows[0]
	for i, w := range windows {
		if !w.Predicted() || w.Verdict.Cause != first.Verdict.Cause || len(w.Verdict.Causes) == 0 {
			return false
		}
		for _, o := range windows[:i] {
			x, y := w.Verdict.Causes[0].Speedup, o.Verdict.Causes[0].Speedup
			if (x == nil) != (y == nil) || x != nil && !(within(x, y) && within(y, x)) {
				return false
			}
		}
	}
	return true
}

// closeIn adds the faults that are a close call in most of the ranges with the run's verdict, or whose close call is
// the run's verdict.
func (v *Verdict) closeIn(windows []Window) {
	times, of := map[string]int{}, 0
	for i := range windows {
		w := &windows[i].Analysis.Verdict
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
		if policy.MoreThan(policy.Most, times[c.Cause], of) {
			v.CloseCalls = append(v.CloseCalls, c.Cause)
		}
	}
}

// firstFound returns the finding of a cause in the first window that found it; nil if none did.
func firstFound(windows []Window, cause string) *Finding {
	for i := range windows {
		if f := windows[i].Analysis.Verdict.finding(cause); f != nil {
			return f
		}
	}
	return nil
}

// worthNaming returns the most expensive fault that is the verdict of at least two windows and that is worth naming
// relative to the time of all threads. Faults take precedence over limits, as in a single trace. It is "" if there is
// none.
func worthNaming(windows []Window, all float64) (most string) {
	times, lost := map[string]int{}, map[string]float64{}
	for w := range analyze.Each(windows) {
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

// findings merges the findings of all ranges by cause. Summary and evidence come from the typical range or, if it did
// not find the cause, from the range in which it costs most.
func findings(windows []Window, typical int, total analyze.Nanos) (all []Finding) {
	type found struct {
		Finding
		in    *Window
		times int
		low   []replay.Speedup
	}
	var by evidence.Ordered[string, found]
	for n := range windows {
		w := &windows[(typical+n)%len(windows)]
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
		if f.Of != 0 { // in the other windows, Lost is a share of the working time
			f.Of += total
		}
		f.Evidence = append(slices.Clone(f.Evidence),
			fmt.Sprintf("found in %d of %d ranges; these figures come from the range %v", s.times, len(windows), s.in))
		if f.Speedup = middle(s.low); f.Speedup != nil {
			f.Unpredicted = ""
		}
		all = append(all, f)
	}
	return all
}

// middle returns the median prediction, with an interval that covers all of them; nil if there is none.
func middle(all []replay.Speedup) *replay.Speedup {
	if len(all) == 0 {
		return nil
	}
	slices.SortFunc(all, func(x, y replay.Speedup) int { return cmp.Compare(x.Estimate, y.Estimate) })
	s := all[len(all)/2]
	for _, o := range all {
		s.Low, s.High, s.LowWithRoom = min(s.Low, o.Low), max(s.High, o.High), min(s.LowWithRoom, o.LowWithRoom)
	}
	return &s
}
