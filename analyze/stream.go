package analyze

import (
	"cmp"
	"slices"

	"mtrace/collector/wire"
)

// A streamLoader reads the records of one ring: those of one thread after another.
type streamLoader struct {
	*loader
	process *processLoader
	thread  *threadLoader
	ring    uint16
	held    wire.Record // waits for the More record that belongs to it
	holding bool
	before  wire.Record // the last of the batch before that is no More record
	stray   int64       // More records that belong to nothing
	more    wire.More   // of the call at hand
	near    *ticks      // nil: all records are wanted
	flights flights     // whose records are wanted wherever they are
	visited VisitedCall

	stacks      openStacks
	interpreter InterpreterLock // of the call at hand
	openScopes  []openScope     // the innermost last
	lastNames   *Names          // of what was encoded last
}

var noMore wire.More

// batch takes in the next records of the ring.
func (s *streamLoader) batch(records []wire.Record) error {
	if s.holding && len(records) > 0 {
		s.holding = false
		if records[0].Call == wire.CallMore {
			s.more = records[0].More()
			s.record(&s.held, &s.more)
			records = records[1:]
		} else {
			s.record(&s.held, &noMore)
		}
	}
	for i := 0; i < len(records); i++ {
		r := &records[i]
		switch {
		case r.Call == wire.CallMore:
			s.countStray(records[:i])
		case r.Flags&wire.HasMore == 0:
			s.record(r, &noMore)
		case i+1 == len(records):
			s.held, s.holding = *r, true
		case records[i+1].Call == wire.CallMore:
			i++
			// Field by field, from where they are: they were written a moment ago.
			m := &records[i]
			s.more.X0, s.more.X1, s.more.X2, s.more.X3, s.more.Flags = uint64(m.Begin), uint64(m.End), m.Arg, uint32(m.Object),
				m.Flags
			s.record(r, &s.more)
		default:
			s.record(r, &noMore)
		}
	}
	if last := lastBefore(records); last != nil {
		s.before = *last
	}
	return nil
}

// lastBefore is the last record that is no More record; nil when there is none.
func lastBefore(records []wire.Record) *wire.Record {
	for i := len(records) - 1; i >= 0; i-- {
		if records[i].Call != wire.CallMore {
			return &records[i]
		}
	}
	return nil
}

// countStray counts a More record that belongs to nothing and comes after others of its batch. It has no time of its
// own, so it is where the record before it is: what is read around a slice is read for its neighbour, too.
func (s *streamLoader) countStray(before []wire.Record) {
	last := cmp.Or(lastBefore(before), &s.before)
	if s.counts(s.process.clock.interval(last.Begin, last.End).End) {
		s.stray++
	}
}

// finish ends the ring.
func (s *streamLoader) finish() {
	if s.holding {
		s.record(&s.held, &noMore)
		s.holding = false
	}
}

// record takes in one record with what goes with it.
func (s *streamLoader) record(r *wire.Record, m *wire.More) {
	if s.near != nil && (r.End < s.near.first || min(r.Begin, r.End) > s.near.last) && !r.Call.Lasts() &&
		(s.flights == nil || s.flights.of(r, m) == nil) {
		return
	}
	rule := ruleOf(r.Call)
	if rule.note {
		s.note(rule, r, m)
		return
	}
	if s.thread == nil {
		s.startThread(s.unknownThread(), "")
	}
	at := s.process.clock.interval(r.Begin, r.End)
	if at.End < at.Begin || at.End-at.Begin > longestTime {
		at.Begin = at.End
		s.skew(at.End)
	}
	var stack *Stack
	s.interpreter = InterpreterNotKnown
	if len(s.stacks.pending) > 0 {
		stack, s.interpreter = s.stacks.of(r.Begin)
	}
	if r.Flags&(wire.HoldsInterpreter|wire.LacksInterpreter) != 0 {
		s.interpreter = interpreterOf(r.Flags)
	}
	s.process.end = max(s.process.end, at.End)
	s.use(rule, Call{at, s.thread.Thread, stack}, r, m)
	if rule.effect == wire.EffectEncodesLayer {
		s.leave(rule.row.Family)
	}
}

