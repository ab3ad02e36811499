package analyze

import (
	"cmp"
	"slices"
	"sort"
)

// A queueEvent is an event that a queue signals when it has done what was committed to it before, or waits for before
// it begins what is committed to it afterwards: methods of Metal 4's queues, whose command buffers have none for that.
type queueEvent struct {
	EventValue
	queue  *Queue
	waits  bool
	at     Nanos
	thread *Thread
}

// addQueueEvents gives what the process's queues signal and wait for to the command buffers that stand for it: the last
// that was committed before the signal, the first after the wait. A queue that has done nothing signals at once, as a
// thread does. The calls of several threads on one queue come in no common order, so this is done when all have been
// read.
func addQueueEvents(l *loader, p *processLoader) {
	var all []queueEvent
	by := map[*Queue][]*CommandBuffer{}
	for _, t := range p.threads {
		for _, e := range t.queued {
			all, by[e.queue] = append(all, e), nil
		}
	}
	if len(all) == 0 {
		return
	}
	slices.SortStableFunc(all, func(a, b queueEvent) int { return cmp.Compare(a.at, b.at) })
	p.buffers.each(func(b *CommandBuffer) {
		if _, asked := by[b.Queue]; asked && b.Committed.Known() {
			by[b.Queue] = append(by[b.Queue], b)
		}
	})
	for _, list := range by {
		slices.SortStableFunc(list, func(a, b *CommandBuffer) int {
			// the last of those committed together
			return cmp.Or(cmp.Compare(a.Committed.Begin, b.Committed.Begin), cmp.Compare(a.GPU.End, b.GPU.End))
		})
	}
	for _, e := range all {
		list := by[e.queue]
		i := sort.Search(len(list), func(i int) bool { return list[i].Committed.Begin > e.at })
		switch {
		case e.waits && i < len(list):
			list[i].WaitsFor = append(list[i].WaitsFor, e.EventValue)
		case e.waits:
		case i > 0:
			list[i-1].Signals = append(list[i-1].Signals, e.EventValue)
		default:
			l.trace.Signals = append(l.trace.Signals, Signal{e.EventValue, p.Process, e.at, e.thread})
		}
	}
}
