package analyze

import (
	"strings"

	"mtrace/collector/wire"
)

// apply keeps what a call says of Metal's objects. Objects are kept whole, whatever the range that was asked for, because what
// is in the range refers to them; visible says whether the call is in it.
func (s *streamLoader) apply(rule *rule, call Call, r *wire.Record, m *wire.More, visible bool) {
	p := s.process
	switch rule.act {
	case actNewQueue:
		if q := p.queue(wire.ObjectID(r.Arg)); q != nil {
			q.Capacity = int(min(m.X0, 1<<20))
			q.Device = s.device(p, r.Object)
		}
	case actQueueLabel:
		if q := p.queue(r.Object); q != nil {
			q.Label = p.text(r.Arg)
		}
	case actNewCommandBuffer:
		if b := p.buffer(wire.ObjectID(r.Arg)); b != nil {
			b.Created, b.Queue, b.Layer = call, p.queue(r.Object), s.thread.layer
			s.thread.buffer = b
		}
	case actNewEncoder:
		if e := p.encoder(wire.ObjectID(r.Arg)); e != nil {
			e.one[0].Created, e.one[0].Kind, e.one[0].Layer = call, rule.encoder, s.thread.layer
			p.attach(e, s.bufferOf(r.Object))
			s.thread.open = e
			if outcome := wire.Sampling(min(m.X1, 0xff)); outcome != wire.SamplingOff && rule.sampled {
				s.trace.EncoderTiming = true
				if outcome != wire.SamplingMeasured {
					e.one[0].Unmeasured = outcome.String()
				}
			}
		}
	case actCommandBufferLabel, actEnqueue, actCommit, actCompletedHandler, actSignalEvent, actWaitForEvent:
		if b := s.bufferOf(r.Object); b != nil {
			s.applyToBuffer(rule.act, b, call, r, m)
		}
	case actEncoderLabel, actSetPipeline, actDispatch, actCopy, actEndEncoding:
		if e := s.encoderOf(r.Object); e != nil {
			s.applyToEncoder(rule, e, call, r, m)
		}
	case actSignalByCPU:
		s.thread.signal = append(s.thread.signal, Signal{EventValue{uint32(r.Object), r.Arg}, p.Process, call.Begin, s.thread.Thread})
	case actQueueSignals, actQueueWaits:
		if q := p.queue(r.Object); q != nil {
			s.thread.queued = append(s.thread.queued, queueEvent{EventValue{uint32(m.X0), r.Arg}, q, rule.act == actQueueWaits, call.Begin, s.thread.Thread})
		}
	case actCommitMany:
		s.commitMany(call, r, m)
	case actAllocate:
		if visible && r.Flags&wire.Failed == 0 && call.Begin >= s.window.Begin { // in the range in which it began
			s.thread.made.add(call.Begin).set(call, s.interpreter, r, m, false)
		}
	case actRelease:
		at, _ := p.released.get(r.Object / pageSize)
		at[r.Object%pageSize] = call.Begin
		s.trace.Releases++
	case actNewLibrary, actNewFunction, actNewPipeline, actArchive:
		s.compilation(rule, call, r, m)
	}
}

func (s *streamLoader) applyToBuffer(act action, b *CommandBuffer, call Call, r *wire.Record, m *wire.More) {
	switch act {
	case actCommandBufferLabel:
		b.Label = s.process.text(r.Arg)
	case actEnqueue:
		b.Enqueued = call
	case actCommit:
		b.Committed = call
	case actCompletedHandler:
		b.Handlers++
	case actSignalEvent:
		b.Signals = append(b.Signals, EventValue{uint32(m.X0), r.Arg})
	case actWaitForEvent:
		b.WaitsFor = append(b.WaitsFor, EventValue{uint32(m.X0), r.Arg})
	}
}

