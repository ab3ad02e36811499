package analyze

import (
	"cmp"

	"mtrace/collector/tracefile"
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
	stray   int64 // More records that belong to nothing
	visited VisitedCall

	stacks      openStacks
	interpreter InterpreterLock // of the call at hand
	openScopes  []openScope     // the innermost last
}

var noMore wire.More

// batch takes in the next records of the ring.
func (s *streamLoader) batch(records []wire.Record) error {
	for i := 0; i < len(records); i++ {
		r := &records[i]
		switch {
		case s.holding:
			s.holding = false
			if r.Call == wire.CallMore {
				m := r.More()
				s.record(&s.held, &m)
				continue
			}
			s.record(&s.held, &noMore)
			i--
		case r.Call == wire.CallMore:
			s.stray++
		case r.Flags&wire.HasMore == 0:
			s.record(r, &noMore)
		case i+1 < len(records) && records[i+1].Call == wire.CallMore:
			m := records[i+1].More()
			s.record(r, &m)
			i++
		default:
			s.held, s.holding = *r, true
		}
	}
	return nil
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
	rule := ruleOf(r.Call)
	switch rule.act {
	case actThreadStart:
		s.stacks.pending = s.stacks.pending[:0]
		s.openScopes = s.openScopes[:0]
		s.startThread(ThreadID(r.Arg), s.process.text(m.X0))
		return
	case actCompleted:
		s.completed(r, m)
		return
	case actScheduled:
		if b := s.process.buffer(r.Object); b != nil {
			b.Scheduled = s.process.clock.at(r.Begin)
		}
		return
	case actStack:
		s.stack(r)
		return
	case actAllocated:
		s.trace.DeviceMemory = append(s.trace.DeviceMemory, DeviceMemory{s.process.clock.at(r.Begin), s.device(s.process, r.Object), s.process.Process, r.Arg})
		return
	case actCanary:
		s.process.canarySeen(r)
		return
	case actEncoderTimes:
		s.encoderTimes(r, m)
		return
	case actLayer:
		s.enter(r)
		return
	case actTracer:
		return
	case actScope:
		s.scope(r)
		return
	case actScopeBegins:
		s.scopeBegins(r)
		return
	}
	if s.thread == nil {
		s.startThread(s.unknownThread(), "")
	}
	call := Call{Interval: Interval{s.process.clock.at(r.Begin), s.process.clock.at(r.End)}, Thread: s.thread.Thread}
	call.Stack, s.interpreter = s.stacks.of(r.Begin)
	if r.Flags&(wire.HoldsInterpreter|wire.LacksInterpreter) != 0 {
		s.interpreter = interpreterOf(r.Flags)
	}
	if call.End < call.Begin || call.End-call.Begin > longestTime {
		call.Begin = call.End
		s.skewed++
	}
	s.process.end = max(s.process.end, call.End)
	s.use(rule, call, r, m, false)
	if rule.leaves {
		s.leave(rule.row.Family)
	}
}

// use counts a call, gives its time to its thread and keeps what it says of Metal's objects.
func (s *streamLoader) use(rule *rule, call Call, r *wire.Record, m *wire.More, unfinished bool) {
	inside, visible := s.clip(call.Interval)
	if visible {
		s.count(rule, inside, call, r, m, unfinished)
		if s.onCall != nil {
			s.visit(rule, call, r, m, unfinished)
		}
	}
	if rule.act != actNothing {
		s.apply(rule, call, r, m, visible)
	}
}

