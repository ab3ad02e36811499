package program

import (
	"slices"
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// Progress has the times at which a thread made progress, in the recorded run or in a run of the simulated machine.
type Progress struct {
	Begun   analyze.Nanos
	Commits []analyze.Nanos // when its commits ended
	Done    []analyze.Nanos // ascending: when the GPU completed its command buffers, without fences
	// when the thread had taken all steps and the GPU had completed all its command buffers; 0 if it did not end
	Ended analyze.Nanos
}

// Add adds the completion times of the command buffers that `of` lists to Done, and updates Ended. Done leaves out
// fences (empty command buffers that exist only to be waited for), because a fence is no progress.
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

// count returns how many of the thread's command buffers the GPU had completed at a time. The next one counts as a
// fraction: the elapsed share of the time between two completions.
func (d *Progress) count(at analyze.Nanos) float64 {
	n := sort.Search(len(d.Done), func(i int) bool { return d.Done[i] > at })
	sum := float64(n)
	if n > 0 && n < len(d.Done) {
		sum += float64(at-d.Done[n-1]) / float64(d.Done[n]-d.Done[n-1])
	}
	return sum
}

// Rate returns the speed of a run in command buffers per nanosecond, from the begin of the first pacing thread until
// the first pacing thread or pipeline ends. A lasting thread that ended earlier counts as if it had continued at its
// speed. A stage of a pipeline counts at the pipeline's speed, because each item must pass all stages, and no stage
// may run ahead for long. Only completed work counts, because a queue of unlimited depth would accept any number of
// commits.
func (p *Program) Rate(runs []Progress) (rate float64) {
	begun, horizon := analyze.Nanos(1<<62), analyze.Nanos(0)
	for t := range runs {
		if !p.Threads[t].Paces {
			continue
		}
		ended := runs[t].Ended
		if p.Threads[t].Line > 0 {
			ended = p.lineEnded(runs, p.Threads[t].Line)
		}
		if ended > 0 && (horizon == 0 || ended < horizon) {
			horizon = ended
		}
		begun = min(begun, runs[t].Begun)
	}
	if horizon <= begun {
		return 0
	}
	for t := range runs {
		th := &p.Threads[t]
		if ended := p.lineEnded(runs, th.Line); th.Line > 0 && ended > begun {
			rate += float64(nearlyAll(len(runs[t].Done))) / float64(ended-begun)
			continue
		}
		to := horizon
		if ended := runs[t].Ended; th.Lasts && ended > 0 {
			to = min(to, ended)
		}
		if to > begun {
			rate += runs[t].count(to) / float64(to-begun)
		}
	}
	return rate
}

// lineEnded returns when the slowest pacing stage of a pipeline had completed nearly all of its command buffers; 0 if
// the run ended before that. The last few command buffers are ignored, because the end of the program may delay them.
func (p *Program) lineEnded(runs []Progress, line int32) (ended analyze.Nanos) {
	for t := range runs {
		th := &p.Threads[t]
		if !th.Paces || th.Line != line {
			continue
		}
		if runs[t].Ended == 0 || len(runs[t].Done) == 0 {
			return 0
		}
		ended = max(ended, runs[t].Done[nearlyAll(len(runs[t].Done))-1])
	}
	return ended
}

// nearlyAll returns how many of n command buffers must complete to count as nearly all; at least one.
func nearlyAll(n int) int { return max(1, n-int(policy.ExceptionShare.Value*float64(n))) }

// Lasts reports whether a thread that ended at the given time takes part in at least half of the run and commits more
// than 1% of the command buffers. Other threads say nothing about the speed of the run.
func (p *Program) Lasts(t *Thread, ended analyze.Nanos) bool {
	return policy.AtLeast(policy.Majority, ended-t.Begin, p.Lasted) &&
		policy.MoreThan(policy.NegligibleShare, len(t.Jobs), len(p.Jobs))
}

// FindPace determines the pacing threads: a run ends with the first of them. They are lasting threads that commit a
// fair share of the command buffers. If a cause delays one thread much more than the others, this thread has done
// little work when the recording ends. Without the cause it would end long before the others, so it must not end the
// run. All lasting stages of a pipeline are pacing threads, however many command buffers each commits for an item.
func (p *Program) FindPace() {
	commits, lasting := 0, 0
	for t := range p.Threads {
		if p.Threads[t].Lasts {
			commits, lasting = commits+len(p.Threads[t].Jobs), lasting+1
		}
	}
	for t := range p.Threads {
		th := &p.Threads[t]
		th.Paces = th.Lasts && (th.Line > 0 || policy.AtLeast(policy.LargeShare, len(th.Jobs)*lasting, commits))
	}
}
