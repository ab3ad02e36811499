package replay

import (
	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// findWaking finds which part of what it takes to hand work over goes into waking who takes it: the system calls on both sides, the
// interrupt to a processor that sleeps. A commit that finds the framework's thread at work only puts the command buffer into its list,
// and is quick; the others wake it. The quickest tenth are taken to be such, and the framework's own wake-ups to cost like the program's.
func (p *program) findWaking() float64 {
	var all []analyze.Nanos
	sum := analyze.Nanos(0)
	for _, th := range p.threads {
		for i := range th.ops {
			if o := &th.ops[i]; o.kind == opCommit {
				all, sum = append(all, o.solo), sum+o.solo
			}
		}
	}
	if sum == 0 {
		return 0
	}
	return min(policy.MostWaking, max(0, 1-evidence.Share(evidence.Quickest(all, policy.Quick)*analyze.Nanos(len(all)), sum)))
}
