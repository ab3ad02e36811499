package evidence

import "mtrace/analyze"

// MemoryMade is what threads that take part spent making memory and giving it back, in their working time.
type MemoryMade struct {
	Calls int    // that made some
	Bytes uint64 // that they made
	Took  analyze.Nanos
	Unfed analyze.Nanos // part of Took with nothing of the thread's own in flight: the GPU waits for it then
	Aside analyze.Nanos // part of Unfed, of threads that submit next to nothing
}

// MemoryMade finds what making memory takes. Giving it back is no event of the model's: it is taken to happen beside
// work in flight as often as the making.
func (ev *Evidence) MemoryMade() (m MemoryMade) {
	made, fed := map[*analyze.Thread]analyze.Nanos{}, map[*analyze.Thread]analyze.Nanos{}
	for a := range analyze.Each(ev.Trace.Allocations) {
		if !ev.TakesPart[a.Thread] {
			continue
		}
		in := analyze.Interval{Begin: a.At, End: a.At + a.Took}.Within(atWork(a.Thread))
		if in.Length() <= 0 {
			continue
		}
		m.Calls++
		m.Bytes += a.Bytes
		made[a.Thread] += in.Length()
		fed[a.Thread] += ev.inFlight[a.Thread].Within(in)
	}
	for _, t := range ev.Taking {
		took := t.WorkTime[analyze.PartAllocate]
		unfed := took - Scaled(took, Share(fed[t.Thread], made[t.Thread]))
		m.Took += took
		m.Unfed += unfed
		if !ev.Submits[t.Thread] {
			m.Aside += unfed
		}
	}
	return m
}
