package cause

import (
	"slices"

	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay"
)

// replays is what findRoot needs of a replay: the gain of a change, and what a change does to waits.
type replays interface {
	Without(replay.Change) (*replay.Speedup, string)
	// WaitsLeft returns which share of the threads' waits for each other remains after a change; known is false if
	// the replay cannot tell.
	WaitsLeft(replay.Change) (share float64, known bool)
}

// findRoot looks for a cause that leads to the verdict's cause, and makes it the verdict instead. For example,
// threads alternate at the GIL because they wait for all threads' work. Cause A is a consequence of B if removing B
// also removes most of A's cost, but not the other way round; the replay of a run without both shows that. Waits of
// threads for each other may also follow from a delay of the awaited thread (waitsFor). `removals` has the replayed
// changes by cause.
func (a *Analysis) findRoot(r replays, removals map[string]replay.Change) {
	v := &a.Verdict
	if len(v.Causes) < 2 || v.Cause != v.Causes[0].Cause || v.Causes[0].rank(a.Evidence) != 0 ||
		v.Causes[0].Speedup == nil {
		return
	}
	if i := v.workOnProcessors(a.Evidence, removals); i > 0 {
		v.Causes[0].explain("%s uses the processors that the threads wait for: removing it gains as much (%.2fx)",
			v.Causes[i].Cause, v.Causes[i].Speedup.Estimate)
		v.promote(a.Evidence, i)
	}
	top := &v.Causes[0]
	without, replayed := removals[top.Cause]
	for i := 1; i < len(v.Causes); i++ {
		c := &v.Causes[i]
		change, known := removals[c.Cause]
		if !known || c.Speedup == nil || c.Standing != Fault || c.rank(a.Evidence) != 0 {
			continue
		}
		if left, most := waitsFor(top, c, change, r); most {
			top.explain("threads wait for work that %s delays: "+
				"without that cause, %s of their waits for each other would remain", c.Cause,
				percent(left))
			v.promote(a.Evidence, i)
			return
		}
		if !replayed {
			continue
		}
		both, _ := r.Without(without.Both(change))
		if both == nil || !hangs(top.Speedup, c.Speedup, both) {
			continue
		}
		// each cause is a consequence of the other. Keep the verdict, with one exception: threads always need the GIL, so a
		// more expensive cause replaces interpreter-lock
		mutual := hangs(c.Speedup, top.Speedup, both)
		if mutual && (top.Cause != InterpreterLock || c.Weight() <= top.Weight()) {
			continue
		}
		top.explain("this cause is a consequence of %s, without which it would cost next to nothing (removing that: "+
			"%.2fx faster, removing both: %.2fx)", c.Cause,
			c.Speedup.Estimate, both.Estimate)
		v.promote(a.Evidence, i)
		return
	}
}

// workOnProcessors applies if the verdict is a lack of processors. It returns the index of a fault that keeps
// processors busy, such as allocation, and whose removal gains as much as more processors would. If there are
// several, it chooses the one with the largest gain. It returns 0 if there is none.
func (v *Verdict) workOnProcessors(ev *evidence.Evidence, removals map[string]replay.Change) (most int) {
	top := &v.Causes[0]
	if !top.row().better || top.Standing != Fault {
		return 0
	}
	for i := 1; i < len(v.Causes); i++ {
		f := &v.Causes[i]
		if f.Standing == Fault && f.rank(ev) == 0 && removals[f.Cause].ShortensWork() && f.Speedup != nil &&
			f.Speedup.Estimate >= top.Speedup.Least() &&
			(most == 0 || f.Speedup.Estimate > v.Causes[most].Speedup.Estimate) {
			most = i
		}
	}
	return most
}

// promote makes the cause at index i the verdict and moves it to the front of the list.
func (v *Verdict) promote(ev *evidence.Evidence, i int) {
	root := v.Causes[i]
	v.Causes = slices.Insert(slices.Delete(v.Causes, i, i+1), 0, root)
	v.choose(ev)
}

// waitsFor reports whether waits of threads for each other (top: imbalance, a lock, starvation) are a consequence of
// c, which makes threads work longer. If so, removing c removes most of these waits and gains at least as much as
// removing the waits themselves. `left` is the share of the waits that remains.
func waitsFor(top, c *Finding, change replay.Change, r replays) (left float64, most bool) {
	isWait := top.Cause == Imbalance || top.Cause == LockContention || top.Cause == Starvation
	if !isWait || !change.ShortensWork() ||
		c.Speedup.Least() < top.Speedup.Least() {
		return 0, false
	}
	left, known := r.WaitsLeft(change)
	return left, known && left <= 1-policy.Majority.Value
}

// hangs reports whether removing cause B removes most of cause A. The arguments are predicted speedups: `of` without
// A, `other` without B, and `both` without A and B.
func hangs(of, other, both *replay.Speedup) bool {
	costs, left := 1-1/of.Estimate, 1/other.Estimate-1/both.Estimate
	return costs >= policy.RunToRunVariation.Value && !policy.MoreThan(policy.Majority, left, costs)
}
