package report

import (
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze"
)

// A screenColumn is a column of the one-screen table of threads: the share of a thread's time in one or several
// parts.
type screenColumn struct {
	heads [2]string // two lines
	parts []analyze.Part
}

var screenColumns = []screenColumn{
	{[2]string{"GPU ran", "own work"}, []analyze.Part{analyze.PartWaitExecuting}},
	{[2]string{"", "queued"}, []analyze.Part{analyze.PartWaitQueuedOwn, analyze.PartWaitQueuedOther,
		analyze.PartWaitScheduling}},
	{[2]string{"", "notify"}, []analyze.Part{analyze.PartWaitNotify}},
	{[2]string{"for others'", "work"}, []analyze.Part{analyze.PartWaitCrossThread}},
	{[2]string{"", "locks"}, []analyze.Part{analyze.PartLock}},
	{[2]string{"full", "queue"}, []analyze.Part{analyze.PartAcquire}},
	{[2]string{"for a", "drawable"}, []analyze.Part{analyze.PartDrawable}},
	{[2]string{"encode,", "commit"}, []analyze.Part{analyze.PartEncode, analyze.PartCommit}},
	{[2]string{"compile,", "other API"}, []analyze.Part{analyze.PartCompile, analyze.PartAllocate,
		analyze.PartOtherAPI}},
	{[2]string{"outside", "Metal"}, []analyze.Part{analyze.PartOutside}},
}

// of returns the nanoseconds that the thread spent in the column's parts.
func (c *screenColumn) of(t *Thread) (sum int64) {
	for _, p := range c.parts {
		sum += t.Time[p.Key()]
	}
	return sum
}

// screenThreads writes how the threads with the most command buffers spent their time, up to the limit in `rows`.
func screenThreads(r *Report, w *sheet, rows screenRows) {
	if len(r.Threads) == 0 {
		return
	}
	writeHeading(w, "threads", "share of each thread's time that it spent waiting, in Metal, or outside of it")
	busiest, idle := busiestThreads(r)
	more := max(0, len(busiest)-rows.threads)
	shown := busiest[:len(busiest)-more]
	t := &table{over: []string{"", "", "command"}, heads: []string{"thread", "window", "buffers"}, left: 1}
	columns := usedScreenColumns(shown)
	for _, c := range columns {
		t.over, t.heads = append(t.over, c.heads[0]), append(t.heads, c.heads[1])
	}
	for i := range shown {
		th := &shown[i]
		cells := []string{threadName(th), ns(th.WindowNS), formatCount(th.CommandBuffers)}
		for _, c := range columns {
			cells = append(cells, wholePercent(c.of(th), th.WindowNS))
		}
		t.add(cells...)
	}
	t.write(w)
	var left []string
	if more > 0 {
		left = append(left, moreThreads(shown, more))
	}
	if idle > 0 {
		left = append(left, analyze.Plural(idle, "thread")+" without any")
	}
	var rest []string
	if len(left) > 0 {
		rest = append(rest, "... and "+strings.Join(left, ", "))
	}
	if words := outsideWords(submitting(busiest)); words != "" {
		rest = append(rest, words)
	}
	if len(rest) > 0 {
		wrap(w, strings.Join(rest, "; "), "  ", "  ")
	}
}

// submitting returns the threads that committed command buffers; all threads if none did, so that the text about them
// is never empty.
func submitting(threads []Thread) []Thread {
	list := slices.DeleteFunc(slices.Clone(threads), func(th Thread) bool { return th.CommandBuffers == 0 })
	if len(list) == 0 {
		return threads
	}
	return list
}

// usedScreenColumns returns the columns in which at least one thread spent 0.5% of its time or more. Others are not
// shown.
func usedScreenColumns(threads []Thread) (used []screenColumn) {
	for _, c := range screenColumns {
		if slices.ContainsFunc(threads, func(th Thread) bool {
			return c.of(&th)*200 >= th.WindowNS && th.WindowNS > 0
		}) {
			used = append(used, c)
		}
	}
	return used
}

// busiestThreads returns the threads that used Metal, most command buffers first. `idle` is the number of threads
// left out because they only waited for locks.
func busiestThreads(r *Report) (busiest []Thread, idle int) {
	for _, th := range r.Threads {
		if th.CommandBuffers == 0 && th.Waits == 0 && len(r.Threads) > 1 && th.onlyLocks() {
			idle++
			continue
		}
		busiest = append(busiest, th)
	}
	slices.SortStableFunc(busiest, func(a, b Thread) int { return b.CommandBuffers - a.CommandBuffers })
	return busiest, idle
}

// wholePercent formats part/whole as a percentage without decimals: "62%", "<1%" for less than 0.5%, "-" for 0.
func wholePercent(part, whole int64) string {
	if part == 0 || whole == 0 {
		return "-"
	}
	p := 100 * float64(part) / float64(whole)
	if p < 0.5 {
		return "<1%"
	}
	return fmt.Sprintf("%.0f%%", p)
}
