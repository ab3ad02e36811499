package replay

import (
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// findEntailed marks what hangs on needless waits among a thread's steps.
func findEntailed(list []step) {
	calls := make([]evidence.TimedCall, len(list))
	for i := range list {
		calls[i] = evidence.TimedCall{Interval: list[i].Interval, Kind: list[i].callKind()}
	}
	for _, p := range evidence.Passages(calls) {
		for i := p.After + 1; i <= p.Wait; i++ {
			list[i].hangs = p.Hangs
		}
	}
}

func (s *step) callKind() evidence.CallKind {
	switch {
	case s.kind == opForeign || s.kind == opWait && s.barrier:
		return evidence.CallNeedless
	case s.kind == opWait:
		return evidence.CallWait
	case s.kind == opLock:
		return evidence.CallLock
	}
	return evidence.CallOther
}

// A fence is an empty command buffer that is there only to be waited for: it comes behind what others have put into its queue. A program
// that does not synchronise makes none, so they go with the waits for them, and no fence counts as work.

// findFences marks the command buffers that are fences.
func (p *program) findFences() {
	for _, o := range p.ops() {
		if o.barrier && o.job >= 0 {
			p.jobs[o.job].fence = true
		}
	}
}

// left says whether a call is left out where there is no synchronisation: it makes or commits a fence, or takes a lock only because a
// wait gave it back.
func (r *playing) left(o *op) bool {
	return r.Foreign && (o.kind == opLock && o.hangs > 0 || o.job >= 0 && r.jobOf(o).fence)
}

func (r *playing) jobOf(o *op) *job { return &r.program.jobs[o.job] }

// passed is for a fence that is not committed: what would come behind it waits for nothing.
func (r *playing) passed(t int32, o *op) {
	r.done[t].commits = append(r.done[t].commits, r.now)
	s := &r.jobs[o.job]
	s.done, s.seen, s.end = true, true, r.now
	r.feedAll()
	r.over(t, 0, 0)
}

// newest says which of another thread's command buffers those waits are for that reach beyond the thread's own work. A program
// that synchronises takes what each thread has committed last; were the threads faster or slower, that would be another one, so a
// replay may not wait for the recorded one.
type newest struct {
	known      bool
	asOfCommit bool // taken when the waiting thread committed its own, not when it began to wait
	before     int  // how many command buffers before the newest
}

// findNewest finds the rule that the recorded waits follow, if they do.
func (p *program) findNewest(spans []span, by map[*analyze.Thread][]step) {
	place := make([]int, len(p.jobs)) // among those of its thread
	for _, th := range p.threads {
		for n, j := range th.jobs {
			place[j] = n
		}
	}
	counts := map[newest]int{}
	waits := 0
	for t, s := range spans {
		own := p.recorded[t].commits
		zero := s.Begin - p.threads[t].begin
		for _, c := range by[s.thread] {
			if c.kind != opForeign || c.job == unknown {
				continue
			}
			waits++
			theirs := p.recorded[p.jobs[c.job].by].commits
			last := func(until analyze.Nanos) int {
				return sort.Search(len(theirs), func(i int) bool { return theirs[i] > until }) - 1
			}
			begin := c.Begin - zero
			counts[newest{true, false, last(begin) - place[c.job]}]++
			if n := sort.Search(len(own), func(i int) bool { return own[i] > begin }); n > 0 {
				counts[newest{true, true, last(own[n-1]) - place[c.job]}]++
			}
		}
	}
	best := 0
	for rule, n := range counts {
		if n > best || n == best && (rule.asOfCommit && !p.newest.asOfCommit || rule.asOfCommit == p.newest.asOfCommit && rule.before < p.newest.before) {
			best, p.newest = n, rule
		}
	}
	if !policy.AtLeast(policy.Broad, best, waits) || p.newest.before < 0 {
		p.newest = newest{}
	}
}
