package cause

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/kernels"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay"
)

// predict predicts the gain of removing each cause, and of removing two together, and decides on the verdict with
// these gains.
func (a *Analysis) predict() {
	r := a.replay
	a.ReplayError = r.Error
	a.prepare()
	removals := map[string]replay.Change{}
	for c := range analyze.Each(a.Verdict.Causes) {
		// the rule gave its own prediction; if the replay can predict the change too, use the lower of the two
		if c.Speedup != nil {
			if removal, unknown := a.removalOf(c); r.Why == "" && unknown == "" {
				if s, _ := r.Without(removal); s != nil {
					c.Speedup, removals[c.Cause] = lower(c.Speedup, s), removal
				}
			}
			continue
		}
		if c.Unpredicted = r.Why; r.Why != "" {
			continue
		}
		if c.row().tellsKernels {
			c.tellKernels(a.Gains())
		}
		removal, unknown := a.removalOf(c)
		if c.Unpredicted = unknown; unknown != "" {
			continue
		}
		if c.Speedup, c.Unpredicted = r.Without(removal); c.Speedup == nil {
			continue
		}
		if c.row().better && !c.Speedup.Proven() {
			c.Speedup, c.Unpredicted = nil, c.row().gainsNothing
			continue
		}
		if !c.Speedup.Proven() && policy.NearlyAll(c.Lost, a.Evidence.Submitters.Time) &&
			a.Evidence.Occupancy.Busy < policy.Majority.Value {
			// the cause takes nearly all of the time, so if the replay predicts next to no gain, the replay missed something
			c.Speedup, c.Unpredicted = nil, "the replay predicts no gain, "+
				"although threads do next to nothing else and the GPU is mostly idle"
			continue
		}
		c.tellDoubt()
		removals[c.Cause] = removal
	}
	a.Verdict.decide(a.Evidence)
	a.findRoot(r, removals)
	a.together(r, removals)
}

// removalOf returns the change that removes the cause, or the reason why that change is not replayed.
func (a *Analysis) removalOf(c *Finding) (removal replay.Change, unknown string) {
	removal, unknown = c.removal(a.replay)
	switch {
	case c.Speedup != nil && c.removalChange == nil:
		unknown = "its rule predicts the gain"
	case c.Speedup == nil && a.Evidence.Submitters.Share(c.Lost) < policy.NegligibleShare.Value:
		unknown = "it costs too little"
	}
	return removal, unknown
}

// prepare replays the removals of all causes concurrently. If there are two, it also replays the removal of both, which
// is compared with them.
func (a *Analysis) prepare() {
	if a.replay.Why != "" {
		return
	}
	var changes []replay.Change
	for c := range analyze.Each(a.Verdict.Causes) {
		if removal, unknown := a.removalOf(c); unknown == "" {
			changes = append(changes, removal)
		}
	}
	if len(changes) == 2 {
		changes = append(changes, changes[0].Both(changes[1]))
	}
	a.replay.Prepare(changes)
}

// tellDoubt adds to the evidence that the predicted gain is uncertain, if it is.
func (f *Finding) tellDoubt() {
	switch s := f.Speedup; {
	case !s.Proven():
		low, high := s.Interval()
		f.explain("it is not proven that removing this cause makes the run faster: "+
			"the predicted gain is within the error of the prediction (%.2fx to %.2fx)", low, high)
	case s.Low <= 1:
		f.explain("removing this cause helps only if the GPU has spare capacity for the work that would then be pending, " +
			"which the trace does not show")
	}
}

// lower returns the lower of two predictions for one change, with an interval that covers both. The two methods err
// in different ways: a prediction from arrival times does not see work hidden behind the slowest thread, and a replay
// with evenly distributed work ignores that random delays remain.
func lower(x, y *replay.Speedup) *replay.Speedup {
	return &replay.Speedup{Estimate: min(x.Estimate, y.Estimate), Low: min(x.Low, y.Low), High: max(x.High, y.High),
		LowWithCapacity: min(x.Least(), y.Least()), Spread: max(x.Spread, y.Spread)}
}

