package cause

import (
	"fmt"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay"
)

// jointFaults returns the two largest faults that could be replayed, if the verdict is None. Each costs enough to be
// named, but removing one alone does not make the run faster, perhaps because the other then takes its place.
func (v *Verdict) jointFaults(ev *evidence.Evidence, removals map[string]replay.Change) (pair []string) {
	if v.Cause != None || v.tooLittle(ev) != "" {
		return nil
	}
	for f := range analyze.Each(v.Causes) {
		_, replayed := removals[f.Cause]
		if replayed && f.Standing == Fault && f.QValue <= policy.FalseDiscovery.Value &&
			ev.Submitters.Share(f.Lost) >= policy.WorthNaming.Value {
			pair = append(pair, f.Cause)
		}
	}
	if len(pair) < 2 {
		return nil
	}
	return pair[:2]
}

// chooseJointly makes the first of two faults the verdict and the second a close call, if removing both makes the run
// faster. For example, threads that no longer wait for each other's work may wait for the GIL instead.
func (v *Verdict) chooseJointly(ev *evidence.Evidence, t *Together) {
	if !t.Proven() {
		return
	}
	first := slices.IndexFunc(v.Causes, func(f Finding) bool { return f.Cause == t.Causes[0] })
	v.promote(ev, first)
	v.CloseCalls = []string{t.Causes[1]}
	v.Summary += fmt.Sprintf(" Removing it alone is not shown to help; without %s as well, the run would be %s.",
		t.Causes[1], t.InWords())
}
