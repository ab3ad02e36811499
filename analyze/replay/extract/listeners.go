package extract

import (
	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay/program"
)

// awaitedByListeners returns the waits for signals in which a thread in fact also waited for its own command buffer:
// the command buffer sets a shared event, a listener's block runs when it has done so, and the block's signal ends the
// wait. The value is that command buffer. Threads count only if nearly all their waits at such an object are like that;
// else the signal may have come without the command buffer.
func awaitedByListeners(ev *evidence.Evidence) map[*analyze.SignalWait]*analyze.CommandBuffer {
	type value struct {
		process *analyze.Process
		analyze.EventValue
	}
	listened := map[value]bool{}
	for l := range analyze.Each(ev.Trace.Listeners) {
		listened[value{l.Process, l.EventValue}] = true
	}
	if len(listened) == 0 {
		return nil
	}
	by := map[*analyze.Thread][]*analyze.CommandBuffer{} // by commit
	for b := range ev.Releases.All() {
		for _, s := range b.Signals {
			if t := b.Committed.Thread; b.GPU.Known() && listened[value{b.Process, s}] {
				by[t] = append(by[t], b)
				break
			}
		}
	}
	type place struct {
		thread *analyze.Thread
		object uint64
	}
	found, all := map[*analyze.SignalWait]*analyze.CommandBuffer{}, map[place]int{}
	next, awaited := map[*analyze.Thread]int{}, map[place]int{}
	for w := range analyze.Each(ev.ThreadWaits.Merged) {
		list, at := by[w.Thread], place{w.Thread, w.Object}
		if len(list) == 0 || w.Signaller == nil || w.Signaller == w.Thread {
			continue
		}
		all[at]++
		k := next[w.Thread]
		for k < len(list) && list[k].Committed.Begin < w.Begin {
			k++
		}
		if next[w.Thread] = k; k == 0 {
			continue
		}
		if last := list[k-1]; last.GPU.End > w.Begin && last.GPU.End <= w.Signalled {
			found[w] = last
			awaited[at]++
		}
	}
	for w := range found {
		if at := (place{w.Thread, w.Object}); !policy.AtLeast(policy.DominantShare, awaited[at], all[at]) {
			delete(found, w)
		}
	}
	return found
}

// addListened adds waits for the command buffers in b.listened, from the begin of the wait for the signal to the end of
// the command buffer on the GPU.
func (b *builder) addListened(add func(analyze.Call, program.Step, program.Detail, *analyze.LockWait)) {
	for w := range analyze.Each(b.ev.ThreadWaits.Merged) {
		c := b.listened[w]
		if c == nil {
			continue
		}
		if i, known := b.job(c.Index); known {
			call := w.Call
			call.End = c.GPU.End
			add(call, program.Step{Kind: program.Wait, Job: i}, program.Detail{Waited: call.Length()}, nil)
		}
	}
}

// afterListened returns the wait w without the part in b.listened.
func (b *builder) afterListened(w *analyze.SignalWait) *analyze.SignalWait {
	c := b.listened[w]
	if c == nil {
		return w
	}
	if _, known := b.job(c.Index); !known {
		return w
	}
	rest := *w
	rest.Begin = c.GPU.End
	return &rest
}
