package evidence

import "mtrace/analyze"

// An acquisition is the creation of a command buffer that blocked on a full queue.
type acquisition struct {
	analyze.Call
	Buffer *analyze.CommandBuffer
}

// acquisitions finds the creations of command buffers that blocked on a full queue, and who held its command buffers.
func (ev *Evidence) acquisitions(index map[*analyze.Queue]*QueueUse) {
	full := map[*analyze.Queue]*QueueUse{} // at times
	for q, u := range index {
		if u.slots.most() >= u.Capacity() {
			full[q] = u
		}
	}
	for b := range ev.Trace.Buffers() {
		u, t := full[b.Queue], ev.times[b.Created.Thread]
		if u == nil || t == nil || !b.Created.Known() {
			continue
		}
		took := b.Created.Interval.Within(ev.Trace.Window)
		held := u.slots.at(took.Begin)
		if held < u.Capacity() || took.Length() == 0 {
			continue
		}
		ev.FullQueue = append(ev.FullQueue, acquisition{analyze.Call{Interval: took, Thread: b.Created.Thread}, b})
		u.AtCapacity += took.Length()
		own := u.holders[b.Created.Thread]
		t.AcquireOthers += took.Length() * analyze.Nanos(held-min(held, own.at(took.Begin))) / analyze.Nanos(held)
	}
	for _, t := range ev.Threads { // a call's time may have been cut
		t.AcquireOthers = min(t.AcquireOthers, t.Time[analyze.PartAcquire])
	}
}
