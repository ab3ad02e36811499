package replay

import (
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
		latencies = append(latencies, p.jobs[i].latency)
	}
	for _, th := range p.threads {
		for i := range th.ops {
			if o := &th.ops[i]; (o.kind == opWait || o.kind == opForeign) && o.notify > 0 {
				notifies = append(notifies, max(0, o.notify-p.jobs[o.job].handlers))
			}
		}
	}
	p.usualLatency, p.usualNotify = evidence.Median(latencies), evidence.Median(notifies)
	p.quickLatency = evidence.Quickest(latencies, policy.Quick)
	p.quickNotify = min(evidence.Quickest(notifies, policy.Quick), max(evidence.Quickest(notifies, policy.Quick*policy.Quick), p.framework))
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
	p.quickCommit = evidence.Quickest(p.commits(), policy.Quick)
	p.handOvers.latencies, p.handOvers.notifies = newHandOvers(latencies), newHandOvers(notifies)
}

// latencyOf is what passes from a job's commit to its being ready, if nothing of what shows in the replay holds it up.
func (r *playing) latencyOf(j *job) analyze.Nanos {
	n := j.latency
	if !r.unchanged() {
		n = r.relieved(r.unhindered(n, r.usualLatency, &r.handOvers.latencies), r.quickLatency)
	}
	if r.Launch {
		n /= policy.FewerLaunches
	}
	if r.Change.Cores || r.Change.Events && len(j.after)+len(j.signals) > 0 { // an event lets many go at once
		n = min(n, r.quickLatency)
	}
	return n
}

// notify is how long after the GPU's end a wait returns.
func (r *playing) notify(t int32, o *op, job int32) analyze.Nanos {
	n := o.notify
	if o.kind == opForeign && r.newest.known && n == 0 {
		n = r.usualNotify
	}
	handlers := min(n, r.program.jobs[job].handlers)
	n -= handlers
	if !r.unchanged() {
		n = r.relieved(r.unhindered(n, r.usualNotify, &r.handOvers.notifies), r.quickNotify)
	}
	if !r.Handlers {
		n += handlers
	}
	if r.Launch {
		n /= policy.FewerLaunches
	}
	if r.Change.Cores {
		n = min(n, r.quickNotify)
	}
	return n
}