// count adds a call to its thread's sums; inside is the part of it in the range that was asked for.
func (s *streamLoader) count(rule *rule, inside Interval, call Call, r *wire.Record, m *wire.More, unfinished bool) {
	t := s.thread
	sp := span{begin: inside.Begin, end: inside.End, slot: s.slot(t, s.process, callKey{r.Call, r.Flags.Class(), call.Stack}), item: -1, part: rule.part, absorbs: rule.absorbs, yields: rule.yields}
	slot := &t.slots[sp.slot]
	if unfinished {
		s.trace.Unfinished = append(s.trace.Unfinished, UnfinishedCall{call, rule.row.Selector})
	} else {
		slot.count++
		d := call.Length()
		st := slot.stat
		st.Count++
		st.Total += d
		st.Min, st.Max = min(st.Min, d), max(st.Max, d)
		_ = st.Durations.RecordValue(int64(min(d, longestCall)))
	}
	t.used = t.used || rule.act != actSignalWait
	if t.Active.End == 0 || inside.Begin < t.Active.Begin {
		t.Active.Begin = inside.Begin
	}
	t.Active.End = max(t.Active.End, inside.End)
	if rule.wait {
		sp.item = int32(t.waits.count)
		t.waits.add().set(call, s.interpreter, r, m, unfinished)
		if rule.act == actWaitBuffer {
			s.bufferOf(r.Object)
		}
	}
	if rule.act == actLock {
		sp.item = int32(t.locks.count)
		t.locks.add().set(Call{inside, t.Thread, call.Stack}, s.interpreter, r, m, unfinished)
	}
	if rule.act == actSignalWait {
		sp.item = int32(t.idle.count)
		*t.idle.add() = s.signalWait(rule, Call{inside, t.Thread, call.Stack}, r, m)
	}
	t.nest.add(sp)
}

// signalWait is a wait for a signal, as the record has it.
func (s *streamLoader) signalWait(rule *rule, call Call, r *wire.Record, m *wire.More) SignalWait {
	w := SignalWait{Call: call, Selector: rule.row.Selector, Object: m.X1, Name: s.process.text(m.X0), Gave: m.X2, GivenBack: r.Object&wire.SignalGivenBack != 0, Fetched: r.Object&wire.SignalFetched != 0,
		TimedOut: r.Flags&wire.Failed != 0}
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
	b.GPU = Interval{instant(m.X0), instant(m.X1)}
	b.Kernel = Interval{instant(m.X2), instant(m.X2) + Nanos(m.X3)}
	if b.GPU.End < b.GPU.Begin || b.GPU.Length() > longestTime {
		b.GPU = Interval{}
		s.skewed++
	}
	s.process.end = max(s.process.end, b.Completed.End)
}

// encoderTimes keeps when an encoder ran on the GPU, as its samples say, or why they do not.
func (s *streamLoader) encoderTimes(r *wire.Record, m *wire.More) {
	open := s.process.encoder(r.Object)
	if open == nil {
		return
	}
	e := &open.one[0]
	e.GPU, e.Unmeasured = Interval{instant(m.X0), instant(m.X1)}, ""
	if outcome := wire.Sampling(min(r.Arg, 0xff)); outcome != wire.SamplingMeasured || !e.GPU.Known() || e.GPU.Length() > longestTime {
		e.GPU, e.Unmeasured = Interval{}, outcome.String()
	}
}

// scope keeps a name that the program gave to a time, or to a moment.
func (s *streamLoader) startThread(id ThreadID, name string) {
	s.thread = s.threadOf(s.process, id)
	s.thread.Name = cmp.Or(s.thread.Name, name) // what it was called at its end, where that is known
}

// unknownThread is the thread of a ring whose first records are missing: the one that had it last, if the end of the process's
// trace says so, else 0.
func (s *streamLoader) unknownThread() ThreadID {
	if s.process.file.End != nil {
		for _, r := range s.process.file.End.Rings {
			if r.Ring == s.ring {
				return ThreadID(r.Thread)
			}
		}
	}
	return 0
}

// unfinished adds the calls that threads of this ring were inside when the process ended.
func (s *streamLoader) unfinished(calls []tracefile.CurrentCall, end Nanos) {
	for _, c := range calls {
		if c.Ring != s.ring {
			continue
		}
		s.startThread(ThreadID(c.Thread), "")
		rule := ruleOf(c.Call)
		call := Call{Interval: Interval{s.process.clock.at(c.Begin), end}, Thread: s.thread.Thread}
		call.Stack, s.interpreter = s.stacks.of(c.Begin)
		call.End = max(call.Begin, min(call.End, call.Begin+longestTime))
		record := wire.Record{Object: c.Object, Call: c.Call}
		if inside, visible := s.clip(call.Interval); visible {
			s.count(rule, inside, call, &record, &noMore, true)
			if s.onCall != nil {
				s.visit(rule, call, &record, &noMore, true)
			}
		}
	}
}
