package page

import (
	"cmp"
	"fmt"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/memory"
)

// A Builder collects what the page draws. The run is loaded in slices (consecutive time ranges): the caller passes
// each call (Call), and after the calls of a slice the slice itself (Slice). At the end Document returns the
// document. The Builder's memory does not grow with the length of the run.
type Builder struct {
	origin, begin, end analyze.Nanos
	lanes              int
	threads            map[*analyze.Thread]*thread
	order              []*thread
	latest             *thread // the thread that was looked up last
	gpus               map[gpuName]*gpu
	gpuOrder           []*gpu
	queues             map[queueName]*steps
	queueOrder         []queueName
	devices            map[analyze.Device]*device
	deviceOrder        []analyze.Device
	flows              flows
	stacks             stacks
	marks              marks
	living             *memory.Levels
	like               map[laneName]uint8 // colours of threads in another document, to be used again
	memory             map[*analyze.Process]*steps
	memoryOrder        []*analyze.Process

	start, gpu, notify counts
}

// NewBuilder returns a Builder for one run.
func NewBuilder() *Builder {
	return &Builder{threads: map[*analyze.Thread]*thread{}, gpus: map[gpuName]*gpu{}, queues: map[queueName]*steps{},
		devices: map[analyze.Device]*device{},
		living:  memory.NewLevels(), memory: map[*analyze.Process]*steps{}, flows: newFlows(), stacks: newStacks()}
}

// A laneName identifies a thread in all documents of a trace. Pointers to threads do not, because each load makes new
// ones.
type laneName struct {
	pid int
	tid uint64
}

// Like gives each thread the colour that it has in `other`, a document of the same trace, so that colours do not
// change when the user zooms. It must be called before all other methods. If `other` is nil, it does nothing.
func (b *Builder) Like(other *Document) {
	if other == nil {
		return
	}
	b.like = map[laneName]uint8{}
	for i := range other.Lanes {
		if l := &other.Lanes[i]; l.Shows == LaneThread {
			b.like[laneName{l.PID, l.TID}] = uint8(l.Color)
		}
	}
}

// thread holds what the page draws of one thread. Its calls and its waits for the GPU arrive separately and overlap in
// time, so each has a track (a list of blocks) of its own. Document merges both tracks into one lane.
type thread struct {
	*analyze.Thread
	color        uint8
	number       int  // from 1
	works        bool // the thread commits, or waits for the GPU
	flat         flat
	calls, waits track
	scopes       []*scopeLane
	active       analyze.Interval // over the whole run
}

func (b *Builder) thread(of *analyze.Thread) *thread {
	if b.latest != nil && b.latest.Thread == of { // consecutive calls are mostly of one thread
		return b.latest
	}
	t := b.threads[of]
	if t == nil {
		t = &thread{Thread: of, number: len(b.order) + 1}
		t.color = uint8((t.number - 1) % colors)
		if color, known := b.like[laneName{pid(t), uint64(of.ID)}]; known {
			t.color = color
		}
		b.threads[of], b.order = t, append(b.order, t)
		b.lanes += 2
	}
	b.latest = t
	return t
}

// mostKept limits the number of blocks and cells that the Builder stores in all lanes together. Each lane may have at
// least leastKept, however many lanes there are.
const (
	mostKept  = 1 << 18
	leastKept = 1 << 8
)

// room returns how many blocks and cells one lane may have at the moment. The more lanes there are, the fewer.
func (b *Builder) room() int { return max(leastKept, min(1<<14, mostKept/max(1, b.lanes))) }

// kindSignal is the kind of a block in which a thread waits for a signal. The other kinds are the parts of a thread's
// time (analyze.Part); a wait for a signal is drawn in place of the part outside of Metal.
const kindSignal = uint8(analyze.PartOutside)

// Call adds a call. It can be used as analyze.Options.Visit.
func (b *Builder) Call(c *analyze.VisitedCall) {
	t := b.thread(c.Thread)
	p := piece{block: block{Interval: c.Interval, name: c.Row.Selector, kind: kindSignal,
		stack: b.stacks.number(c.Stack)}, yields: c.Yields()}
	switch part := c.Part(); {
	case part == analyze.PartCount:
		p.hidden = true
	case !p.yields:
		p.kind = uint8(part)
	}
	t.flat.add(p, c.Absorbs(), func(x block) { t.calls.add(x, b.room()) })
}

// Slice adds the threads, command buffers, waits, scopes and memory of a slice, the next part of the run. Call must
// have received the slice's calls before.
func (b *Builder) Slice(s *analyze.Slice) error {
	t := s.Trace
	b.origin, b.begin, b.end = t.Run.Origin, t.TimeRange.Begin, t.TimeRange.End
	if b.origin == 0 {
		b.origin = b.begin
	}
	for _, of := range t.Threads {
		x := b.thread(of)
		if x.active.End == 0 {
			x.active = of.Active
		}
		x.active = analyze.Interval{Begin: min(x.active.Begin, of.Active.Begin), End: max(x.active.End, of.Active.End)}
	}
	b.buffers(s)
	b.waits(s)
	b.peers(s.Trace)
	b.scopes(s)
	b.living.Each(s, func(p *analyze.Process, at analyze.Nanos, bytes int64) {
		if b.memory[p] == nil {
			b.memory[p], b.memoryOrder = &steps{}, append(b.memoryOrder, p)
		}
		b.memory[p].change(at, float64(bytes))
	})
	return nil
}

// waits adds the waits for the GPU that ended in the slice (a time range of the run). A wait becomes several blocks,
// one for each part of its time, such as the time in which the GPU worked.
func (b *Builder) waits(s *analyze.Slice) {
	work := evidence.Locate(s.Trace)
	for i := range s.Trace.Waits {
		w := &s.Trace.Waits[i]
		if w.Thread == nil || !s.Includes(w.End) {
			continue
		}
		t := b.thread(w.Thread)
		t.works = true
		x := block{name: w.Selector, stack: b.stacks.number(w.Stack)}
		buffer := s.Trace.WaitsFor(w)
		if buffer != nil {
			x.of = b.flows.by[bufferID{buffer.Process, buffer.ID}]
			if by := buffer.Committed.Thread; by != nil && by != w.Thread {
				x.by = b.thread(by).number
			}
		}
		for _, p := range work.Place(w) {
			x.Interval, x.kind = p.Interval, uint8(p.Part)
			t.waits.add(x, b.room())
		}
		if buffer != nil && !w.Unfinished && !w.Scheduled {
			b.flows.wake(buffer, t, w.Interval)
			if buffer.GPU.Known() && buffer.GPU.End <= w.End && buffer.GPU.End >= w.Begin {
				b.notify.add(w.End - buffer.GPU.End)
			}
		}
	}
}

// Model adds encoders and commits as calls, for sources such as Instruments that do not record calls. It must be
// called before Slice.
func (b *Builder) Model(t *analyze.Trace) {
	for _, c := range timelineOf(t) {
		x := b.thread(c.thread)
		c.piece.stack = b.stacks.number(c.stack)
		x.flat.add(c.piece, false, func(at block) { x.calls.add(at, b.room()) })
	}
}

// threadName returns the text that labels a thread's lane: its name, or "thread", and its ID.
func threadName(t *analyze.Thread) string {
	return cmp.Or(t.Name, "thread") + fmt.Sprintf(" %d", t.ID)
}
