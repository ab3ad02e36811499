package evidence

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// Submitters has the threads that take part in the GPU's work: they commit, wait for GPU work, or pass work to a
// thread that commits for them.
type Submitters struct {
	Taking       []*ThreadTime            // the threads that take part, with their use of time
	Participants map[*analyze.Thread]bool // the threads of Taking, for look-ups
	Submits      map[*analyze.Thread]bool // threads that commit a considerable share of the work
	requests     map[*analyze.Thread]bool // threads for which another thread submits
	Committers   int
	Steady       int                       // number of threads that commit more than 1% of the work
	steady       map[*analyze.Thread]bool  // the threads that Steady counts
	Time         analyze.Nanos             // working time of all threads that take part
	InFlight     map[*analyze.Thread]*Busy // when each thread had work in flight
	// the times in which the GPU had not yet ended a thread's work in flight. Unlike InFlight, they do not include
	// delays after the end on the GPU, such as notifications and completion handlers
	onGPU    map[*analyze.Thread]*Busy
	Unfed    float64 // share of the threads' time outside of Metal in which they had no work in flight
	Occupied float64 // share of the time of the threads in Submits in which they have work in flight
}

// FindSubmitters finds the threads that take part in the GPU's work, and the times in which each had work in flight.
func FindSubmitters(trace *analyze.Trace, times *ThreadTimes, blocked Blocked, completions Completions) *Submitters {
	s := &Submitters{Participants: map[*analyze.Thread]bool{}, Submits: map[*analyze.Thread]bool{},
		steady: map[*analyze.Thread]bool{}, requests: map[*analyze.Thread]bool{}, Time: times.Working(),
		InFlight: workInFlight(trace, completions.At),
		onGPU:    workInFlight(trace, completions.onGPU)}
	for _, t := range times.Threads {
		if t.Submits() {
			s.Taking, s.Participants[t.Thread] = append(s.Taking, t), true
		}
		if t.HandsOver {
			s.requests[t.Thread] = true
		}
		if t.CommandBuffers > 0 {
			s.Committers++
		}
		if policy.MoreThan(policy.NegligibleShare, t.CommandBuffers, len(trace.CommandBuffers)) {
			s.Steady++
			s.steady[t.Thread] = true
		}
	}
	s.findSubmits(trace)
	s.Unfed = s.shareUnfed(blocked)
	return s
}

// Share returns the time n as a share of the working time of all threads that take part.
func (s *Submitters) Share(n analyze.Nanos) float64 { return Share(n, s.Time) }

// IsMinor reports whether a thread's delays hardly delay the GPU's work: the thread commits next to nothing, and no
// other thread submits for it. Delays of a server's client do matter although it commits nothing: it requests no work
// meanwhile.
func (s *Submitters) IsMinor(t *analyze.Thread) bool { return !s.Submits[t] && !s.requests[t] }

// workInFlight returns when each thread had committed work that had not ended; `ends` returns the end of a command
// buffer. In these times the GPU does not wait for the thread. The thread may wait for the GPU without a recorded
// call, by polling or by sleeping on a semaphore that a completion handler posts.
func workInFlight(
	trace *analyze.Trace, ends func(*analyze.CommandBuffer) analyze.Nanos,
) map[*analyze.Thread]*Busy {
	by := map[*analyze.Thread][]analyze.Interval{}
	for b := range trace.Buffers() {
		t := b.Committed.Thread
		if t == nil || !b.Committed.Known() {
			continue
		}
		if end := ends(b); end > b.Committed.End {
			by[t] = append(by[t], analyze.Interval{Begin: b.Committed.End, End: end})
		}
	}
	return unions(by)
}

// shareUnfed returns the share (0 to 1) of the threads' time outside of Metal in which they had no work in flight, so
// that the GPU waited for them.
func (s *Submitters) shareUnfed(blocked Blocked) float64 {
	var outside, fed analyze.Nanos
	for _, t := range s.Taking {
		flight, working := s.InFlight[t.Thread], atWork(t.Thread)
		inside := analyze.Nanos(0)
		for _, b := range NewBusy(blocked[t.Thread].spans(onGPU, onOthers, onLock, onQueue, onCompile,
			onResidency)).Spans() {
			inside += flight.LengthWithin(b.Intersect(working))
		}
		o := t.WorkTime[analyze.PartOutside]
		outside += o
		fed += min(o, max(0, flight.LengthWithin(working)-inside))
	}
	return 1 - Share(fed, outside)
}

// findSubmits finds the threads that commit a considerable share of the command buffers, and the share of their time
// in which they have work in flight.
func (s *Submitters) findSubmits(trace *analyze.Trace) {
	var time, occupied analyze.Nanos
	for _, t := range s.Taking {
		if !policy.AtLeast(policy.LargeShare, t.CommandBuffers*len(s.Taking), len(trace.CommandBuffers)) {
			continue
		}
		s.Submits[t.Thread] = true
		time += t.Working
		occupied += s.InFlight[t.Thread].LengthWithin(atWork(t.Thread))
	}
	s.Occupied = Share(occupied, time)
}
