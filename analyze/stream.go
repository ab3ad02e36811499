package analyze

import (
	"cmp"
	"slices"

	"mtrace/collector/wire"
)

// A streamLoader reads the records of one ring, the record buffer that one or several threads used one after another.
// It joins each record with its More record (the continuation with further values) and passes the call to the loaders
// in its fields.
type streamLoader struct {
	at      *cursor
	held    wire.Record // waits for its More record
	holding bool
	before  wire.Record // the last record of the previous batch that is not a More record
	stray   int64       // More records without a record that they belong to
	more    wire.More   // the More record of the current call
	near    *ticks      // the time range of records to load; nil means all
	flights flights     // long flights, whose records are loaded even outside of the range `near`

	objects objectLoader
	scopes  scopeLoader
	calls   callLoader
}

// newStreamLoader returns a loader for the records of one ring (the record buffer of a thread) of process `p`.
func newStreamLoader(l *loader, p *processLoader, ring uint16) *streamLoader {
	c := &cursor{loader: l, trace: l.trace, process: p, ring: ring}
	return &streamLoader{at: c, objects: objectLoader{at: c}, scopes: scopeLoader{at: c},
		calls: callLoader{at: c, waits: waitLoader{c}}}
}

// batch loads the next records. If the last record has a continuation (More record), it is held until the next batch,
// which begins with that continuation.
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
			// Copy field by field: the record was just written field by field, and reading it as a whole would stall
			// the processor until those writes are done.
			m := &records[i]
			s.more.X0, s.more.X1, s.more.X2, s.more.X3, s.more.Flags = uint64(m.Begin), uint64(m.End), m.Arg,
				uint32(m.Object),
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

// lastBefore returns the last record of a batch that is no More record (the continuation of a call's record); nil if
// there is none.
func lastBefore(records []wire.Record) *wire.Record {
	for i := len(records) - 1; i >= 0; i-- {
		if records[i].Call != wire.CallMore {
			return &records[i]
		}
	}
	return nil
}

// countStray counts a More record (the continuation of a call's record) whose call's record is missing. A More
// record has no time, so the time of the record before it decides whether it lies in the loaded range. Records that
// a slice also reads around its own time are counted by the neighbouring slice.
func (s *streamLoader) countStray(before []wire.Record) {
	last := cmp.Or(lastBefore(before), &s.before)
	if s.at.loader.counts(s.at.process.clock.interval(last.Begin, last.End).End) {
		s.stray++
	}
}

// finish completes the ring.
func (s *streamLoader) finish() {
	if s.holding {
		s.record(&s.held, &noMore)
		s.holding = false
	}
}

// record loads one record and its continuation (noMore if it has none). Records outside of the time to load are
// skipped, except for those that later records refer to.
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
	if s.at.thread == nil {
		s.at.startThread(s.at.unknownThread(), "")
	}
	at := s.at.process.clock.interval(r.Begin, r.End)
	if at.End < at.Begin || at.End-at.Begin > longestTime {
		at.Begin = at.End
		s.at.loader.skew(at.End)
	}
	var stack *Stack
	s.at.interpreter = InterpreterNotKnown
	if len(s.at.stacks.pending) > 0 {
		stack, s.at.interpreter = s.at.stacks.of(r.Begin)
	}
	if r.Flags&(wire.HoldsInterpreter|wire.LacksInterpreter) != 0 {
		s.at.interpreter = interpreterOf(r.Flags)
	}
	s.at.process.end = max(s.at.process.end, at.End)
	s.use(rule, Call{at, s.at.thread.Thread, stack}, r, m)
	if rule.effect == wire.EffectEncodesLayer {
		s.at.leave(rule.row.Family)
	}
}

// note loads a record that the tracer wrote about something other than a call: stacks, completions, GPU times, scopes
// and others.
func (s *streamLoader) note(rule *rule, r *wire.Record, m *wire.More) {
	switch rule.effect {
	case wire.EffectSeesStack:
		s.at.seeStack(r)
	case wire.EffectCompletes:
		s.objects.completed(r, m)
	case wire.EffectHands:
		s.objects.handed(r)
	case wire.EffectFails:
		if b := s.at.process.buffer(r.Object); b != nil {
			b.Error = s.at.process.text(r.Arg)
		}
	case wire.EffectSchedules:
		if b := s.at.process.buffer(r.Object); b != nil {
			b.Scheduled = s.at.process.clock.at(r.Begin)
		}
	case wire.EffectStartsThread:
		s.at.stacks.pending = s.at.stacks.pending[:0]
		s.scopes.open = s.scopes.open[:0]
		if before := s.at.thread; before != nil && before.ID != ThreadID(r.Arg) {
			before.Exited = true // a ring passes to another thread only after its thread's end
		}
		s.at.startThread(ThreadID(r.Arg), s.at.process.text(m.X0))
	case wire.EffectMeters:
		at := s.at.process.clock.at(r.Begin)
		if _, visible := s.at.loader.clip(Interval{at, at}); visible {
			s.at.trace.Memory.Device = append(s.at.trace.Memory.Device, DeviceMemory{at,
				s.at.loader.device(s.at.process, r.Object), s.at.process.Process, r.Arg})
		}
	case wire.EffectCountsAlive:
		at := s.at.process.clock.at(r.Begin)
		if _, visible := s.at.loader.clip(Interval{at, at}); visible {
			s.at.trace.Memory.Counted = append(s.at.trace.Memory.Counted, AliveSample{at, s.at.process.Process,
				int(min(r.Arg, mostCounted)), int(min(m.X0, mostCounted))})
		}
	case wire.EffectChecks:
		s.at.process.canarySeen(r)
	case wire.EffectFeeds:
		if p := s.at.process.Process; !slices.Contains(p.writes, r.Arg) {
			p.writes = append(p.writes, r.Arg)
		}
	case wire.EffectTimes:
		s.objects.encoderTimes(r, m)
	case wire.EffectEntersLayer:
		s.at.enter(r)
	case wire.EffectMarks, wire.EffectScopes:
		s.scopes.mark(r, rule.effect == wire.EffectMarks)
	case wire.EffectSpans:
		s.scopes.add(Interval{s.at.process.clock.at(r.Begin), s.at.process.clock.at(r.End)},
			Scope{Name: s.at.process.text(r.Arg), shared: true, Call: Call{Thread: s.at.loader.threadOf(s.at.process,
				ThreadID(m.X0)).Thread}})
	case wire.EffectOpensScope:
		s.scopes.begin(r)
	}
}

// use counts a call, adds its time to its thread and updates the Metal objects that it concerns.
func (s *streamLoader) use(rule *rule, call Call, r *wire.Record, m *wire.More) {
	inside, visible := s.at.loader.clip(call.Interval)
	s.at.thread.roles |= rule.roles
	if visible {
		slot := s.calls.count(rule, inside, call, r, m, false)
		if s.at.earlier(call) { // the call counts in the range in which it began
			visible = false
		} else {
			slot.count++
			if s.at.loader.slice == nil { // slices do not report how calls are distributed
				slot.sums.add(call.Length())
			}
			if s.at.loader.onCall != nil {
				s.calls.visit(rule, call, r, m, false)
			}
		}
	}
	switch rule.effect {
	case wire.EffectNone:
	case wire.EffectMarks:
		s.scopes.add(Interval{call.Begin, call.Begin}, Scope{Name: s.at.process.text(r.Arg), Mark: true})
	default:
		s.objects.apply(rule, call, r, m, visible)
	}
}
