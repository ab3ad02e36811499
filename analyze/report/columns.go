package report

import (
	"slices"

	"mtrace/analyze"
)

// column is one part, or several, of the threads' time.
type column struct {
	head   string
	parts  []analyze.Part
	legend string
	color  string // in HTML
}

var columns = []column{
	{"run", []analyze.Part{analyze.PartWaitExecuting}, "waiting while its own work ran", "#3b7dd8"},
	{"q.own", []analyze.Part{analyze.PartWaitQueuedOwn}, "queued behind its own work", "#86b1e8"},
	{"q.oth", []analyze.Part{analyze.PartWaitQueuedOther}, "queued behind other threads' work", "#e08a2c"},
	{"start", []analyze.Part{analyze.PartWaitScheduling}, "committed, and nothing ran yet", "#c9a9e0"},
	{"wake", []analyze.Part{analyze.PartWaitNotify}, "from the GPU's end to the wait's return", "#9467bd"},
	{"others", []analyze.Part{analyze.PartWaitForeign}, "waiting for work that another thread committed", "#d62728"},
	{"lock", []analyze.Part{analyze.PartLock}, "waiting for a lock", "#8c1c13"},
	{"slot", []analyze.Part{analyze.PartAcquire}, "making a command buffer", "#bcbd22"},
	{"encode", []analyze.Part{analyze.PartEncode}, "", "#2ca02c"},
	{"commit", []analyze.Part{analyze.PartCommit}, "", "#98df8a"},
	{"compile", []analyze.Part{analyze.PartCompile}, "", "#e377c2"},
	{"api", []analyze.Part{analyze.PartAllocate, analyze.PartOtherAPI}, "the rest of Metal", "#17becf"},
	{"outside", []analyze.Part{analyze.PartOutside}, "not in Metal", "#d0d4da"},
}

func (c *column) of(t *Thread) (sum int64) {
	for _, p := range c.parts {
		sum += t.Time[p.Key()]
	}
	return sum
}

// meaning is what a column shows of this run.
func (r *Report) meaning(c column) string {
	if r.Source.LeftOut > 0 && slices.Contains(c.parts, analyze.PartOutside) {
		return c.legend + ", or in a call that was left out, as asked for"
	}
	return c.legend
}

// usedColumns are those in which one of the threads has 0.5 % of its time or more.
func usedColumns(threads []Thread) (used []column) {
	for _, c := range columns {
		if slices.ContainsFunc(threads, func(th Thread) bool { return c.of(&th)*200 >= th.WindowNS && th.WindowNS > 0 }) {
			used = append(used, c)
		}
	}
	return used
}

// TimeParts are the nanoseconds of all threads' time in each part that there is any of, by its name in the table of threads.
func (r *Report) TimeParts() map[string]int64 {
	all := map[string]int64{}
	for i := range r.Threads {
		for _, c := range columns {
			if n := c.of(&r.Threads[i]); n > 0 {
				all[c.head] += n
			}
		}
	}
	return all
}
