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
	all := p.commits()
	sum := mean(all) * analyze.Nanos(len(all))
	if sum == 0 {
		return 0
	}
	return min(policy.MostWaking, max(0, 1-evidence.Share(evidence.Quickest(all, policy.Quick)*analyze.Nanos(len(all)), sum)))
}

// commits are what the threads' commits took.
func (p *program) commits() (all []analyze.Nanos) {
	for t := range p.threads {
		for i := range p.threads[t].ops {
			if o := &p.threads[t].ops[i]; o.kind == opCommit {
				all = append(all, o.solo)
			}
		}
	}
	return all
}
