package analyze

import "mtrace/collector/wire"

// apply keeps what a call says of Metal's objects. Objects are kept whole, whatever the range that was asked for,
// because what is in the range refers to them; visible says whether the call is in it.
func (s *streamLoader) apply(rule *rule, call Call, r *wire.Record, m *wire.More, visible bool) {
	p := s.process
	switch rule.effect {
	case wire.EffectMakes:
		s.makes(rule, call, r, m)
		if inside, _ := s.clip(call.Interval); visible && rule.part == PartDrawable {
			s.trace.CPUWaits.Drawables = append(s.trace.CPUWaits.Drawables, Call{inside, call.Thread, call.Stack})
		}
	case wire.EffectCommits, wire.EffectCommitsOptions:
		if rule.object == wire.KindQueue {
			s.commitMany(rule, call, r, m)
		} else if b := s.bufferOf(r.Object); b != nil {
			b.Committed = call
			delete(p.called, b.ID)
		}
	case wire.EffectLabels, wire.EffectEnqueues, wire.EffectHandles, wire.EffectSignals, wire.EffectAwaits,
		wire.EffectOpensGroup, wire.EffectClosesGroup:
		s.applyToReceiver(rule, call, r, m)
	case wire.EffectBinds, wire.EffectDispatches, wire.EffectDraws, wire.EffectCopies, wire.EffectFills, wire.EffectEnds,
		wire.EffectExecutes, wire.EffectResets:
		if rule.object == wire.KindIndirectCommand || rule.object == wire.KindResource {
			s.applyToIndirect(rule, call, r, m)
		} else if e := s.encoderOf(r.Object); e != nil {
			s.applyToEncoder(rule, e, call, r, m)
		}
	case wire.EffectAllocates, wire.EffectAllocatesCopy:
		if visible && r.Flags&wire.Failed == 0 && call.Begin >= s.window.Begin { // in the range in which it began
			s.thread.made.add(call.Begin).set(call, s.interpreter, r, m, false)
		}
	case wire.EffectReleases:
		at, _ := p.released.get(r.Object / pageSize)
		at[r.Object%pageSize] = call.Begin
		if (s.adds || s.slice != nil) && visible {
			s.trace.Memory.Freed = append(s.trace.Memory.Freed, Freed{call.Begin, p.Process, uint32(r.Object)})
		}
		if !s.adds || visible {
			s.trace.Memory.Releases++
		}
	case wire.EffectMarks:
		s.addScope(Interval{call.Begin, call.Begin}, Scope{Name: p.text(r.Arg), Mark: true})
	case wire.EffectBuildsLibrary, wire.EffectFindsFunction, wire.EffectBuildsFunction, wire.EffectBuildsPipeline,
		wire.EffectArchives:
		s.compilation(rule, call, r, m)
	}
}

// makes keeps an object that work goes through.
func (s *streamLoader) makes(rule *rule, call Call, r *wire.Record, m *wire.More) {
	p := s.process
	switch rule.makes {
	case wire.KindQueue:
		if q := p.queue(wire.ObjectID(r.Arg)); q != nil {
			q.Capacity = int(min(m.X0, 1<<20))
			q.Device = s.device(p, r.Object)
		}
	case wire.KindCommandBuffer:
		if b := p.buffer(wire.ObjectID(r.Arg)); b != nil {
			b.Created, b.Queue, b.Layer = call, p.queue(r.Object), s.thread.layer
			s.thread.buffer = b
		}
	case wire.KindIndirectCommand:
		p.indirect.made(wire.ObjectID(r.Arg), commandPlace{r.Object, rule.first.Of(r, m)})
	case wire.KindEncoder:
		if e := p.encoder(wire.ObjectID(r.Arg)); e != nil {
			e.one[0].Created, e.one[0].Kind, e.one[0].Layer = call, rule.encoder, s.thread.layer
			p.attach(e, s.bufferOf(r.Object))
			s.thread.open = e
			if outcome := wire.Sampling(min(rule.sampling.Of(r, m), 0xff)); outcome != wire.SamplingOff {
				s.trace.Recording.EncoderTiming = true
				if outcome != wire.SamplingMeasured {
					e.one[0].Unmeasured = outcome.String()
				}
			}
		}
	}
}

// applyToReceiver keeps what a call says of a queue, a command buffer, an encoder or an event.
func (s *streamLoader) applyToReceiver(rule *rule, call Call, r *wire.Record, m *wire.More) {
	switch rule.object {
	case wire.KindCommandBuffer:
		if b := s.bufferOf(r.Object); b != nil {
			s.applyToBuffer(rule.effect, b, call, r, m)
		}
	case wire.KindEncoder:
		e := s.encoderOf(r.Object)
		switch {
		case e == nil:
		case rule.effect == wire.EffectLabels:
			e.one[0].Label = s.process.text(r.Arg)
		default:
			e.groups = regroup(e.groups, rule.effect, s.process.text(r.Arg))
		}
	case wire.KindEvent:
		s.thread.signal = append(s.thread.signal, Signal{EventValue{uint32(r.Object), r.Arg}, s.process.Process, call.Begin,
			s.thread.Thread})
	case wire.KindQueue:
		q := s.process.queue(r.Object)
		switch {
		case q == nil:
		case rule.effect == wire.EffectLabels:
			q.Label = s.process.text(r.Arg)
		default:
			awaits := rule.effect == wire.EffectAwaits
			s.thread.queued = append(s.thread.queued, queueEvent{EventValue{uint32(m.X0), r.Arg}, q, awaits, call.Begin,
				s.thread.Thread})
		}
	}
}