// note takes in a record of the tracer's own.
func (s *streamLoader) note(rule *rule, r *wire.Record, m *wire.More) {
	switch rule.effect {
	case wire.EffectSeesStack:
		s.stack(r)
	case wire.EffectCompletes:
		s.completed(r, m)
	case wire.EffectFails:
		if b := s.process.buffer(r.Object); b != nil {
			b.Error = s.process.text(r.Arg)
		}
	case wire.EffectSchedules:
		if b := s.process.buffer(r.Object); b != nil {
			b.Scheduled = s.process.clock.at(r.Begin)
		}
	case wire.EffectStartsThread:
		s.stacks.pending = s.stacks.pending[:0]
		s.openScopes = s.openScopes[:0]
		s.startThread(ThreadID(r.Arg), s.process.text(m.X0))
	case wire.EffectMeters:
		at := s.process.clock.at(r.Begin)
		if _, visible := s.clip(Interval{at, at}); visible {
			s.trace.Memory.Device = append(s.trace.Memory.Device, DeviceMemory{at, s.device(s.process, r.Object),
				s.process.Process, r.Arg})
		}
	case wire.EffectChecks:
		s.process.canarySeen(r)
	case wire.EffectFeeds:
		if p := s.process.Process; !slices.Contains(p.writes, r.Arg) {
			p.writes = append(p.writes, r.Arg)
		}
	case wire.EffectTimes:
		s.encoderTimes(r, m)
	case wire.EffectEntersLayer:
		s.enter(r)
	case wire.EffectMarks, wire.EffectScopes:
		s.scope(r, rule.effect == wire.EffectMarks)
	case wire.EffectSpans:
		s.addScope(Interval{s.process.clock.at(r.Begin), s.process.clock.at(r.End)}, Scope{Name: s.process.text(r.Arg),
			shared: true, Call: Call{Thread: s.threadOf(s.process, ThreadID(m.X0)).Thread}})
	case wire.EffectOpensScope:
		s.scopeBegins(r)
	}
}

// use counts a call, gives its time to its thread and keeps what it says of Metal's objects.
func (s *streamLoader) use(rule *rule, call Call, r *wire.Record, m *wire.More) {
	inside, visible := s.clip(call.Interval)
	s.thread.roles |= rule.roles
	if visible {
		slot := s.count(rule, inside, call, r, m, false)
		if s.adds && call.Begin < s.window.Begin { // in the part in which it began
			visible = false
		} else {
			slot.count++
			if s.slice == nil { // nobody asks a slice how calls are spread
				slot.sums.add(call.Length())
			}
			if s.onCall != nil {
				s.visit(rule, call, r, m, false)
			}
		}
	}
	if rule.effect != wire.EffectNone {
		s.apply(rule, call, r, m, visible)
	}
}

// count gives a call's time to its thread; inside is the part of it in the range that was asked for. What it returns is
// where calls of its kind are counted.
func (s *streamLoader) count(rule *rule, inside Interval, call Call, r *wire.Record, m *wire.More,
	unfinished bool) *callSlot {
	t := s.thread
	at := t.slot(s.loader, r.Call, r.Flags.Class(), call.Stack)
	sp := t.nest.next()
	sp.begin, sp.end, sp.slot, sp.item = inside.Begin, inside.End, at, -1
	sp.part, sp.absorbs, sp.yields, sp.blocks = rule.part, rule.absorbs, rule.yields, rule.blocks
	if t.Active.End == 0 || inside.Begin < t.Active.Begin {
		t.Active.Begin = inside.Begin
	}
	t.Active.End = max(t.Active.End, inside.End)
	if rule.kept {
		sp.item = s.keep(rule, inside, call, r, m, unfinished)
	}
	t.nest.place()
	if s.slice != nil && !s.slice.apart {
		t.countInCore(rule, inside, s.slice.core)
	}
	return &t.slots[at]
}

// skew counts a record that ended at an instant and whose times cannot be right.
func (s *streamLoader) skew(at Nanos) {
	if s.counts(at) {
		s.skewed++
	}
}

// counts says whether what is amiss at an instant counts in this part of the run, or in another.
func (s *streamLoader) counts(at Nanos) bool {
	if s.slice != nil {
		return s.trace.Holds(at)
	}
	return s.window.holds(at)
}

