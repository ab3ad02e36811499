package analyze

import (
	"cmp"
	"slices"
)

// slicing tells the loader which slice (one of the consecutive time ranges of a run) to load.
type slicing struct {
	*sliced
	core  Interval
	whole Interval // the range of the run that is cut into slices
	last  bool
	apart bool // Options.Apart

	shortestWait func(*Thread) Nanos // Options.ShortestWait
}

// sliced is the state that all slices (consecutive time ranges) of one run share.
type sliced struct {
	processes map[int]*Process // by their index in the file
	threads   map[sliceThread]*Thread
	open      map[bufferName]*CommandBuffer // command buffers from earlier slices, not passed to the user yet
	order     []bufferName                  // the keys of open, in the order in which they were added
	held      map[*Process]*numberSet       // numbers of the command buffers that earlier slices passed to the user
	blocks    *keptBlocks
	cut       int // command buffers that were put into a slice before their end was known
}

type sliceThread struct {
	process *Process
	id      ThreadID
}

type bufferName struct {
	process *Process
	id      uint32
}

// mostOpenBuffers is the maximum number of command buffers that are stored until a later slice has their end. If
// there are more, the oldest is put into a slice without its end, to limit memory. Usual programs have tens of such
// command buffers.
const mostOpenBuffers = 1 << 16

// aroundSlice determines how much time is read before and after a slice (time range) of the run: 1/aroundSlice of
// the slice's length, which is longer than usual command buffers and waits.
const aroundSlice = 16

// aroundApart replaces aroundSlice if Options.Apart is set, that is, if only single events are needed. If a command
// buffer lasts longer than 1/64 of the slice, File.Load reads a wider range.
const aroundApart = 64

// cutWindow returns the time to load for a slice: the slice's own time (part) and some time around it, limited to
// the requested range. It sets core, the slice's own time. The core of the first and the last slice has no limit on
// the outer side, so that events at the range's ends belong to a slice.
func (s *slicing) cutWindow(l *loader, part Interval) Interval {
	asked := s.whole
	s.core = part
	if part.Begin == asked.Begin {
		s.core.Begin = allTime.Begin
	}
	if s.last {
		s.core.End = allTime.End
	}
	run := Interval{l.trace.Run.Origin, l.trace.Run.Origin + l.trace.Run.Length + 1}
	l.trace.TimeRange = Interval{max(run.Begin, asked.Begin), min(run.End, asked.End)}
	around := Interval{max(run.Begin, part.Begin), min(run.End, part.End)}.Length()
	if s.apart {
		around /= aroundApart
	} else {
		around /= aroundSlice
	}
	return Interval{max(asked.Begin, part.Begin-around), min(asked.End, part.End+around)}
}

// process returns the one Process that all slices (time ranges) of a run share for a process of the file. It changes
// only fields that differ between slices, because a writer may still use the previous slice.
func (s *sliced) process(fresh *Process) *Process {
	p := s.processes[fresh.place]
	if p == nil {
		s.processes[fresh.place] = fresh
		return fresh
	}
	p.CPU, p.CPUSamples, p.OfMachine = fresh.CPU, fresh.CPUSamples, fresh.OfMachine
	return p
}

// thread returns the one Thread that all slices (time ranges) of a run share for a thread. It never changes the
// thread's process and ID, which a writer of the previous slice may be reading.
func (s *sliced) thread(fresh *Thread) *Thread {
	key := sliceThread{fresh.Process, fresh.ID}
	t := s.threads[key]
	if t == nil {
		s.threads[key] = fresh
		return fresh
	}
	t.Name, t.Active, t.Working, t.Exclusive, t.WorkingExclusive, t.late = fresh.Name, fresh.Active, fresh.Working,
		fresh.Exclusive, fresh.WorkingExclusive, fresh.late
	t.OnlyIdle, t.Submits, t.CPU, t.Events, t.Lost, t.Notified, t.Exited = fresh.OnlyIdle, fresh.Submits, fresh.CPU,
		fresh.Events, fresh.Lost, fresh.Notified, fresh.Exited
	return t
}

// hold returns the command buffers that ended in this slice (time range) of the run. It keeps command buffers
// without an end for later slices; in the last slice it returns all that are left.
func (s *slicing) hold(t *Trace) (held []*CommandBuffer) {
	for b := range t.Buffers() {
		name := bufferName{b.Process, b.ID}
		if s.heldBefore(name) {
			continue
		}
		before, known := s.open[name]
		if known {
			b.goesOn(before, t)
		}
		switch {
		case s.last || b.ended() && b.end() < s.core.End:
			held = append(held, b)
			s.markHeld(name)
		case known:
			s.open[name] = b.apart()
		case b.begun() < s.core.End || b.begun() == never:
			s.open[name] = b.apart()
			s.order = append(s.order, name)
		}
	}
	if s.last {
		for _, name := range s.order {
			if b := s.open[name]; b != nil && !s.heldBefore(name) {
				held = append(held, b)
			}
		}
		slices.SortStableFunc(held, inCreation)
		return held
	}
	s.order = slices.DeleteFunc(s.order, func(name bufferName) bool { return s.open[name] == nil })
	for len(s.order) > mostOpenBuffers {
		name := s.order[0]
		held = append(held, s.open[name])
		s.markHeld(name)
		s.order = s.order[1:]
		s.cut++
	}
	slices.SortStableFunc(held, inCreation)
	return held
}

