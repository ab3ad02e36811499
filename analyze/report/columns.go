package report

import (
	"slices"

	"mtrace/analyze"
)

// A column of the table of threads shows the time of one part of the threads' time, or of several parts together.
type column struct {
	head   string // short form for text
	name   string // long form
	parts  []analyze.Part
	legend string
	color  string // color in HTML, such as "#3880e2"
}

// one returns a column for a single part. The column's long name is the part's name.
func one(part analyze.Part, head, legend, color string) column {
	return column{head, part.Name(), []analyze.Part{part}, legend, color}
}

var columns = []column{
	one(analyze.PartWaitExecuting, "exec", "waiting while its own command buffers run on the GPU", "#3880e2"),
	one(analyze.PartWaitQueuedOwn, "q.own", "queued behind its own command buffers", "#74b4f5"),
	one(analyze.PartWaitQueuedOther, "q.other", "queued behind other threads' command buffers", "#da8a20"),
	one(analyze.PartWaitScheduling, "sched", "waiting for the idle GPU to begin a committed command buffer", "#d0a4d2"),
	one(analyze.PartWaitNotify, "notify", "from the GPU's end to the return of the wait", "#8d61b3"),
	one(analyze.PartWaitCrossThread, "cross", "waiting for command buffers that another thread committed", "#d31d1f"),
	one(analyze.PartLock, "lock", "waiting for a lock", "#891613"),
	one(analyze.PartAcquire, "acquire", "creating a command buffer, which waits while the queue is full", "#d0d030"),
	one(analyze.PartDrawable, "drawable", "waiting for a drawable (an image to be displayed) to become free", "#7e6146"),
	one(analyze.PartEncode, "encode", "", "#2da042"),
	one(analyze.PartCommit, "commit", "", "#9fe78f"),
	one(analyze.PartCompile, "compile", "", "#c862a2"),
	{"api", "other API", []analyze.Part{analyze.PartAllocate, analyze.PartOtherAPI},
		"other Metal calls, such as allocations", "#31e4ff"},
	one(analyze.PartOutside, "outside", "in no traced call", "#d4d7dc"),
}

func (c *column) of(t *Thread) (sum int64) {
	for _, p := range c.parts {
		sum += t.Time[p.Key()]
	}
	return sum
}

// meaning returns the explanation of a column. Time outside of Metal also contains calls that a flag excluded from
// recording, if there are any.
func meaning(r *Report, c column) string {
	if r.Source.LeftOut > 0 && slices.Contains(c.parts, analyze.PartOutside) {
		return c.legend + ", or in a call that a flag excluded"
	}
	return c.legend
}

// usedColumns returns the columns in which at least one thread spent 0.5% of its time or more. Others are not shown.
func usedColumns(threads []Thread) (used []column) {
	for _, c := range columns {
		if slices.ContainsFunc(threads, func(th Thread) bool {
			return c.of(&th)*200 >= th.WindowNS && th.WindowNS > 0
		}) {
			used = append(used, c)
		}
	}
	return used
}

// TimeParts returns the nanoseconds that all threads together spent in each part of their time, by the part's name.
// Parts without time are left out.
func (r *Report) TimeParts() map[string]int64 {
	all := map[string]int64{}
	for i := range r.Threads {
		for _, c := range columns {
			if n := c.of(&r.Threads[i]); n > 0 {
				all[c.name] += n
			}
		}
	}
	return all
}
