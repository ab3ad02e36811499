package analyze

import (
	"cmp"
	"slices"
)

// A Slice is one of the stretches of time that a run is cut into for outputs that write each event. What happens is in
// the slice in which it ends, with all of its time, so every call, wait and command buffer is in one slice, as it is in
// the whole run. Threads and processes are the same values in all slices of a run; what changes of them is of the last
// that was read. Threads' Exclusive is of the slice's own time, so that it adds up.
type Slice struct {
	// of the slice and of some time around it: what is not Held is there to be referred to; its Calls are counted, not
	// timed
	Trace   *Trace
	Buffers []*CommandBuffer // that came to their end in the slice; in the last one also those that never did

	number int
	of     int
}

// Whole is the only slice of a run that was loaded as one.
func Whole(t *Trace) *Slice {
	return &Slice{Trace: t, Buffers: slices.Collect(t.Buffers()), of: 1}
}

// Held says of what happened, or ended, at an instant whether it is this slice's.
func (s *Slice) Held(at Nanos) bool { return s.Trace.Holds(at) }

// First says whether nothing comes before.
func (s *Slice) First() bool { return s.number == 0 }

// Last says whether nothing comes after.
func (s *Slice) Last() bool { return s.number+1 == s.of }

// slicing describes to a loader the slice that it loads.
type slicing struct {
	*sliced
	core  Interval
	whole Interval // the range of the run that is cut
	last  bool
	apart bool // Options.Apart
}

// sliced is what slices of a run have in common.
type sliced struct {
	processes map[int]*Process // by their place in the file
	threads   map[sliceThread]*Thread
	open      map[bufferName]*CommandBuffer // that have begun in earlier slices and were not held yet
	order     []bufferName                  // of open, as they came
	held      map[*Process]*numberSet       // command buffers that have been
	blocks    *keptBlocks
	cut       int // command buffers that were held before their end was known
}

type sliceThread struct {
	process *Process
	id      ThreadID
}

type bufferName struct {
	process *Process
	id      uint32
}

// mostOpenBuffers is how many command buffers may be open at once before the oldest are held as they are: a program has
// tens of them.
const mostOpenBuffers = 1 << 16

// aroundSlice is which part of a slice's length is read before and after it: as long as command buffers and waits
// usually are, and longer.
const aroundSlice = 16

// aroundApart is aroundSlice where what happened is all that is asked for. Of command buffers that are alive longer
// more is read: see File.Load.
const aroundApart = 64

// EachSlice loads the time that was asked for in slices of about so many records, and passes them on one after
// another. What it returns is how many command buffers were passed on before their end was known, because too many
// were open at once. Options.Visit gets each call once, in the slice in which it ends.
func (f *File) EachSlice(asked Options, records int64, use func(s *Slice, number, of int) error) (cut int, err error) {
	asked = f.Asked(asked)
	parts := f.Parts(asked, records)
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

// asked is the range of time that was asked for.
func (f *File) asked(opts Options) Interval { return f.windowOf(opts).window }

// windowOf is a loader that knows the range of time that was asked for, and nothing else.
func (f *File) windowOf(opts Options) *loader {
	l := &loader{trace: &Trace{}}
	for i, file := range f.reader.Processes() {
		l.processes = append(l.processes, newProcessLoader(file, i))
	}
	l.setWindow(f.reader.Streams(), opts)
	return l
}

// cutWindow is the window that is loaded for a slice: the slice, and some time around it in the range that was asked
// for.
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

// process is the value that stands for a process of the file in all slices. While one is read the slice before may
// still be written, so what is the same in all is left alone.
func (s *sliced) process(fresh *Process) *Process {
	p := s.processes[fresh.place]
	if p == nil {
		s.processes[fresh.place] = fresh
		return fresh
	}
	p.CPU, p.CPUSamples, p.OfMachine = fresh.CPU, fresh.CPUSamples, fresh.OfMachine
	return p
}

// thread is the value that stands for a thread in all slices. Its process and its number are the same in all.
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

// hold is the command buffers that the slice holds. Those that continue are kept until they end.
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

// begun is when the first that is known of the command buffer happened; never when nothing is.
func (b *CommandBuffer) begun() Nanos {
	first := never
	for _, i := range [...]Interval{b.Created.Interval, b.Committed.Interval, b.GPU, b.Completed} {
		if i.Known() {
			first = min(first, i.Begin)
		}
	}
	return first
}

// end is when the last that is known of the command buffer happened.
func (b *CommandBuffer) end() Nanos {
	return max(b.Created.End, b.Committed.End, b.GPU.End, b.Completed.End)
}

// ended says whether nothing more happens to the command buffer.
func (b *CommandBuffer) ended() bool { return b.Completed.Known() }

// apart is a copy that keeps nothing of its slice in memory but itself.
func (b *CommandBuffer) apart() *CommandBuffer {
	c := *b
	c.Index = NoCommandBuffer
	c.Encoders = slices.Clone(b.Encoders)
	for i := range c.Encoders {
		c.Encoders[i].Dispatches = slices.Clone(c.Encoders[i].Dispatches)
	}
	return &c
}

// goesOn adds what was known of the command buffer in an earlier slice.
func (b *CommandBuffer) goesOn(before *CommandBuffer, t *Trace) {
	later := *b
	*b = *before
	b.Index = later.Index
	for _, q := range t.Queues { // as it is in this slice
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
	if later.Created.Known() || len(later.Encoders) > len(before.Encoders) { // all of it was read again
		b.Encoders = later.Encoders
	}
	if len(later.Signals) > len(before.Signals) {
		b.Signals = later.Signals
	}
	if len(later.WaitsFor) > len(before.WaitsFor) {
		b.WaitsFor = later.WaitsFor
	}
}

// A numberSet is a set of numbers that are given one after another, at a bit each; of a damaged trace some may be far
// away.
type numberSet struct {
	words []uint64
	far   map[uint32]bool
}

// farNumber is by how much more than all before a number is far.
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
