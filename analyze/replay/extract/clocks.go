package extract

import (
	"slices"
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay/program"
)

// A clock is a thread that does nothing but set a shared event, at times of its own, like a timer. A command buffer may
// wait for the first value that the clock sets after the command buffer's creation. In a faster or slower program that
// is another value than the recorded one, so the replay must determine the value anew.

// A sharedEvent identifies a shared event of a process.
type sharedEvent struct {
	process *analyze.Process
	id      uint32
}

// findClocks sets Job.Clock of command buffers that wait for a clock: a thread that only sets an event, like a timer.
// Element i of `threads` is the traced thread for thread i of the program.
func (b *builder) findClocks(threads []*analyze.Thread) {
	settings := map[sharedEvent][]*analyze.Signal{}
	for s := range analyze.Each(b.ev.Trace.Signals) {
		e := sharedEvent{s.Process, s.Event}
		settings[e] = append(settings[e], s)
	}
	for e, list := range settings {
		slices.SortStableFunc(list, func(x, y *analyze.Signal) int { return int(x.At - y.At) })
		t := slices.Index(threads, list[0].Thread)
		if t < 0 || !onlySets(&b.program.Threads[t], list) {
			continue
		}
		if waiting := b.waitForNext(e, list); waiting != nil {
			for _, job := range waiting {
				b.program.Jobs[job].Clock = int32(t) + 1
			}
		}
	}
}

// onlySets reports whether a thread is a clock of an event: it does almost nothing but set the event, and it makes
// nearly all settings of the event.
func onlySets(th *program.Thread, settings []*analyze.Signal) bool {
	own, sets := 0, 0
	for _, s := range settings {
		if s.Thread == settings[0].Thread {
			own++
		}
	}
	for i := range th.Steps {
		if th.Steps[i].Kind == program.SetEvent {
			sets++
		}
	}
	return sets <= own && policy.NearlyAll(sets, len(th.Steps)) && policy.NearlyAll(own, len(settings))
}

// waitForNext returns the command buffers that wait for the event, if two conditions hold: nearly all of them wait for
// the first value that was set after their creation, and no command buffer sets the event. Otherwise it returns nil.
// `settings` must be sorted by time.
func (b *builder) waitForNext(e sharedEvent, settings []*analyze.Signal) (waiting []int32) {
	next := 0
	for job, c := range b.buffers {
		if c.Process != e.process {
			continue
		}
		if slices.ContainsFunc(c.Signals, func(v analyze.EventValue) bool { return v.Event == e.id }) {
			return nil
		}
		for _, v := range c.WaitsFor {
			if v.Event != e.id {
				continue
			}
			waiting = append(waiting, int32(job))
			first := sort.Search(len(settings), func(i int) bool { return settings[i].At > c.Created.Begin })
			reached := slices.IndexFunc(settings, func(s *analyze.Signal) bool { return s.Value >= v.Value })
			if reached >= 0 && reached == first {
				next++
			}
		}
	}
	if next < policy.FewestSamples.Count() || !policy.NearlyAll(next, len(waiting)) {
		return nil
	}
	return waiting
}
