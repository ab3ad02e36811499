package program

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// HandOffs has the durations of hand-offs: from a thread to the GPU (latency), from the GPU to a waiting thread
// (notify), and on the GPU from one command buffer to the next that waited for it (turnaround).
// A "Usual" duration is the median, a "Quick" one the 10% quantile, and a "Free" one is without a wait for a processor.
type HandOffs struct {
	UsualLatency, QuickLatency, FreeLatency analyze.Nanos
	UsualNotify, FreeNotify                 analyze.Nanos
	FreeCommit                              analyze.Nanos
	Turnaround                              analyze.Nanos   // the mean
	Latencies, Notifies, Turnarounds        []analyze.Nanos // all of them, in ascending order

	WaitedFor analyze.Nanos // time that all threads of the process waited for processors
	// upper bound of the share (0 to 1) of the hand-offs' time beyond their usual durations that WaitedFor explains
	Hindered float64
	// Hand-offs and commits take longer than with a free processor. Unexplained is the share of this additional time
	// that threads waited for processors and that the simulated machine does not reproduce.
	Unexplained float64
	// how long bursts of CPU work wait for processors in the replay of the unchanged program, in ns per command
	// buffer
	Delay float64
}

// MeasureHandOffs computes HandOffs from the program's recorded times, without completion handlers. Time beyond the
// usual duration counts as waiting for a processor (Hindered), but at most as much as the trace has of such waits.
func (p *Program) MeasureHandOffs() {
	var latencies, notifies, commits []analyze.Nanos
	for i := range p.Jobs {
		latencies = append(latencies, p.Jobs[i].Latency)
	}
	for th := range analyze.Each(p.Threads) {
		for i := range th.Steps {
			switch s := &th.Steps[i]; {
			case s.Kind == Commit:
				commits = append(commits, th.Details[i].Solo)
			case (s.Kind == Wait || s.Kind == WaitOther) && s.Notify+s.Handlers > 0:
				notifies = append(notifies, s.Notify)
			}
		}
	}
	h := &p.HandOffs
	h.UsualLatency, h.UsualNotify = evidence.Median(latencies), evidence.Median(notifies)
	h.QuickLatency = evidence.Quickest(latencies, policy.FastestDivisor)
	quickNotify := min(evidence.Quickest(notifies, policy.FastestDivisor),
		max(evidence.Quickest(notifies, policy.FastestDivisor*policy.FastestDivisor), p.Framework.Time))
	h.FreeLatency, h.FreeNotify = undelayed(latencies, h.QuickLatency), undelayed(notifies, quickNotify)
	h.FreeCommit = undelayed(commits, evidence.Quickest(commits, policy.FastestDivisor))
	more := beyond(latencies, h.UsualLatency) + beyond(notifies, h.UsualNotify) +
		beyond(h.Turnarounds, evidence.Median(h.Turnarounds))
	if more > 0 {
		h.Hindered = min(1, Share(h.WaitedFor, more))
	}
	slices.Sort(latencies)
	slices.Sort(notifies)
	h.Latencies, h.Notifies = latencies, notifies
	h.Turnaround = Mean(h.Turnarounds)
	p.Processors.Waking = waking(commits)
	if p.Newest.Known {
		p.Newest.Notify = h.UsualNotify
	}
	p.ShareFramework()
}

// beyond returns by how much the times exceed `usual`, summed over all times.
func beyond(all []analyze.Nanos, usual analyze.Nanos) (sum analyze.Nanos) {
	for _, n := range all {
		sum += max(0, n-usual)
	}
	return sum
}

// undelayed estimates how long a hand-off takes if a processor is free: the median of the hand-offs that take at most
// policy.LongestHandOff. Hand-offs of length 0 do not count, because they began inside the commit. If too few hand-offs
// are left, undelayed returns quick.
func undelayed(all []analyze.Nanos, quick analyze.Nanos) analyze.Nanos {
	few := slices.DeleteFunc(slices.Clone(all), func(n analyze.Nanos) bool {
		return n <= 0 ||
			n > policy.LongestHandOff.Nanos()
	})
	if len(few) < policy.FewestSamples.Count() {
		return quick
	}
	return evidence.Median(few)
}

// waking returns the share of a commit that is spent waking the thread of Metal that receives the command buffer:
// system calls on both sides, and the interrupt to a sleeping processor. If that thread is already running, a commit
// only appends to a list; the fastest tenth of the commits are assumed to be of this kind. Metal's other hand-offs are
// assumed to have the same share.
func waking(commits []analyze.Nanos) float64 {
	n := analyze.Nanos(len(commits))
	sum := Mean(commits) * n
	if sum == 0 {
		return 0
	}
	return min(policy.LargestWakingShare, max(0, 1-Share(evidence.Quickest(commits, policy.FastestDivisor)*n, sum)))
}
