package program

import (
	"slices"
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// Progress is what a thread had done, and when, in the recorded run or in one of the machine's.
type Progress struct {
	Begun   analyze.Nanos
	Commits []analyze.Nanos // when its commits ended
	Done    []analyze.Nanos // when the GPU had done its command buffers, fences left out, in ascending order
	Ended   analyze.Nanos   // when the thread had taken all steps and the GPU had done all its command buffers; 0 before
}

// Add says when the GPU had done each of a thread's command buffers.
func (d *Progress) Add(jobs []Job, of []int32, done func(job int32) analyze.Nanos) {
	for _, j := range of {
		at := done(j)
		if !jobs[j].Fence {
			d.Done = append(d.Done, at)
		}
		d.Ended = max(d.Ended, at)
	}
	slices.Sort(d.Done)
}

// count is how many command buffers the GPU had done for the thread at an instant. One that was under way counts in
// part.
func (d *Progress) count(at analyze.Nanos) float64 {
	n := sort.Search(len(d.Done), func(i int) bool { return d.Done[i] > at })
	sum := float64(n)
	if n > 0 && n < len(d.Done) {
		sum += float64(at-d.Done[n-1]) / float64(d.Done[n]-d.Done[n-1])
	}
	return sum
}

// Rate is the speed of a run in command buffers per nanosecond: those that the GPU had done when the first thread
// that sets the pace had ended, over the time since the first such thread began. A thread that lasts and ended
// earlier counts as if it had continued at its speed. Commits whose work is not done do not count: a queue of any
// depth would take any number of them.
func (p *Program) Rate(runs []Progress) (rate float64) {
	begun, horizon := analyze.Nanos(1<<62), analyze.Nanos(0)
	for t := range runs {
		if !p.Threads[t].Paces {
			continue
		}
		if ended := runs[t].Ended; ended > 0 && (horizon == 0 || ended < horizon) {
			horizon = ended
		}
		begun = min(begun, runs[t].Begun)
	}
	if horizon <= begun {
		return 0
	}
	for t := range runs {
		to := horizon
		if ended := runs[t].Ended; p.Threads[t].Lasts && ended > 0 {
			to = min(to, ended)
		}
		if to > begun {
			rate += runs[t].count(to) / float64(to-begun)
		}
	}
	return rate
}

// Lasts says whether a thread that ended then lives for at least half of the run and commits more than a hundredth
// of the command buffers.
func (p *Program) Lasts(t *Thread, ended analyze.Nanos) bool {
	return policy.AtLeast(policy.Most, ended-t.Begin, p.Lasted) &&
		policy.MoreThan(policy.Negligible, len(t.Jobs), len(p.Jobs))
}

// FindPace finds the threads that set the pace: those that last and commit at least a quarter of what such threads
// commit on average. A thread that a cause delays much more than the others would end long before them without it,
// and must not end the run then.
func (p *Program) FindPace() {
	commits, lasting := 0, 0
	for t := range p.Threads {
		if p.Threads[t].Lasts {
			commits, lasting = commits+len(p.Threads[t].Jobs), lasting+1
		}
	}
	for t := range p.Threads {
		th := &p.Threads[t]
		th.Paces = th.Lasts && policy.AtLeast(policy.LargeShare, len(th.Jobs)*lasting, commits)
	}
}
