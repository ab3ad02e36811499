package evidence

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// Polling is the cost of threads that poll for the completion of a command buffer instead of waiting in a call.
type Polling struct {
	Waits int           // for command buffers, by polling
	Asked int           // number of polls in all waits
	Gap   analyze.Nanos // median time between the last two polls of a wait
	Late  analyze.Nanos // median time from the completion to the poll that saw it
	Lost  analyze.Nanos // how much later polling threads continued than threads that are woken
	// for command buffers for which a thread polled that did not commit them: that thread
	Watcher map[analyze.CommandBufferIndex]*analyze.Thread
}

// FindPolling computes the time lost by polling: how much later a poll saw the completion than a thread that waits in
// a call would have been woken. Completion handlers do not delay a poll, because the status changes before they run.
// It leaves out polls for the scheduled status, and polls for event values that threads set.
func FindPolling(t *analyze.Trace) (p Polling) {
	usual, _ := UsualCompletion(t)
	var gaps, lates []analyze.Nanos
	for w := range analyze.Each(t.Waits) {
		b := t.WaitsFor(w)
		if w.Polls == 0 || b == nil || !b.GPU.Known() || w.Scheduled || w.Unfinished {
			continue
		}
		late := max(0, w.End-max(w.Begin, b.GPU.End+usual))
		p.Waits++
		p.Asked += w.Polls
		p.Lost += max(0, late-policy.LongestWakeup.Nanos())
		if b.Committed.Thread != w.Thread {
			if p.Watcher == nil {
				p.Watcher = map[analyze.CommandBufferIndex]*analyze.Thread{}
			}
			p.Watcher[w.Buffer] = w.Thread
		}
		gaps, lates = append(gaps, w.PollGap), append(lates, late)
	}
	p.Gap, p.Late = Median(gaps), Median(lates)
	return p
}