func (s *streamLoader) applyToBuffer(effect wire.Effect, b *CommandBuffer, call Call, r *wire.Record, m *wire.More) {
	switch effect {
	case wire.EffectLabels:
		b.Label = s.process.text(r.Arg)
		s.process.naming(b).relabel(b.Label, s.thread.Thread)
	case wire.EffectOpensGroup, wire.EffectClosesGroup:
		n := s.process.naming(b)
		n.groups = regroup(n.groups, effect, s.process.text(r.Arg))
	case wire.EffectEnqueues:
		b.Enqueued = call
	case wire.EffectHandles:
		b.Handlers++
	case wire.EffectSignals:
		b.Signals = append(b.Signals, EventValue{uint32(m.X0), r.Arg})
	case wire.EffectAwaits:
		b.WaitsFor = append(b.WaitsFor, EventValue{uint32(m.X0), r.Arg})
	}
}

func (s *streamLoader) applyToEncoder(rule *rule, o *openEncoder, call Call, r *wire.Record, m *wire.More) {
	e := &o.one[0]
	switch {
	case rule.indirect:
		s.encodeIndirect(rule, o, call, r, m)
	case rule.effect == wire.EffectBinds:
		o.pipeline = s.process.pipeline(wire.ObjectID(r.Arg))
	case rule.effect == wire.EffectDispatches || rule.effect == wire.EffectDraws:
		s.dispatch(rule, o, call, r)
	case rule.effect == wire.EffectCopies || rule.effect == wire.EffectFills:
		s.nameCopies(o)
		e.Copies++
		e.CopyBytes += r.Arg
		if rule.effect == wire.EffectCopies {
			e.copied(Copy{From: uint32(m.X0), To: uint32(m.X1), Count: 1, Bytes: r.Arg, Stack: call.Stack})
		}
	case rule.effect == wire.EffectEnds:
		e.Ended = call
	}
}

// dispatch adds a dispatch or a drawing.
func (s *streamLoader) dispatch(rule *rule, o *openEncoder, call Call, r *wire.Record) {
	e := &o.one[0]
	d := Dispatch{Pipeline: o.pipeline, Count: 1, Threads: r.Arg, Unsized: !rule.counted, At: call.Begin,
		Layer: s.thread.layer, Names: s.names(o), Stack: call.Stack}
	if d.Threads == 0 && !d.Unsized {
		e.Empty++
		return
	}
	if n := len(e.Dispatches); n > 0 {
		if last := &e.Dispatches[n-1]; last.joins(&d) && last.Stack == d.Stack && last.Layer == d.Layer &&
			last.Names == d.Names && o.scopes == s.thread.scopes {
			last.Count++
			last.Threads += d.Threads
			return
		}
	}
	o.scopes = s.thread.scopes
	e.Dispatches = s.thread.runs.extend(e.Dispatches, d)
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

// commitMany commits an array of Metal 4 command buffers; the record has the first of them. A program may use its options
// for several commits at once: then it is not known to which commit a feedback belongs.
func (s *streamLoader) commitMany(rule *rule, call Call, r *wire.Record, m *wire.More) {
	queue := s.process.queue(r.Object)
	for i, place := range rule.members {
		if uint64(i) >= r.Arg {
			break
		}
		if b := s.process.buffer(wire.ObjectID(place.Of(r, m))); b != nil {
			b.Committed, b.Queue, b.withOptions = call, queue, rule.effect == wire.EffectCommitsOptions
		}
	}
}

// compilation keeps a call that made a library, a function or a pipeline state. A pipeline state is named after its
// function, a library by the hash of its source.
func (s *streamLoader) compilation(rule *rule, call Call, r *wire.Record, m *wire.More) {
	c := Compilation{Call: call, Selector: rule.row.Selector, Kind: "library", Failed: r.Flags&wire.Failed != 0}
	if rule.makes != wire.KindNone {
		c.Made = uint32(r.Arg)
	}
	c.Name = s.process.text(rule.name.Of(r, m) | rule.source.Of(r, m)) // it has one of the two
	switch rule.effect {
	case wire.EffectFindsFunction, wire.EffectBuildsFunction:
		c.Kind, c.From, c.Specialised = "function", uint32(r.Object), rule.effect == wire.EffectBuildsFunction
		s.process.functions.add(&c)
	case wire.EffectArchives:
		c.Kind = "archive"
	case wire.EffectBuildsPipeline:
		c.Kind, c.From = "pipeline", uint32(rule.from.Of(r, m))
		s.process.functions.pipelines = append(s.process.functions.pipelines, pipelineMade{c.Made, c.From})
		if p := s.process.pipeline(wire.ObjectID(c.Made)); p != nil {
			p.Kernel, p.Label = s.process.text(m.X0), s.process.text(m.X1)
		}
	case wire.EffectBuildsLibrary:
		c.SourceSize = int64(min(rule.size.Of(r, m), 1<<40))
		s.process.functions.addLibrary(&c)
	}
	if rule.object == wire.KindDevice {
		c.Device = s.device(s.process, r.Object)
	}
	inside, visible := s.clip(call.Interval)
	if s.adds {
		inside, visible = call.Interval, visible && call.Begin >= s.window.Begin
	}
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
