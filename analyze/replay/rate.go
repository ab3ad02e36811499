package replay

import (
	"slices"
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// rate is how fast threads did what they did: the command buffers that the GPU had done for them when the first of those that set the pace
// had done all, over the time since the first of those began. Threads that last and were done before count as if they had gone on as they
// did. What is committed and not done does not count: a queue without an end would take any number.
func (p *program) rate(done []run) (rate float64) {
	begun, horizon := analyze.Nanos(1<<62), analyze.Nanos(0)
	for t := range done {
		if ended := done[t].ended; p.threads[t].paces && ended > 0 && (horizon == 0 || ended < horizon) {
			horizon = ended
		}
		if p.threads[t].paces {
			begun = min(begun, done[t].begun)
		}
	}
	if horizon <= begun {
		return 0
	}
	for t := range done {
		to := horizon
		if ended := done[t].ended; p.threads[t].lasts && ended > 0 {
			to = min(to, ended)
		}
		if to > begun {
			rate += done[t].count(to) / float64(to-begun)
		}
	}
	return rate
}

// count is how many command buffers the GPU had done for a thread at an instant. Of one that was then under way the part counts by which it was.
func (d *run) count(at analyze.Nanos) float64 {
	n := sort.Search(len(d.done), func(i int) bool { return d.done[i] > at })
	sum := float64(n)
	if n > 0 && n < len(d.done) {
		sum += float64(at-d.done[n-1]) / float64(d.done[n]-d.done[n-1])
	}
	return sum
}

// end adds when the GPU had done the jobs.
func (d *run) end(p *program, jobs []int32, done func(int32) analyze.Nanos) {
	for _, j := range jobs {
		if !p.jobs[j].fence {
			d.done = append(d.done, done(j))
		}
		d.ended = max(d.ended, done(j))
	}
	slices.Sort(d.done)
}

// findPace finds the threads that set the pace: those that last and commit a fair share of as many command buffers as these usually
// do. One that a cause held up much more than the others would be done long before them without it.
func (p *program) findPace() {
	commits, lasting := 0, 0
	for t := range p.threads {
		if p.threads[t].lasts {
			commits, lasting = commits+len(p.threads[t].jobs), lasting+1
		}
	}
	for th := range analyze.Each(p.threads) {
		th.paces = th.lasts && policy.AtLeast(policy.Much, len(th.jobs)*lasting, commits)
	}
}