// together predicts the gain of removing two causes at once. If neither is worth naming alone, both together may be.
func (a *Analysis) together(r *replay.Replay, removals map[string]replay.Change) {
	v := &a.Verdict
	pair := v.jointFaults(a.Evidence, removals)
	joint := pair != nil
	for i := 0; !joint && i < len(v.Causes) && len(pair) < 2; i++ {
		if _, replayed := removals[v.Causes[i].Cause]; replayed {
			pair = append(pair, v.Causes[i].Cause)
		}
	}
	if len(pair) < 2 {
		return
	}
	s, _ := r.Without(removals[pair[0]].Both(removals[pair[1]]))
	if s == nil {
		return
	}
	v.Together = &Together{[2]string(pair), *s}
	if joint {
		v.chooseJointly(a.Evidence, v.Together)
	}
}

// KindCause is the Kind of a Gain that comes from removing a whole cause, not from shortening an item.
const KindCause = "cause"

// Gains returns the changes that would help most: shortening an item, or removing a cause. They are sorted by the
// gain if the item took half of its time. Gains of one item stay together, the largest factor first.
func (a *Analysis) Gains() []replay.Gain {
	if a.replay == nil {
		return nil
	}
	all, known := a.replay.Gains()
	if !known {
		return nil
	}
	all = slices.DeleteFunc(all, a.isPaced)
	half := map[string]float64{}
	for _, g := range all {
		if g.Factor <= 0.5 && half[g.Kind+":"+g.Name] == 0 {
			half[g.Kind+":"+g.Name] = g.Estimate
		}
	}
	for i := range a.Verdict.Causes {
		if c := &a.Verdict.Causes[i]; c.Speedup != nil && c.QValue <= policy.FalseDiscovery.Value {
			all = append(all, replay.Gain{Kind: KindCause, Name: c.Cause, Speedup: *c.Speedup})
			half[KindCause+":"+c.Cause] = c.Speedup.Estimate
		}
	}
	slices.SortStableFunc(all, func(x, y replay.Gain) int {
		return cmp.Compare(half[y.Kind+":"+y.Name],
			half[x.Kind+":"+x.Name])
	})
	return mergesBehindCauses(thatGain(all))
}

// mergesBehindCauses moves the gains of merging command buffers behind the gains of removing causes. Merging helps
// nearly every program a little, and should not hide the verdict.
func mergesBehindCauses(all []replay.Gain) []replay.Gain {
	var merges []replay.Gain
	rest := slices.DeleteFunc(all, func(g replay.Gain) bool {
		if g.Kind == replay.KindMerge {
			merges = append(merges, g)
		}
		return g.Kind == replay.KindMerge
	})
	slices.SortStableFunc(merges, func(x, y replay.Gain) int { return cmp.Compare(x.Name, y.Name) })
	at := 0
	for i := range rest {
		if rest[i].Kind == KindCause {
			at = i + 1
		}
	}
	return slices.Insert(rest, at, merges...)
}

// isPaced reports whether a gain cannot be known because threads wait for input: the sender decides when the input
// arrives, and a faster thread only waits longer.
func (a *Analysis) isPaced(g replay.Gain) bool {
	ev := a.Evidence
	return g.Kind != replay.KindLock && ev.Submitters.Share(ev.Starvation.Inputs.Paced) >= policy.LargeShare.Value
}

// thatGain removes items that are not shown to help: none of their gains is larger than the prediction's error.
func thatGain(all []replay.Gain) []replay.Gain {
	proven := map[string]bool{}
	for i := range all {
		if g := &all[i]; g.Proven() {
			proven[g.Kind+":"+g.Name] = true
		}
	}
	return slices.DeleteFunc(all, func(g replay.Gain) bool { return !proven[g.Kind+":"+g.Name] })
}

// Kinds returns the kinds of changes that users can ask a prediction for.
func Kinds() []string {
	return []string{replay.KindKernel, replay.KindCall, replay.KindLock, replay.KindThread, KindCause,
		replay.KindInFlight,
		replay.KindMerge}
}

