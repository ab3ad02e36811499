package program

import (
	"slices"
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// Progress has the instants at which a thread completed its work, in the recorded run or in a run of the machine.
type Progress struct {
	Begun   analyze.Nanos
	Commits []analyze.Nanos // when its commits ended
	Done    []analyze.Nanos // when the GPU completed its command buffers, without fences, in ascending order
	// when the thread had taken all steps and the GPU had completed all its command buffers; 0 before
	Ended analyze.Nanos
}

// Add adds when the GPU completed each of a thread's command buffers.
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

// count returns how many command buffers the GPU had completed for the thread at an instant. It includes a fraction of
// the one in progress.
func (d *Progress) count(at analyze.Nanos) float64 {
	n := sort.Search(len(d.Done), func(i int) bool { return d.Done[i] > at })
	sum := float64(n)
	if n > 0 && n < len(d.Done) {
		sum += float64(at-d.Done[n-1]) / float64(d.Done[n]-d.Done[n-1])
	}
	return sum
}

// Rate returns the speed of a run in command buffers per nanosecond. It counts those completed when the first pacing
// thread ended, over the time since the first such thread began. A lasting thread that ended earlier counts as if it
// had continued at its speed. Commits whose work is not completed do not count, because a queue of any depth would
// accept any number of them.
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

// Lasts reports whether a thread that ended at the given time lives for at least half of the run and commits more than
// 1% of the command buffers.
func (p *Program) Lasts(t *Thread, ended analyze.Nanos) bool {
	return policy.AtLeast(policy.Most, ended-t.Begin, p.Lasted) &&
		policy.MoreThan(policy.Negligible, len(t.Jobs), len(p.Jobs))
}

// FindPace determines the pacing threads, whose end ends a run: lasting threads that commit at least a quarter of the
// average of such threads. A thread that a cause delays much more than others would end long before them without the
// cause, and must not end the run then.
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
