package report

import (
	"cmp"
	"fmt"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/analyze/evidence"
)

// A Thread states how a thread spent its time, from its first to its last call. The values of Time add up to
// WindowNS.
type Thread struct {
	TID            uint64           `json:"tid"`
	PID            int              `json:"pid"`
	Name           string           `json:"name"`
	WindowNS       int64            `json:"window_ns"`
	CommandBuffers int              `json:"command_buffers"`
	Encoders       int              `json:"encoders"`
	Dispatches     int              `json:"dispatches"`
	Waits          int              `json:"waits"`
	Events         int64            `json:"events"`
	Time           map[string]int64 `json:"time"`
	GPUNS          int64            `json:"gpu_ns"`
	LostToOthers   float64          `json:"lost_to_others_share"`
	// the part of outside_ns in which the thread waited for another thread's signal, usually for work
	SignalWaitNS int64    `json:"signal_wait_ns"`
	Outside      *Outside `json:"outside"` // outside_ns, divided by activity
	// another thread submits this thread's work, and this thread waits for that thread's signal that the work is done
	HandsOver  bool    `json:"hands_over"`
	CPUNS      *int64  `json:"cpu_ns"`            // time on a processor; null when not known
	RunnableNS *int64  `json:"runnable_ns"`       // time in which the thread waited for a processor; null when not known
	CPUCovered float64 `json:"cpu_covered_share"` // the share of WindowNS that running_ns and runnable_ns cover
}

func buildThreads(r *Report, a *cause.Analysis, opts Options) {
	r.Threads = []Thread{}
	for _, t := range a.Totals.Times.Threads {
		if !opts.lists(t.Thread) {
			continue
		}
		th := Thread{TID: uint64(t.Thread.ID), Name: t.Thread.Name, WindowNS: int64(t.ActiveRange),
			CommandBuffers: t.CommandBuffers, Encoders: t.Encoders,
			Dispatches: t.Dispatches, Waits: t.Waits, Events: t.Thread.Events, GPUNS: int64(t.GPU),
			LostToOthers: t.LostToOthers(),
			SignalWaitNS: int64(t.SignalWaits), HandsOver: t.HandsOver, Time: map[string]int64{}}
		if t.Thread.Process != nil {
			th.PID = t.Thread.Process.ID
		}
		for p, n := range t.Time {
			th.Time[analyze.Part(p).Key()] = int64(n)
		}
		th.processorTimes(t)
		th.Outside = outsideOf(t)
		r.Threads = append(r.Threads, th)
	}
}

// processorTimes fills in how long the thread ran and how long it was ready but had no processor. Both come from
// samples, which may cover only a part of the thread's time.
func (th *Thread) processorTimes(t *evidence.ThreadTime) {
	cpu := t.Thread.CPUIn(t.Thread.Active)
	if cpu.Covered == 0 {
		return
	}
	th.CPUCovered = float64(cpu.Covered) / float64(t.ActiveRange)
	ran, waited := int64(cpu.Ran), int64(cpu.Waited)
	if th.CPUNS = &ran; cpu.Waited != analyze.NotKnown {
		th.RunnableNS = &waited
	}
}

func writeThreads(w *sheet, r *Report) {
	if len(r.Threads) == 0 {
		return
	}
	writeHeading(w, "threads", "how each thread spent its time, in % of the time from its first to its last call")
	shown, more, hidden := shownThreads(r, w)
	used := usedColumns(shown)
	t := &table{heads: []string{"thread", "window", "bufs"}, left: 1}
	for _, c := range used {
		t.heads = append(t.heads, c.head)
	}
	cpu := slices.ContainsFunc(r.Threads, func(th Thread) bool { return th.CPUNS != nil })
	if cpu {
		t.heads = append(t.heads, "ran", "ready")
	}
	for i := range shown {
		th := &shown[i]
		row := []string{threadName(th), ns(th.WindowNS), formatCount(th.CommandBuffers)}
		for _, c := range used {
			row = append(row, percentCell(c.of(th), th.WindowNS))
		}
		if cpu {
			row = append(row, th.processorCell(th.CPUNS), th.processorCell(th.RunnableNS))
		}
		t.add(row...)
	}
	t.write(w)
	defer r.writeOutside(w, shown)
	if more > 0 {
		wrap(w, "… and "+moreThreads(shown, more), "  ", "    ")
	}
	if hidden > 0 {
		wrap(w, fmt.Sprintf("… and %s that made no Metal call and waited only briefly for locks",
			analyze.Plural(hidden, "thread")), "  ", "    ")
	}
	var legend []string
	for _, c := range used {
		if meaning := meaning(r, c); meaning != "" {
			legend = append(legend, c.head+": "+meaning)
		}
	}
	if cpu {
		legend = append(legend, "ran: on a processor; "+
			"ready: runnable without a processor (both inside and outside of Metal)")
	}
	if len(legend) > 0 {
		wrapParts(w, legend, "  ", "  ")
	}
}

// shownThreads returns the threads for the table: those with the most command buffers, sorted by process and ID.
// `more` counts the others; `hidden` counts threads that only waited for locks, and only briefly.
func shownThreads(r *Report, w *sheet) (shown []Thread, more, hidden int) {
	for _, th := range r.Threads {
		if th.onlyLocks() && th.Time[analyze.PartLock.Key()]*50 < r.Source.WindowNS {
			hidden++
		} else {
			shown = append(shown, th)
		}
	}
	slices.SortStableFunc(shown, func(a, b Thread) int { return cmp.Compare(b.CommandBuffers, a.CommandBuffers) })
	if most := w.rows(mostThreads); most > 0 {
		more = max(0, len(shown)-most)
	}
	shown = shown[:len(shown)-more]
	slices.SortStableFunc(shown, func(a, b Thread) int {
		return cmp.Or(cmp.Compare(a.PID, b.PID),
			cmp.Compare(a.TID, b.TID))
	})
	return shown, more, hidden
}

// moreThreads describes the threads that a table leaves out because they have the fewest command buffers: "6 more
// threads with at most 60 command buffers".
func moreThreads(shown []Thread, more int) string {
	least := 0
	if len(shown) > 0 {
		least = slices.MinFunc(shown, func(a, b Thread) int {
			return cmp.Compare(a.CommandBuffers, b.CommandBuffers)
		}).CommandBuffers
	}
	text := analyze.Plural(more, "more thread")
	if least == 0 {
		return text + " without command buffers"
	}
	return fmt.Sprintf("%s with at most %s", text, analyze.Plural(least, "command buffer"))
}

// onlyLocks reports whether the thread waited for locks and was outside Metal for the rest of its time. It is false
// for a thread that passes its work to another thread for submission, because that work matters.
func (t *Thread) onlyLocks() bool {
	lock := t.Time[analyze.PartLock.Key()]
	return lock > 0 && !t.HandsOver && lock+t.Time[analyze.PartOutside.Key()] == t.WindowNS
}

// processorCell formats a processor time in percent of the time for which samples exist; "?" if there are none.
func (t *Thread) processorCell(n *int64) string {
	if n == nil {
		return "?"
	}
	return percentCell(*n, int64(t.CPUCovered*float64(t.WindowNS)))
}

func threadName(t *Thread) string {
	if t.Name == "" {
		return fmt.Sprint(t.TID)
	}
	return fmt.Sprintf("%s %d", cut(t.Name, 16), t.TID)
}