// Predict returns the predicted gain of all wanted changes together, or the reason why nothing is predicted. `err`
// names a wanted item that is not in the trace.
func (a *Analysis) Predict(wanted []replay.Wanted) (g replay.Gain, why string, err error) {
	r := a.replay
	switch err = a.unmatched(wanted); {
	case err != nil:
		return g, "", err
	case r == nil:
		return g, "the trace has no waits to replay", nil
	case !r.Made():
		return g, r.Why, nil
	}
	if name := r.NotIdentified(wanted); name != "" {
		return g, fmt.Sprintf("the run does not show what kernel %s costs: "+
			"it always shares command buffers and encoders with the same others", name), nil
	}
	if name := r.Polling(wanted); name != "" {
		return g, fmt.Sprintf("kernel %s runs in command buffers that wait on the GPU for another queue, "+
			"or for which another queue's kernels wait (insight kernel-waits): "+
			"the replay does not model such waits", name), nil
	}
	var kinds []string
	for _, w := range wanted {
		kinds = append(kinds, w.Kind)
	}
	if !slices.Contains(kinds, KindCause) {
		r = r.OfThings(kinds...)
	}
	var c replay.Change
	for f := range analyze.Each(a.Verdict.Causes) {
		if !slices.ContainsFunc(wanted, func(w replay.Wanted) bool {
			return w.Kind == KindCause &&
				replay.Matches(w.Pattern, f.Cause)
		}) {
			continue
		}
		removal, unknown := f.removal(r)
		if unknown != "" {
			return g, unknown, nil
		}
		c = c.Both(removal)
	}
	r = r.Of(c)
	c = r.Changed(c, slices.DeleteFunc(slices.Clone(wanted), func(w replay.Wanted) bool { return w.Kind == KindCause }))
	g = replay.Together(wanted)
	s, why := r.Without(c)
	if s == nil {
		return g, why, nil
	}
	g.Speedup = *s
	return g, "", nil
}

// unmatched returns an error for the first wanted item that matches nothing in the trace, or nil. It works without a
// replay, because an unknown name is an error even if nothing can be predicted. The pattern * matches every kind,
// even if the trace has no item of it.
func (a *Analysis) unmatched(wanted []replay.Wanted) error {
	for _, w := range wanted {
		there := a.there(w.Kind)
		switch {
		case slices.ContainsFunc(there, func(name string) bool { return replay.Matches(w.Pattern, name) }),
			len(there) == 0 && replay.Matches(w.Pattern, ""):
		case w.Kind == replay.KindCall && a.waits(w.Pattern):
			return fmt.Errorf("call %q waits for other work, and takes less time only when that work does: "+
				"name a kernel, lock, thread or cause", w.Pattern)
		case len(there) == 0:
			return fmt.Errorf("no %s matches %q: the trace has no item of that kind", w.Kind, w.Pattern)
		default:
			return fmt.Errorf("no %s matches %q: there are %s", w.Kind, w.Pattern, strings.Join(there[:min(8,
				len(there))],
				", "))
		}
	}
	return nil
}

// waits reports whether the pattern matches calls that wait. Their duration depends on the awaited work, so a
// prediction cannot scale it.
func (a *Analysis) waits(pattern string) bool {
	return slices.ContainsFunc(a.Evidence.Trace.Calls, func(c *analyze.CallStat) bool {
		return c.Waits() &&
			replay.Matches(pattern, c.Selector)
	})
}

// there returns the names of all items of a kind that occur in the trace, each once.
func (a *Analysis) there(kind string) []string {
	var all evidence.Ordered[string, struct{}]
	switch kind {
	case replay.KindKernel:
		costs := kernels.CostsOf(a.Evidence.Trace)
		for b := range a.Evidence.Trace.Buffers() {
			for _, s := range kernels.Split(b, a.Evidence.Trace.TimeRange, costs) {
				if s.Kernel != kernels.Failed {
					all.Number(s.Name())
				}
			}
		}
	case replay.KindCall:
		for _, c := range a.Evidence.Trace.Calls {
			if !c.Waits() {
				all.Number(c.Selector)
			}
		}
	case replay.KindLock:
		for i := range a.Evidence.Trace.CPUWaits.Locks {
			all.Number(evidence.KeyOf(&a.Evidence.Trace.CPUWaits.Locks[i]).Label())
		}
	case replay.KindThread:
		for _, t := range a.Evidence.Trace.Threads {
			all.Number(evidence.ThreadName(t))
		}
	case replay.KindInFlight:
		return replay.Flights
	case replay.KindMerge:
		return replay.Merges
	case KindCause:
		for i := range a.Verdict.Causes {
			all.Number(a.Verdict.Causes[i].Cause)
		}
	default:
		panic(fmt.Sprintf("unknown kind: %q", kind))
	}
	return all.Keys
}
