package insight

import (
	"cmp"
	"slices"
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
)

// A hostWork is the time that a thread worked on the processor for one command buffer: from its previous commit to
// the commit of this command buffer, without the waits in between.
type hostWork struct {
	buffer *analyze.CommandBuffer
	whole  analyze.Nanos
	encode analyze.Nanos // the part of whole from the creation of the command buffer on
	paused analyze.Nanos // the longest of these waits
}

// hostWork returns, by command buffer, the processor work of the threads in `idle`. A thread's first command buffer
// is left out, because the thread has no earlier commit at which its work could begin.
func (in *Input) hostWork(idle map[*analyze.Thread]away) map[analyze.CommandBufferIndex]hostWork {
	by := map[*analyze.Thread][]*analyze.CommandBuffer{}
	for b := range in.Trace.Buffers() {
		th := b.Committed.Thread
		if _, looked := idle[th]; looked && b.Committed.Known() && b.Created.Known() && b.Created.Thread == th {
			by[th] = append(by[th], b)
		}
	}
	works := map[analyze.CommandBufferIndex]hostWork{}
	for th, buffers := range by {
		slices.SortFunc(buffers, func(a, b *analyze.CommandBuffer) int {
			return cmp.Compare(a.Committed.Begin, b.Committed.Begin)
		})
		for i := 1; i < len(buffers); i++ {
			b, of := buffers[i], idle[th]
			step := analyze.Interval{Begin: buffers[i-1].Committed.End, End: b.Committed.End}
			encoding := analyze.Interval{Begin: max(step.Begin, b.Created.Begin), End: step.End}
			works[b.Index] = hostWork{b, step.Length() - of.notWorking.LengthWithin(step),
				encoding.Length() - of.notWorking.LengthWithin(encoding), of.longestWait(step)}
		}
	}
	return works
}

// An away holds the times in which a thread did not compute: its waits, and its waits together with its compilations.
type away struct {
	waits      []analyze.Interval // disjoint and in ascending order
	notWorking *evidence.Busy
}

// longestWait returns the longest wait inside the interval; a wait that extends beyond the interval counts with its
// part inside.
func (a away) longestWait(i analyze.Interval) (longest analyze.Nanos) {
	first := sort.Search(len(a.waits), func(k int) bool { return a.waits[k].End > i.Begin })
	for _, w := range a.waits[first:] {
		if w.Begin >= i.End {
			break
		}
		longest = max(longest, analyze.Interval{Begin: max(w.Begin, i.Begin), End: min(w.End, i.End)}.Length())
	}
	return longest
}

// awayOf returns when threads did not work, for all threads with series of equal command buffers.
func (in *Input) awayOf() map[*analyze.Thread]away {
	waits, compiles := map[*analyze.Thread][]analyze.Interval{}, map[*analyze.Thread][]analyze.Interval{}
	for _, s := range in.series() {
		waits[s.thread] = nil
	}
	add := func(c *analyze.Call, to map[*analyze.Thread][]analyze.Interval) {
		if _, looked := waits[c.Thread]; looked {
			to[c.Thread] = append(to[c.Thread], c.Interval)
		}
	}
	t := in.Trace
	for i := range t.Waits {
		add(&t.Waits[i].Call, waits)
	}
	for i := range t.CPUWaits.Locks {
		add(&t.CPUWaits.Locks[i].Call, waits)
	}
	for i := range t.CPUWaits.Signals {
		add(&t.CPUWaits.Signals[i].Call, waits)
	}
	for i := range t.CPUWaits.Blocked {
		add(&t.CPUWaits.Blocked[i].Call, waits)
	}
	for i := range t.CPUWaits.Drawables {
		add(&t.CPUWaits.Drawables[i], waits)
	}
	for i := range t.Compilations {
		add(&t.Compilations[i].Call, compiles)
	}
	all := map[*analyze.Thread]away{}
	for th, list := range waits {
		list = analyze.Union(list)
		all[th] = away{list, evidence.NewBusy(append(slices.Clone(list), compiles[th]...))}
	}
	return all
}
