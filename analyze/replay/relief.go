package replay

import (
	"mtrace/analyze"
	"mtrace/analyze/evidence"
)

// In a replay bursts of work share a processor, with which a short one waits for little. A system gives long ones their turns, and a short one waits for these: a thread that
// commits, one that wakes, the framework between. What threads were seen to wait for processors beyond what the replay adds is taken to be in how long
// such hand-overs took, and to be less by as much as the replay adds less.

// findUnexplained finds how much of what hand-overs and commits took beyond those that found a processor that is; r is the replay of the unchanged program.
func (p *program) findUnexplained(r *playing) {
	var beyond analyze.Nanos
	for i := range p.jobs {
		beyond += max(0, p.jobs[i].latency-p.freeLatency)
	}
	for _, o := range p.ops() {
		switch {
		case (o.kind == opWait || o.kind == opForeign) && o.notify > 0:
			beyond += max(0, o.notify-p.jobs[o.job].handlers-p.freeNotify)
		case o.kind == opCommit:
			beyond += max(0, o.solo-p.freeCommit)
		}
	}
	added, each := r.delays()
	p.delay, p.unexplained = each, min(1, evidence.Share(max(0, p.waitedFor-added), beyond))
}

// delays are what all bursts of a replay waited for processors, and that for each command buffer that it did.
func (r *playing) delays() (sum analyze.Nanos, each float64) {
	sum = r.before.sum + r.after.sum + r.onGPU
	jobs := 0
	for t := range r.done {
		sum += r.waited[t]
		jobs += len(r.done[t].done)
	}
	return sum, float64(sum) / float64(max(1, jobs))
}

// reliefIn is how much less a replay waits for processors than that of the unchanged program, as a share.
func (p *program) reliefIn(r *playing) float64 {
	if r.Change.Cores || p.unexplained == 0 || p.delay == 0 { // what threads do with a processor each is known
		return 0
	}
	_, each := r.delays()
	return max(0, 1-each/p.delay)
}

// relieved is what a hand-over takes with less waiting for processors.
func (p *program) relieved(n, quick analyze.Nanos) analyze.Nanos {
	return n - evidence.Scaled(max(0, n-quick), p.unexplained*p.handOvers.relief)
}

// committing is what a commit takes of what it took.
func (r *playing) committing(n analyze.Nanos) analyze.Nanos {
	if r.unchanged() {
		return n
	}
	return r.relieved(n, r.freeCommit)
}
