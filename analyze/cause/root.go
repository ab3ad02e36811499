package cause

import (
	"slices"

	"mtrace/analyze/policy"
	"mtrace/analyze/replay"
)

// replays runs the program with a change.
type replays interface {
	Without(replay.Change) (*replay.Speedup, string)
}

// findRoot makes the cause the verdict that the largest hangs on: threads take turns at their interpreter's lock because they wait for everybody. A
// fault is a consequence of another if most of what its removal brings is gone without the other, and not the other way round; the replay without
// both says what is left. Removals are the changes that were replayed, by cause.
func (a *Analysis) findRoot(r replays, removals map[string]replay.Change) {
	v := &a.Verdict
	if len(v.Causes) < 2 || v.Cause != v.Causes[0].Cause || v.Causes[0].rank(a.Evidence) != 0 || v.Causes[0].Speedup == nil {
		return
	}
	top := &v.Causes[0]
	without, replayed := removals[top.Cause]
	for i := 1; i < len(v.Causes) && replayed; i++ {
		c := &v.Causes[i]
		change, known := removals[c.Cause]
		if !known || c.Speedup == nil || c.Standing != Fault || c.rank(a.Evidence) != 0 {
			continue
		}
		both, _ := r.Without(without.Both(change))
		if both == nil || !hangs(top.Speedup, c.Speedup, both) || hangs(c.Speedup, top.Speedup, both) {
			continue
		}
		top.say("it hangs on %s: without that it would cost next to nothing (the run would be %.2f times as fast without that, %.2f without both)", c.Cause,
			c.Speedup.Estimate, both.Estimate)
		root := *c
		v.Causes = slices.Insert(slices.Delete(v.Causes, i, i+1), 0, root)
		v.choose(a.Evidence)
		return
	}
}

// hangs says whether most of the time that one cause costs is gone without another: of is how fast the run is without the first, other without the
// other, both without both.
func hangs(of, other, both *replay.Speedup) bool {
	costs, left := 1-1/of.Estimate, 1/other.Estimate-1/both.Estimate
	return costs >= policy.Alike.Value && !policy.MoreThan(policy.Most, left, costs)
}
