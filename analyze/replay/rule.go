package replay

import (
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

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
