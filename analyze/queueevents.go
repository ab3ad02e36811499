package analyze

import (
	"cmp"
	"slices"
	"sort"
)

// addQueueEvents attaches the events of Metal 4 queues to command buffers: a signal to the last command buffer
// committed before it, a wait to the first one committed after it. A signal without an earlier command buffer happens
// at once, as if the thread sent it. It must run after all records were read, because calls of several threads on one
// queue are not read in the order of time.
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
			// command buffers committed together have the same commit time; the one that ends last on the GPU counts as the
			// last
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
