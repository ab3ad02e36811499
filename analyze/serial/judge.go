package serial

import (
	"cmp"
	"fmt"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A Window is a part of a run that was looked at for causes, in place of a longer one around it.
type Window struct {
	*Analysis
	Begin, End analyze.Nanos // after the run's origin
	Scale      float64       // how much longer what it stands for is
}

// scaled is a time of the window, for all that it stands for.
func (w *Window) scaled(n analyze.Nanos) analyze.Nanos { return analyze.Nanos(float64(n) * w.Scale) }

// String says which window it is.
func (w *Window) String() string { return fmt.Sprintf("from %v to %v", w.Begin, w.End) }

// Judge gives the verdict on a run from the windows that were looked at. It is that of most of the threads' time; what a cause costs is summed
// over all windows, each for what it stands for. Evidence is that of one window, which it names: the one that is returned for the verdict, by its
// index, because in it the cause has the middle share of all that found it.
func (a *Analysis) Judge(windows []Window) (typical int) {
	won, sure, all := map[string]float64{}, map[string]float64{}, 0.0
	for i := range windows {
		w := &windows[i]
		time := float64(w.ThreadTimeTotal()) * w.Scale
		won[w.Verdict.Cause] += time
		sure[w.Verdict.Cause] += time * w.Verdict.Confidence
		all += time
	}
	if all == 0 {
		a.Verdict = windows[0].Verdict
		return 0
	}
	v := &a.Verdict
	for i := range windows {
		if c := windows[i].Verdict.Cause; v.Cause == "" || won[c] > won[v.Cause] {
			v.Cause = c
		}
	}
	of := slices.DeleteFunc(indexes(windows), func(i int) bool { return windows[i].Verdict.Cause != v.Cause })
	slices.SortStableFunc(of, func(x, y int) int { return cmp.Compare(windows[x].Verdict.Share, windows[y].Verdict.Share) })
	typical = of[len(of)/2]
	best := &windows[typical]
	v.Confidence = sure[v.Cause] / all
	v.Summary = best.Verdict.Summary
	v.Share = best.Verdict.Share
	v.Causes = findings(windows, typical)
	slices.SortStableFunc(v.Causes, func(x, y Finding) int {
		if first := y.Cause == v.Cause; first != (x.Cause == v.Cause) {
			return map[bool]int{true: 1, false: -1}[first]
		}
		return compare(y.weight(), x.weight())
	})
	if len(v.Causes) > 0 && v.Causes[0].Cause == v.Cause {
		v.Share = min(1, float64(v.Causes[0].Lost)/all)
	}
	v.RuledOut = slices.DeleteFunc(slices.Clone(best.Verdict.RuledOut), func(f Finding) bool {
		return slices.ContainsFunc(v.Causes, func(c Finding) bool { return c.Cause == f.Cause })
	})
	if t := best.Verdict.Together; t != nil && len(v.Causes) > 1 && slices.Contains(t.Causes[:], v.Causes[0].Cause) && slices.Contains(t.Causes[:], v.Causes[1].Cause) {
		v.Together = t
	}
	a.Exclusion, a.Interference, a.ReplayError = best.Exclusion, best.Interference, best.ReplayError
	a.Path, a.Chains = paths(windows), chainsOf(windows)
	a.backlogs(windows)
	return typical
}

func indexes(windows []Window) (all []int) {
	for i := range windows {
		all = append(all, i)
	}
	return all
}

// findings puts together what the windows found of each cause that one of them found. The words are those of the typical window, or, where
// it did not find the cause, of the one in which it costs most.
func findings(windows []Window, typical int) (all []Finding) {
	type found struct {
		Finding
		in    *Window
		times int
		low   []Speedup
	}
	by := map[string]*found{}
	var order []*found
	for n := range windows {
		w := &windows[(typical+n)%len(windows)]
		for _, f := range w.Verdict.Causes {
			lost, explains := w.scaled(f.Lost), w.scaled(f.explains)
			s := by[f.Cause]
			if s == nil {
				s = &found{Finding: f, in: w}
				s.Lost, s.explains = 0, 0
				by[f.Cause] = s
				order = append(order, s)
			}
			s.times++
			s.Lost += lost
			s.explains += explains
			if f.Speedup != nil {
				s.low = append(s.low, *f.Speedup)
			}
		}
	}
	for _, s := range order {
		f := s.Finding
		f.Evidence = append(slices.Clone(f.Evidence), fmt.Sprintf("found in %d of %d windows; these figures are of the one %v", s.times, len(windows), s.in))
		f.Speedup = middle(s.low)
		if f.Speedup != nil {
			f.Unpredicted = ""
		}
		all = append(all, f)
	}
	return all
}

// middle is the middle prediction, with an interval that holds all of them; nil when there is none.
func middle(all []Speedup) *Speedup {
	if len(all) == 0 {
		return nil
	}
	slices.SortFunc(all, func(x, y Speedup) int { return cmp.Compare(x.Estimate, y.Estimate) })
	s := all[len(all)/2]
	for _, o := range all {
		s.Low, s.High = min(s.Low, o.Low), max(s.High, o.High)
	}
	return &s
}

// paths adds up the critical paths of the windows.
func paths(windows []Window) (sum Path) {
	type key struct {
		what   string
		thread uint64
	}
	at := map[key]int{}
	for i := range windows {
		w := &windows[i]
		sum.Length += w.scaled(w.Path.Length)
		sum.Steps += w.Path.Steps
		for _, p := range w.Path.Parts {
			k := key{p.What, id(p.Thread)}
			n, known := at[k]
			if !known {
				n = len(sum.Parts)
				at[k] = n
				sum.Parts = append(sum.Parts, PathPart{What: p.What, Thread: p.Thread})
			}
			sum.Parts[n].Time += w.scaled(p.Time)
		}
	}
	slices.SortStableFunc(sum.Parts, func(x, y PathPart) int { return compare(y.Time, x.Time) })
	return sum
}

// chainsOf adds up the chains of waits of the windows.
func chainsOf(windows []Window) (all []Chain) {
	for i := range windows {
		w := &windows[i]
		for _, c := range w.Chains {
			same := func(o Chain) bool {
				return o.Root == c.Root && slices.EqualFunc(o.Threads, c.Threads, func(x, y *analyze.Thread) bool { return x.ID == y.ID })
			}
			n := slices.IndexFunc(all, same)
			if n < 0 {
				n = len(all)
				all = append(all, Chain{Threads: c.Threads, Root: c.Root})
			}
			all[n].Time += w.scaled(c.Time)
			all[n].Waits += int(float64(c.Waits) * w.Scale)
		}
	}
	slices.SortStableFunc(all, func(x, y Chain) int { return compare(y.Time, x.Time) })
	return all[:min(len(all), policy.MostChains)]
}

// backlogs gives the devices the share of their time in which something was ready for them, as it is in the windows.
func (a *Analysis) backlogs(windows []Window) {
	for i := range a.GPU.Devices {
		d := &a.GPU.Devices[i]
		var active, backlog analyze.Nanos
		for k := range windows {
			for _, o := range windows[k].GPU.Devices {
				if (o.Device == nil) == (d.Device == nil) && (o.Device == nil || *o.Device == *d.Device) {
					active += windows[k].scaled(o.Active.Length())
					backlog += windows[k].scaled(o.Backlog)
				}
			}
		}
		d.Backlog = analyze.Nanos(share(backlog, active) * float64(d.Active.Length()))
	}
}
