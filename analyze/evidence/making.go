package evidence

import "mtrace/analyze"

// MemoryMade is the cost of allocating and freeing memory, and of changing which memory is resident, on the threads
// that take part in the GPU's work, within their working time.
type MemoryMade struct {
	Calls     int           // calls that allocated memory
	Bytes     uint64        // bytes that they allocated
	Changes   int           // calls that changed which memory is resident
	Took      analyze.Nanos // thread time in these calls and in freeing
	Residency analyze.Nanos // the part of Took in calls that changed residency
	Unfed     analyze.Nanos // the part of Took in which the thread had no work on the GPU
	Aside     analyze.Nanos // the part of Unfed on threads that submit next to nothing
}

// FindMemoryMade computes the cost of allocating and freeing memory, and of changing which memory is resident. The
// trace has no single events for freeing. So the share of freeing time during which the thread has work in flight is
// assumed to be the same as for its other calls.
func FindMemoryMade(trace *analyze.Trace, submitters *Submitters) (m MemoryMade) {
	made, fed := map[*analyze.Thread]analyze.Nanos{}, map[*analyze.Thread]analyze.Nanos{}
	// add adds a call of thread t, and returns its length within the thread's working time
	add := func(t *analyze.Thread, i analyze.Interval) analyze.Nanos {
		if !submitters.Participants[t] {
			return 0
		}
		in := i.Intersect(atWork(t))
		if in.Length() <= 0 {
			return 0
		}
		made[t] += in.Length()
		fed[t] += submitters.onGPU[t].LengthWithin(in)
		return in.Length()
	}
	for a := range analyze.Each(trace.Memory.Allocations) {
		if add(a.Thread, allocated(a)) > 0 {
			m.Calls++
			m.Bytes += a.Bytes
		}
	}
	for c := range analyze.Each(trace.Memory.Residency) {
		if n := add(c.Thread, c.Interval); n > 0 {
			m.Changes++
			m.Residency += n
		}
	}
	for _, t := range submitters.Taking {
		took := t.WorkTime[analyze.PartAllocate]
		unfed := took - Scaled(took, Share(fed[t.Thread], made[t.Thread]))
		m.Took += took
		m.Unfed += unfed
		if submitters.IsMinor(t.Thread) {
			m.Aside += unfed
		}
	}
	m.Residency = min(m.Residency, m.Took)
	return m
}
