package evidence

import "mtrace/analyze"

// MemoryMade is the cost of allocating and freeing memory on the threads that take part in the GPU's work, within
// their working time.
type MemoryMade struct {
	Calls int    // calls that allocated memory
	Bytes uint64 // bytes that they allocated
	Took  analyze.Nanos
	Unfed analyze.Nanos // the part of Took in which the GPU had no work of the thread, so that it waits for the thread
	Aside analyze.Nanos // the part of Unfed of threads that submit next to nothing
}

// FindMemoryMade computes the cost of allocating and freeing memory. The trace has no single events for freeing. So
// the share of freeing time during which the thread has work in flight is assumed to be the same as for its
// allocations.
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
		fed[a.Thread] += submitters.onGPU[a.Thread].Within(in)
	}
	for _, t := range submitters.Taking {
		took := t.WorkTime[analyze.PartAllocate]
		unfed := took - Scaled(took, Share(fed[t.Thread], made[t.Thread]))
		m.Took += took
		m.Unfed += unfed
		if submitters.Aside(t.Thread) {
			m.Aside += unfed
		}
	}
	return m
}