func (s *sliced) heldBefore(name bufferName) bool {
	of := s.held[name.process]
	return of != nil && of.has(name.id)
}

func (s *sliced) markHeld(name bufferName) {
	if s.held[name.process] == nil {
		s.held[name.process] = &numberSet{}
	}
	s.held[name.process].add(name.id)
	delete(s.open, name)
}

// begun returns the instant of the command buffer's first known event; the constant never if none is known.
func (b *CommandBuffer) begun() Nanos {
	first := never
	for _, i := range [...]Interval{b.Created.Interval, b.Committed.Interval, b.GPU, b.Completed} {
		if i.Known() {
			first = min(first, i.Begin)
		}
	}
	return first
}

// end returns the instant of the command buffer's last known event; 0 if none is known.
func (b *CommandBuffer) end() Nanos {
	return max(b.Created.End, b.Committed.End, b.GPU.End, b.Completed.End)
}

// ended reports whether the command buffer has completed, so that no further event of it can follow.
func (b *CommandBuffer) ended() bool { return b.Completed.Known() }

// apart returns a copy of the command buffer that shares no memory with its slice (time range) of the run. The copy
// is kept for later slices, and a pointer into the slice's arrays would keep the whole slice in memory.
func (b *CommandBuffer) apart() *CommandBuffer {
	c := *b
	c.Index = NoCommandBuffer
	c.Encoders = slices.Clone(b.Encoders)
	for i := range c.Encoders {
		c.Encoders[i].Dispatches = slices.Clone(c.Encoders[i].Dispatches)
	}
	return &c
}

// goesOn completes a command buffer with the values that an earlier slice (time range) had stored in `before`. If
// both have a value, the value of this slice wins.
func (b *CommandBuffer) goesOn(before *CommandBuffer, t *Trace) {
	later := *b
	*b = *before
	b.Index = later.Index
	for _, q := range t.Queues { // the queue's value in this slice
		if b.Queue != nil && q.Process == b.Queue.Process && q.ID == b.Queue.ID {
			b.Queue = q
		}
	}
	take := func(of *Call, later Call) {
		if later.Known() {
			*of = later
		}
	}
	take(&b.Created, later.Created)
	take(&b.Enqueued, later.Enqueued)
	take(&b.Committed, later.Committed)
	if later.Queue != nil {
		b.Queue = later.Queue
	}
	b.Label, b.Error = cmp.Or(later.Label, before.Label), cmp.Or(later.Error, before.Error)
	b.Scheduled = cmp.Or(later.Scheduled, before.Scheduled)
	b.Handlers = max(later.Handlers, before.Handlers)
	if later.Completed.Known() {
		b.GPU, b.Kernel, b.Completed, b.Status, b.ErrorCode = later.GPU, later.Kernel, later.Completed, later.Status,
			later.ErrorCode
	}
	if len(later.Rows) > 0 {
		b.Rows = later.Rows
	}
	// A slice (time range) that contains the command buffer's creation has read all of its encoders. Otherwise the
	// longer of the two lists is the more complete one.
	if later.Created.Known() || len(later.Encoders) > len(before.Encoders) {
		b.Encoders = later.Encoders
	}
	if len(later.Signals) > len(before.Signals) {
		b.Signals = later.Signals
	}
	if len(later.WaitsFor) > len(before.WaitsFor) {
		b.WaitsFor = later.WaitsFor
	}
}

// A numberSet is a set of consecutively assigned numbers, stored as bits. Damaged traces may have single numbers far
// beyond the others; a map stores these.
type numberSet struct {
	words []uint64
	far   map[uint32]bool
}

// farNumber is the distance from the greatest number so far at which a new number is stored in the map instead of
// the bit set. Without it, one damaged number would allocate a huge bit set.
const farNumber = 1 << 22

func (s *numberSet) has(n uint32) bool {
	return int(n/64) < len(s.words) && s.words[n/64]>>(n%64)&1 != 0 || s.far[n]
}

func (s *numberSet) add(n uint32) {
	switch need := int(n/64) + 1; {
	case need > len(s.words)+farNumber/64:
		if s.far == nil {
			s.far = map[uint32]bool{}
		}
		s.far[n] = true
		return
	case need > len(s.words):
		s.words = append(s.words, make([]uint64, need-len(s.words))...)
	}
	s.words[n/64] |= 1 << (n % 64)
}
