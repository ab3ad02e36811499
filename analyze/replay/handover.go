package replay

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// findUsual finds what hand-overs usually take, and the quickest: from ready to begun, and from the GPU's end to the return of a wait
// that began before, without the program's handlers. What causes let go at once, or hold up in the framework too, wants processors at once,
// and takes longer than usual; no more of that is taken to be for their sake than threads waited for processors.
func (p *program) findUsual() {
	var latencies, notifies []analyze.Nanos
	for i := range p.jobs {
		latencies = append(latencies, p.jobs[i].latency-p.jobs[i].held)
	}
	for _, o := range p.ops() {
		if (o.kind == opWait || o.kind == opForeign) && o.notify > 0 {
			notifies = append(notifies, max(0, o.notify-p.jobs[o.job].handlers))
		}
	}
	p.usualLatency, p.usualNotify = evidence.Median(latencies), evidence.Median(notifies)
	p.quickLatency = evidence.Quickest(latencies, policy.Quick)
	quickNotify := min(evidence.Quickest(notifies, policy.Quick), max(evidence.Quickest(notifies, policy.Quick*policy.Quick), p.framework))
	p.freeLatency, p.freeNotify = unhampered(latencies, p.quickLatency), unhampered(notifies, quickNotify)
	var more analyze.Nanos
	for _, n := range latencies {
		more += max(0, n-p.usualLatency)
	}
	for _, n := range notifies {
		more += max(0, n-p.usualNotify)
	}
	usualTurnaround := evidence.Median(p.handOvers.turnarounds.took)
	for _, n := range p.handOvers.turnarounds.took {
		more += max(0, n-usualTurnaround)
	}
	if more > 0 {
		p.hindered = min(1, evidence.Share(p.waitedFor, more))
	}
	p.freeCommit = unhampered(p.commits(), evidence.Quickest(p.commits(), policy.Quick))
	p.handOvers.latencies, p.handOvers.notifies = newHandOvers(latencies), newHandOvers(notifies)
}

// unhampered is what a hand-over usually takes that finds a processor: the median of those that took no longer than that does. What had begun before a commit
// returned was handed over inside it, and tells nothing. If there are too few, it is what the quickest take.
func unhampered(all []analyze.Nanos, quick analyze.Nanos) analyze.Nanos {
	few := slices.DeleteFunc(slices.Clone(all), func(n analyze.Nanos) bool { return n <= 0 || n > policy.Launch.Nanos() })
	if len(few) < policy.Sample.Count() {
		return quick
	}
	return evidence.Median(few)
}

// latencyOf is what passes from a job's commit to its being ready, if nothing of what shows in the replay holds it up.
func (r *playing) latencyOf(j *job) analyze.Nanos {
	held := min(j.held, j.latency)
	n := r.handOver(j.latency-held, r.usualLatency, r.freeLatency, &r.handOvers.latencies)
	if r.Change.Events && !r.Change.Cores && len(j.after)+len(j.signals) > 0 { // an event lets many go at once
		n = min(n, r.quickLatency)
	}
	if !r.Alone {
		n += held
	}
	return n
}

// handOver is what a hand-over takes that took so long: which usually takes so long, and so long with a processor free.
func (r *playing) handOver(n, usual, free analyze.Nanos, all *handOvers) analyze.Nanos {
	if !r.unchanged() {
		n = r.relieved(r.unhindered(n, usual, all), free)
	}
	if n = r.share(n); r.Change.Cores {
		n = min(n, free)
	}
	return n
}

// notify is how long after the GPU's end a wait returns.
func (r *playing) notify(o *op, job int32) analyze.Nanos {
	n := o.notify
	if o.kind == opForeign && r.newest.known && n == 0 {
		n = r.usualNotify
	}
	handlers := min(n, r.program.jobs[job].handlers)
	if n = r.handOver(n-handlers, r.usualNotify, r.freeNotify, &r.handOvers.notifies); !r.Handlers {
		n += r.share(handlers)
	}
	return n
}

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
	for _, o := range p.ops() {
		if o.kind == opCommit {
			all = append(all, o.solo)
		}
	}
	return all
}
