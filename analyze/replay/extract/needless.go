package extract

import (
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay/program"
)

// markNeedless finds steps that take longer because of a needless wait before them (a wait for another thread's command
// buffer). It stores the share of the step's time that the wait caused.
func markNeedless(list []call) {
	calls := make([]evidence.TimedCall, len(list))
	for i := range list {
		calls[i] = evidence.TimedCall{Interval: list[i].Interval, Kind: callKind(&list[i])}
	}
	for _, p := range evidence.Passages(calls) {
		for i := p.After + 1; i <= p.Wait; i++ {
			list[i].detail.Needless = p.Hangs
		}
	}
}

func callKind(c *call) evidence.CallKind {
	switch {
	case c.Kind == program.WaitOther || c.Kind == program.Wait && c.Barrier:
		return evidence.CallNeedless
	case c.Kind == program.Wait:
		return evidence.CallWait
	case c.Kind == program.Lock:
		return evidence.CallLock
	}
	return evidence.CallOther
}

// markFences marks fences: empty command buffers that a thread commits behind other threads' work in the queue, only
// to wait for that work. A program without such synchronization creates no fences, so they do not count as work.
func markFences(p *program.Program) {
	for _, s := range p.Steps() {
		if s.Barrier && s.Job >= 0 {
			p.Jobs[s.Job].Fence = true
		}
	}
}

// newest determines the rule by which threads choose the other thread's command buffer for which they wait, for example
// always the last committed one; Known is false if they follow no such rule. In a changed program the last committed
// one may be another command buffer than in the recording. Therefore the replay applies the rule.
func newest(p *program.Program, spans []span, by map[*analyze.Thread][]call) program.Newest {
	index := make([]int, len(p.Jobs)) // index of each job among the jobs of its thread
	for _, th := range p.Threads {
		for n, j := range th.Jobs {
			index[j] = n
		}
	}
	counts := map[program.Newest]int{}
	waits := 0
	for t, s := range spans {
		own := p.Recorded[t].Commits
		zero := s.Begin - p.Threads[t].Begin
		for _, c := range by[s.thread] {
			if c.Kind != program.WaitOther || c.Job == program.Unknown {
				continue
			}
			waits++
			theirs := p.Recorded[p.Jobs[c.Job].By].Commits
			last := func(until analyze.Nanos) int {
				return sort.Search(len(theirs), func(i int) bool { return theirs[i] > until }) - 1
			}
			begin := c.Begin - zero
			counts[program.Newest{Known: true, Before: last(begin) - index[c.Job]}]++
			if n := sort.Search(len(own), func(i int) bool { return own[i] > begin }); n > 0 {
				counts[program.Newest{Known: true, AsOfCommit: true, Before: last(own[n-1]) - index[c.Job]}]++
			}
		}
	}
	best, found := 0, program.Newest{}
	for rule, n := range counts {
		if n > best || n == best && (rule.AsOfCommit && !found.AsOfCommit || rule.AsOfCommit == found.AsOfCommit &&
			rule.Before < found.Before) {
			best, found = n, rule
		}
	}
	if !policy.AtLeast(policy.DominantShare, best, waits) || found.Before < 0 {
		return program.Newest{}
	}
	return found
}
