package analyze

import (
	"cmp"
	"slices"
)

// A Slice is one of the consecutive time ranges into which a run is cut for outputs that write every event. An event
// belongs to the slice in which it ends, with its whole duration, so each call, wait and command buffer is in exactly
// one slice. Threads and processes are the same pointers in all slices; their changing fields describe the slice that
// was read last. Exclusive of a thread covers the slice's own time only, so that it adds up.
type Slice struct {
	// the trace of the slice and of some time around it. Events that are not Held exist only because others refer to
	// them; their Calls are counted, not timed
	Trace   *Trace
	Buffers []*CommandBuffer // that ended in the slice; the last slice also has those that never ended

	number int
	of     int
}

// Whole returns a run that was loaded at once as its only slice.
func Whole(t *Trace) *Slice {
	return &Slice{Trace: t, Buffers: slices.Collect(t.Buffers()), of: 1}
}

// Held reports whether an event that ended at an instant belongs to this slice.
func (s *Slice) Held(at Nanos) bool { return s.Trace.Holds(at) }

// First reports whether this is the run's first slice.
func (s *Slice) First() bool { return s.number == 0 }

// Last reports whether this is the run's last slice.
func (s *Slice) Last() bool { return s.number+1 == s.of }

// slicing tells a loader which slice to load.
type slicing struct {
	*sliced
	core  Interval
	whole Interval // the range of the run that is cut into slices
	last  bool
	apart bool // Options.Apart
}

// sliced is the state that the slices of a run share.
type sliced struct {
	processes map[int]*Process // by their index in the file
	threads   map[sliceThread]*Thread
	open      map[bufferName]*CommandBuffer // command buffers that began in earlier slices and were in none yet
	order     []bufferName                  // the keys of open, in the order in which they were added
	held      map[*Process]*numberSet       // command buffers that were held before
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

// mostOpenBuffers is the maximum number of command buffers whose end is not known yet. Above it the oldest is passed on
// without its end, to bound the memory.
// Programs have tens of them.
const mostOpenBuffers = 1 << 16

// aroundSlice: 1/aroundSlice of a slice's length is also read before and after the slice. That is longer than usual
// command buffers and waits.
const aroundSlice = 16

// aroundApart replaces aroundSlice where only the events themselves are requested. If a command buffer lasts longer,
// File.Load reads a wider range.
const aroundApart = 64

// EachSlice loads the requested range in slices of about the given number of records and passes them to use in order.
// It returns the number of command buffers that were passed on before their end was known, because too many were open
// at once. Options.Visit receives each call once, in the slice in which the call ends.
func (f *File) EachSlice(asked Options, records int64, use func(s *Slice, number, of int) error) (cut int, err error) {
	asked = f.Asked(asked)
	parts := f.Ranges(asked, records)
	all := &sliced{processes: map[int]*Process{}, threads: map[sliceThread]*Thread{},
		open: map[bufferName]*CommandBuffer{}, held: map[*Process]*numberSet{}, blocks: newKeptBlocks()}
	for i, part := range parts {
		part.slice = &slicing{sliced: all, whole: f.asked(asked), last: i+1 == len(parts), apart: asked.Apart}
		all.blocks.turn()
		t, err := f.Load(part)
		if err != nil {
			return all.cut, err
		}
		s := &Slice{Trace: t, number: i, of: len(parts)}
		s.Buffers = part.slice.hold(t)
		if err := use(s, i, len(parts)); err != nil {
			return all.cut, err
		}
	}
	return all.cut, nil
}

// asked returns the requested time range.
func (f *File) asked(opts Options) Interval { return f.windowOf(opts).window }

// windowOf returns a loader that knows only the requested time range.
func (f *File) windowOf(opts Options) *loader {
	l := &loader{trace: &Trace{}}
	for i, file := range f.reader.Processes() {
		l.processes = append(l.processes, newProcessLoader(file, i))
	}
	l.setWindow(f.reader.Streams(), opts)
	return l
}

// cutWindow returns the window to load for a slice: the slice and some time around it, within the requested range.
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
	l.trace.Window = Interval{max(run.Begin, asked.Begin), min(run.End, asked.End)}
	around := Interval{max(run.Begin, part.Begin), min(run.End, part.End)}.Length()
	if s.apart {
		around /= aroundApart
	} else {
		around /= aroundSlice
	}
	return Interval{max(asked.Begin, part.Begin-around), min(asked.End, part.End+around)}
}

// process returns the Process that stands for a process of the file in all slices. It changes only fields that differ
// between slices, because the previous slice may still be in use by a writer.
func (s *sliced) process(fresh *Process) *Process {
	p := s.processes[fresh.place]
	if p == nil {
		s.processes[fresh.place] = fresh
		return fresh
	}
	p.CPU, p.CPUSamples, p.OfMachine = fresh.CPU, fresh.CPUSamples, fresh.OfMachine
	return p
}

// thread returns the Thread that stands for a thread in all slices. Its process and its number do not change.
func (s *sliced) thread(fresh *Thread) *Thread {
	key := sliceThread{fresh.Process, fresh.ID}
	t := s.threads[key]
	if t == nil {
		s.threads[key] = fresh
		return fresh
	}
	t.Name, t.Active, t.Working, t.Exclusive, t.WorkingExclusive, t.late = fresh.Name, fresh.Active, fresh.Working,
		fresh.Exclusive, fresh.WorkingExclusive, fresh.late
	t.OnlyIdle, t.Submits, t.CPU, t.Events, t.Lost, t.Notified = fresh.OnlyIdle, fresh.Submits, fresh.CPU, fresh.Events,
		fresh.Lost, fresh.Notified
	return t
}

// hold returns the command buffers that belong to the slice. It keeps those that have not ended for later slices.
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

// begun returns the instant of the command buffer's first known event; never if none is known.
func (b *CommandBuffer) begun() Nanos {
	first := never
	for _, i := range [...]Interval{b.Created.Interval, b.Committed.Interval, b.GPU, b.Completed} {
		if i.Known() {
			first = min(first, i.Begin)
		}
	}
	return first
}

// end returns the instant of the command buffer's last known event.
func (b *CommandBuffer) end() Nanos {
	return max(b.Created.End, b.Committed.End, b.GPU.End, b.Completed.End)
}

// ended reports whether the command buffer has completed, so that no event follows.
func (b *CommandBuffer) ended() bool { return b.Completed.Known() }

// apart returns a copy that does not keep the slice's other data in memory.
func (b *CommandBuffer) apart() *CommandBuffer {
	c := *b
	c.Index = NoCommandBuffer
	c.Encoders = slices.Clone(b.Encoders)
	for i := range c.Encoders {
		c.Encoders[i].Dispatches = slices.Clone(c.Encoders[i].Dispatches)
	}
	return &c
}

// goesOn adds the data of the command buffer from an earlier slice.
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
	// the later slice read the whole command buffer again
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

// A numberSet is a bit set of numbers that are assigned consecutively. A damaged trace may have some numbers far beyond
// the others.
type numberSet struct {
	words []uint64
	far   map[uint32]bool
}

// farNumber is the distance from all earlier numbers beyond which a number is not stored in the bit set.
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
