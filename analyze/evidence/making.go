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

// FindMemoryMade finds what allocating memory takes. The model has no event for freeing: freeing is assumed to happen
// while work is in flight as often as allocating does.
func FindMemoryMade(trace *analyze.Trace, submitters *Submitters) (m MemoryMade) {
	made, fed := map[*analyze.Thread]analyze.Nanos{}, map[*analyze.Thread]analyze.Nanos{}
	for a := range analyze.Each(trace.Memory.Allocations) {
		if !submitters.TakesPart[a.Thread] {
			continue
		}
		in := analyze.Interval{Begin: a.At, End: a.At + a.Took}.Within(atWork(a.Thread))
		if in.Length() <= 0 {
			continue
		}
		m.Calls++
		m.Bytes += a.Bytes
		made[a.Thread] += in.Length()
		fed[a.Thread] += submitters.InFlight[a.Thread].Within(in)
	}
	for _, t := range submitters.Taking {
		took := t.WorkTime[analyze.PartAllocate]
		unfed := took - Scaled(took, Share(fed[t.Thread], made[t.Thread]))
		m.Took += took
		m.Unfed += unfed
		if !submitters.Submits[t.Thread] {
			m.Aside += unfed
		}
	}
	return m
}
