package cause

import (
	"slices"

	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay"
)

// replays runs the program with a change.
type replays interface {
	Without(replay.Change) (*replay.Speedup, string)
	// WaitsLeft is which share of the time for which threads wait for each other is left with a change, if that is
	// known.
	WaitsLeft(replay.Change) (share float64, known bool)
}

// findRoot makes the root cause of the largest cause the verdict, if it has one: threads alternate at their
// interpreter's lock because they wait for all threads' work. A fault is a consequence of another if most of what
// its removal brings is gone without the other, and not the other way round. The replay without both shows what is
// left. Waits of threads for each other are also a consequence of what delays the thread that they wait for: see
// waitsFor. Removals are the changes that were replayed, by cause.
func (a *Analysis) findRoot(r replays, removals map[string]replay.Change) {
	v := &a.Verdict
	if len(v.Causes) < 2 || v.Cause != v.Causes[0].Cause || v.Causes[0].rank(a.Evidence) != 0 ||
		v.Causes[0].Speedup == nil {
		return
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
			top.say("threads wait for work that %s delays: without it, %s of their waits for each other would remain", c.Cause,
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
		// each is a consequence of the other: threads need the GIL anyway, so the fault that costs more comes first
		mutual := hangs(c.Speedup, top.Speedup, both)
		if mutual && (top.Cause != InterpreterLock || c.Weight() <= top.Weight()) {
			continue
		}
		top.say("it is a consequence of %s, without which it would cost next to nothing (removing that: %.2fx faster, "+
			"removing both: %.2fx)", c.Cause,
			c.Speedup.Estimate, both.Estimate)
		v.promote(a.Evidence, i)
		return
	}
}

// promote makes the cause at an index the verdict.
func (v *Verdict) promote(ev *evidence.Evidence, i int) {
	root := v.Causes[i]
	v.Causes = slices.Insert(slices.Delete(v.Causes, i, i+1), 0, root)
	v.choose(ev)
}

// waitsFor says whether waits of threads for each other, for a lock, an item or at a barrier, are a consequence of a cause
// that shortens what threads do: most of them go without it, and the run gains at least as much as without the
// waits. Left is the share that stays.
func waitsFor(top, c *Finding, change replay.Change, r replays) (left float64, most bool) {
	isWait := top.Cause == Imbalance || top.Cause == LockContention || top.Cause == Starvation
	if !isWait || !change.ShortensWork() ||
		c.Speedup.Least() < top.Speedup.Least() {
		return 0, false
	}
	left, known := r.WaitsLeft(change)
	return left, known && left <= 1-policy.Most.Value
}

// hangs says whether most of the time that one cause costs is gone without another: of is how fast the run is
// without the first, other without the other, both without both.
func hangs(of, other, both *replay.Speedup) bool {
	costs, left := 1-1/of.Estimate, 1/other.Estimate-1/both.Estimate
	return costs >= policy.RunToRunVariation.Value && !policy.MoreThan(policy.Most, left, costs)
}