func (s *streamLoader) applyToEncoder(rule *rule, o *openEncoder, call Call, r *wire.Record, m *wire.More) {
	e := &o.one[0]
	switch rule.act {
	case actEncoderLabel:
		e.Label = s.process.text(r.Arg)
	case actSetPipeline:
		o.pipeline = s.process.pipeline(wire.ObjectID(r.Arg))
	case actDispatch:
		if n := len(e.Dispatches); n > 0 {
			if d := &e.Dispatches[n-1]; d.Pipeline == o.pipeline && d.Stack == call.Stack && d.Layer == s.thread.layer && d.Threads == uint64(d.Count)*r.Arg {
				d.Count++
				d.Threads += r.Arg
				return
			}
		}
		e.Dispatches = s.thread.runs.extend(e.Dispatches, Dispatch{Pipeline: o.pipeline, Count: 1, Threads: r.Arg, At: call.Begin, Layer: s.thread.layer, Stack: call.Stack})
	case actCopy:
		e.Copies++
		e.CopyBytes += r.Arg
		if !rule.fills {
			e.copied(Copy{From: uint32(m.X0), To: uint32(m.X1), Count: 1, Bytes: r.Arg, Stack: call.Stack})
		}
	case actEndEncoding:
		e.Ended = call
	}
}

// copied adds a copy.
func (e *Encoder) copied(c Copy) {
	if n := len(e.Copied); n > 0 {
		if last := &e.Copied[n-1]; last.From == c.From && last.To == c.To && last.Stack == c.Stack {
			last.Count++
			last.Bytes += c.Bytes
			return
		}
	}
	e.Copied = append(e.Copied, c)
}

// ownOptions says whether a commit of Metal 4 came with options. They are the program's, which may use them for several commits at once:
// then it is not known which feedback is of which.
func ownOptions(r *wire.Record) bool {
	return ruleOf(r.Call).row.Selector == "commit:count:options:"
}

// commitMany commits an array of Metal 4 command buffers, of which the record has the first six.
func (s *streamLoader) commitMany(call Call, r *wire.Record, m *wire.More) {
	queue := s.process.queue(r.Object)
	for i, id := range []uint64{m.X0, m.X0 >> 32, m.X1, m.X1 >> 32, m.X2, m.X2 >> 32} {
		if uint64(i) >= r.Arg {
			break
		}
		if b := s.process.buffer(wire.ObjectID(uint32(id))); b != nil {
			b.Committed, b.Queue, b.withOptions = call, queue, ownOptions(r)
		}
	}
}

// compilation keeps a call that made a library, a function or a pipeline state. The name of a pipeline state is that of its
// function, the name of a library the hash of its source.
func (s *streamLoader) compilation(rule *rule, call Call, r *wire.Record, m *wire.More) {
	c := Compilation{Call: call, Selector: rule.row.Selector, Kind: "library", Failed: r.Flags&wire.Failed != 0}
	if strings.HasPrefix(rule.row.Arg, "new ") {
		c.Made = uint32(r.Arg)
	}
	switch rule.act {
	case actNewFunction:
		c.Kind, c.From = "function", uint32(r.Object)
	case actArchive:
		c.Kind = "archive"
	case actNewPipeline:
		c.Kind = "pipeline"
		if strings.Contains(rule.row.More, "x2 the function's ObjectID") {
			c.From = uint32(m.X2)
		}
		if p := s.process.pipeline(wire.ObjectID(r.Arg)); p != nil && rule.row.Arg != "" {
			p.Kernel, p.Label = s.process.text(m.X0), s.process.text(m.X1)
		}
	case actNewLibrary:
		if strings.Contains(rule.row.More, "x1 source bytes") {
			c.SourceSize = int64(min(m.X1, 1<<40))
		}
	}
	if strings.HasPrefix(rule.row.More, "x0 StringID") {
		c.Name = s.process.text(m.X0)
	}
	if rule.row.Object == "device" {
		c.Device = s.device(s.process, r.Object)
	}
	inside, visible := s.clip(call.Interval)
	if c.Interval = inside; visible {
		s.trace.Compilations = append(s.trace.Compilations, c)
	}
}

func (s *streamLoader) bufferOf(id wire.ObjectID) *CommandBuffer {
	if b := s.thread.buffer; b != nil && b.ID == uint32(id) {
		return b
	}
	s.thread.buffer = s.process.buffer(id)
	return s.thread.buffer
}

func (s *streamLoader) encoderOf(id wire.ObjectID) *openEncoder {
	if e := s.thread.open; e != nil && e.one[0].ID == uint32(id) {
		return e
	}
	s.thread.open = s.process.encoder(id)
	return s.thread.open
}