// keep keeps a call for the model, and returns where in the list of its thread.
func (s *streamLoader) keep(rule *rule, inside Interval, call Call, r *wire.Record, m *wire.More, unfinished bool) (
	item int32) {
	t := s.thread
	switch rule.effect {
	default:
		item = int32(t.waits.count)
		w := t.waits.add(inside.Begin)
		w.set(call, s.interpreter, r, unfinished)
		w.earlier = s.adds && call.Begin < s.window.Begin
		if rule.object == wire.KindCommandBuffer {
			s.bufferOf(r.Object)
		}
	case wire.EffectBlocks:
		item = int32(t.locks.count)
		k := t.locks.add(inside.Begin)
		k.set(Call{inside, t.Thread, call.Stack}, s.interpreter, r, m, unfinished)
		k.earlier = s.adds && call.Begin < s.window.Begin
	case wire.EffectListens, wire.EffectAwaitsProcess:
		item = int32(t.idle.count)
		w := t.idle.add(inside.Begin)
		*w = s.signalWait(rule, Call{inside, t.Thread, call.Stack}, r, m)
		w.Earlier = s.adds && call.Begin < s.window.Begin
	case wire.EffectAwaitsInput, wire.EffectSleeps, wire.EffectJoins:
		item = s.keepBlocked(rule, Call{inside, t.Thread, call.Stack}, r, m)
	}
	return item
}

// signalWait is a wait for a signal, as the record has it.
func (s *streamLoader) signalWait(rule *rule, call Call, r *wire.Record, m *wire.More) SignalWait {
	if rule.effect == wire.EffectAwaitsProcess {
		return SignalWait{Call: call, Selector: rule.row.Selector, Name: s.process.text(m.X0), ForProcess: true,
			Child: int(min(r.Arg, 1<<31))}
	}
	w := SignalWait{Call: call, Selector: rule.row.Selector, Object: m.X1, Name: s.process.text(m.X0), Gave: m.X2,
		GivenBack: r.Object&wire.SignalGivenBack != 0,
		Fetched:   r.Object&wire.SignalFetched != 0,
		TimedOut:  r.Flags&wire.Failed != 0}
	if r.Arg != 0 && !w.TimedOut {
		w.Signaller = s.threadOf(s.process, ThreadID(r.Arg)).Thread
		if at := s.process.clock.at(r.End - wire.Ticks(m.X3)); at >= call.Begin && at <= call.End {
			w.Signalled = at
		}
	}
	return w
}

// completed keeps what the tracer's own completion handler read from a command buffer.
func (s *streamLoader) completed(r *wire.Record, m *wire.More) {
	b := s.process.buffer(r.Object)
	if b == nil {
		return
	}
	b.Completed = Interval{s.process.clock.at(r.Begin), s.process.clock.at(r.End)}
	b.Status, b.ErrorCode = CommandBufferStatus(r.Arg&0xff), int(int32(r.Arg>>8))
	b.GPU = Interval{s.process.clock.ours(m.X0), s.process.clock.ours(m.X1)}
	b.Kernel = Interval{s.process.clock.ours(m.X2), s.process.clock.ours(m.X2) + Nanos(m.X3)}
	if b.GPU.End < b.GPU.Begin || b.GPU.Length() > longestTime {
		b.GPU = Interval{}
		s.skew(b.Completed.End)
	}
	s.process.end = max(s.process.end, b.Completed.End)
	if s.thread != nil {
		s.thread.handled = b
	}
}

// encoderTimes keeps when an encoder ran on the GPU, as its samples say, or why they do not.
func (s *streamLoader) encoderTimes(r *wire.Record, m *wire.More) {
	open := s.process.encoder(r.Object)
	if open == nil {
		return
	}
	e := &open.one[0]
	e.GPU, e.Unmeasured = Interval{s.process.clock.ours(m.X0), s.process.clock.ours(m.X1)}, ""
	if outcome := wire.Sampling(min(r.Arg, 0xff)); outcome != wire.SamplingMeasured || !e.GPU.Known() ||
		e.GPU.Length() > longestTime {
		e.GPU, e.Unmeasured = Interval{}, outcome.String()
	}
}

// scope keeps a name that the program gave to a time, or to a moment.
func (s *streamLoader) startThread(id ThreadID, name string) {
	s.thread = s.threadOf(s.process, id)
	s.thread.Name = cmp.Or(s.thread.Name, name) // what it was called at its end, where that is known
}

// unknownThread is the thread of a ring whose first records are missing: the one that had it last, if the end of the
// process's trace says so, else 0.
func (s *streamLoader) unknownThread() ThreadID { return lastThread(s.process.file, s.ring) }
