package serial

import (
	"sort"

	"mtrace/analyze"
)

// rate is how fast threads did what they did: the command buffers that they had committed when the first of those that set the pace had
// done all, over the time since the first of those began. Threads that last and were done before count as if they had gone on as they did.
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
			rate += p.committed(t, &done[t], to) / float64(to-begun)
		}
	}
	return rate
}

// committed is how many command buffers a thread had committed at an instant, fences left out. Of one that was then under way the part
// counts by which it was.
func (p *program) committed(t int, done *run, at analyze.Nanos) (sum float64) {
	commits, jobs := done.commits, p.threads[t].jobs
	n := sort.Search(len(commits), func(i int) bool { return commits[i] > at })
	for _, j := range jobs[:n] {
		if !p.jobs[j].fence {
			sum++
		}
	}
	if n > 0 && n < len(commits) && !p.jobs[jobs[n]].fence {
		sum += float64(at-commits[n-1]) / float64(commits[n]-commits[n-1])
	}
	return sum
}

// findPace finds the threads that set the pace: those that last and commit at least a quarter as many command buffers as these usually
// do. One that a cause held up much more than the others would be done long before them without it.
func (p *program) findPace() {
	commits, lasting := 0, 0
	for t := range p.threads {
		if p.threads[t].lasts {
			commits, lasting = commits+len(p.threads[t].jobs), lasting+1
		}
	}
	for t := range p.threads {
		th := &p.threads[t]
		th.paces = th.lasts && len(th.jobs)*lasting*4 >= commits
	}
}
