package analyze

import "mtrace/collector/wire"

// apply updates Metal's objects by one recorded call. Calls outside of the requested range must be passed to it too,
// because calls in the range refer to objects that were created earlier. `visible` is true if the call itself is in
// the range; only visible calls are counted.
func (l *objectLoader) apply(rule *rule, call Call, r *wire.Record, m *wire.More, visible bool) {
	p := l.at.process
	if visible && rule.lives != "" && r.Flags&wire.Failed == 0 && r.Arg != 0 &&
		call.Begin >= l.at.loader.window.Begin {
		l.at.trace.Memory.Lifetimes = append(l.at.trace.Memory.Lifetimes, Lifetime{At: call.Begin,
			Thread: call.Thread, Stack: call.Stack, Selector: rule.row.Selector, Class: rule.lives,
			Object: uint32(r.Arg)})
	}
	switch rule.effect {
	case wire.EffectMakes:
		l.makes(rule, call, r, m)
		if inside, _ := l.at.loader.clip(call.Interval); visible && rule.part == PartDrawable {
			w := &l.at.trace.CPUWaits
			w.Drawables = append(w.Drawables, Call{inside, call.Thread, call.Stack})
		}
	case wire.EffectCommits, wire.EffectCommitsOptions:
		if rule.object == wire.KindQueue {
			l.commitMany(rule, call, r, m)
		} else if b := l.at.thread.bufferOf(r.Object); b != nil {
			b.Committed = call
			delete(p.called, b.ID)
		}
	case wire.EffectLabels, wire.EffectEnqueues, wire.EffectHandles, wire.EffectSignals, wire.EffectAwaits,
		wire.EffectOpensGroup, wire.EffectClosesGroup:
		l.applyToReceiver(rule, call, r, m)
	case wire.EffectAddsListener:
		if visible {
			l.at.trace.Listeners = append(l.at.trace.Listeners, Listener{EventValue{uint32(r.Object), r.Arg}, call,
				p.Process})
		}
	case wire.EffectBinds, wire.EffectDispatches, wire.EffectDraws, wire.EffectCopies, wire.EffectFills,
		wire.EffectEnds,
		wire.EffectExecutes, wire.EffectResets:
		if rule.object == wire.KindIndirectCommand || rule.object == wire.KindResource {
			l.applyToIndirect(rule, call, r, m)
		} else if e := l.at.thread.encoderOf(r.Object); e != nil {
			l.applyToEncoder(rule, e, call, r, m)
		}
	case wire.EffectAllocates, wire.EffectAllocatesCopy:
		// loads of adjacent ranges may both see a call that crosses their border; only the range in which it began counts
		// it
		if visible && r.Flags&wire.Failed == 0 && call.Begin >= l.at.loader.window.Begin {
			l.at.thread.made.add(call.Begin).set(call, l.at.interpreter, r, m, false)
		}
	case wire.EffectResides:
		if inside, _ := l.at.loader.clip(call.Interval); visible {
			m := &l.at.trace.Memory
			m.Residency = append(m.Residency, Call{inside, call.Thread, call.Stack})
		}
	case wire.EffectReleases:
		at, _ := p.released.get(r.Object / pageSize)
		at[r.Object%pageSize] = call.Begin
		memory := rule.object == wire.KindResource || rule.object == wire.KindHeap
		if (l.at.loader.adds || l.at.loader.slice != nil) && visible {
			l.at.trace.Memory.Freed = append(l.at.trace.Memory.Freed, Freed{call.Begin, p.Process,
				uint32(r.Object)})
		}
		if memory && (!l.at.loader.adds || visible) {
			l.at.trace.Memory.Releases++
		}
	case wire.EffectBuildsLibrary, wire.EffectFindsFunction, wire.EffectBuildsFunction, wire.EffectBuildsPipeline,
		wire.EffectArchives:
		l.compilation(rule, call, r, m)
	}
}

// makes creates the model's object for a call that returned a new queue, command buffer, indirect command or encoder.
func (l *objectLoader) makes(rule *rule, call Call, r *wire.Record, m *wire.More) {
	p := l.at.process
	switch rule.makes {
	case wire.KindQueue:
		if q := p.queue(wire.ObjectID(r.Arg)); q != nil {
			q.Capacity = int(min(m.X0, 1<<20))
			q.Device = l.at.loader.device(p, r.Object)
		}
	case wire.KindCommandBuffer:
		if b := p.buffer(wire.ObjectID(r.Arg)); b != nil {
			b.Created, b.Queue, b.Layer = call, p.queue(r.Object), l.at.thread.layer
			l.at.thread.buffer = b
		}
	case wire.KindIndirectCommand:
		p.indirect.made(wire.ObjectID(r.Arg), commandPlace{r.Object, rule.first.Of(r, m)})
	case wire.KindEncoder:
		if e := p.encoder(wire.ObjectID(r.Arg)); e != nil {
			e.one[0].Created, e.one[0].Kind, e.one[0].Layer = call, rule.encoder, l.at.thread.layer
			p.attach(e, l.at.thread.bufferOf(r.Object))
			l.at.thread.open = e
			if outcome := wire.Sampling(min(rule.sampling.Of(r, m), 0xff)); outcome != wire.SamplingOff {
				l.at.trace.Recording.EncoderTiming = true
				if outcome != wire.SamplingMeasured {
					e.one[0].Unmeasured = outcome.String()
				}
			}
		}
	}
}

// applyToReceiver updates the object on which a call was made: a queue, a command buffer, an encoder or an event.
func (l *objectLoader) applyToReceiver(rule *rule, call Call, r *wire.Record, m *wire.More) {
	switch rule.object {
	case wire.KindCommandBuffer:
		if b := l.at.thread.bufferOf(r.Object); b != nil {
			l.applyToBuffer(rule.effect, b, call, r, m)
		}
	case wire.KindEncoder:
		e := l.at.thread.encoderOf(r.Object)
		switch {
		case e == nil:
		case rule.effect == wire.EffectLabels:
			e.one[0].Label = l.at.process.text(r.Arg)
		default:
			e.groups = regroup(e.groups, rule.effect, l.at.process.text(r.Arg))
		}
	case wire.KindEvent:
		l.at.thread.signal = append(l.at.thread.signal, Signal{EventValue{uint32(r.Object), r.Arg},
			l.at.process.Process, call.Begin, l.at.thread.Thread})
	case wire.KindQueue:
		q := l.at.process.queue(r.Object)
		switch {
		case q == nil:
		case rule.effect == wire.EffectLabels:
			q.Label = l.at.process.text(r.Arg)
		default:
			awaits := rule.effect == wire.EffectAwaits
			l.at.thread.queued = append(l.at.thread.queued, queueEvent{EventValue{uint32(m.X0), r.Arg}, q, awaits,
				call.Begin, l.at.thread.Thread})
		}
	}
}

func (l *objectLoader) applyToBuffer(effect wire.Effect, b *CommandBuffer, call Call, r *wire.Record, m *wire.More) {
	switch effect {
	case wire.EffectLabels:
		b.Label = l.at.process.text(r.Arg)
		l.at.process.naming(b).relabel(b.Label, l.at.thread.Thread)
	case wire.EffectOpensGroup, wire.EffectClosesGroup:
		n := l.at.process.naming(b)
		n.groups = regroup(n.groups, effect, l.at.process.text(r.Arg))
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

func (l *objectLoader) applyToEncoder(rule *rule, o *openEncoder, call Call, r *wire.Record, m *wire.More) {
	e := &o.one[0]
	if rule.effect != wire.EffectEnds {
		o.used(&call)
	}
	switch {
	case rule.indirect:
		l.encodeIndirect(rule, o, call, r, m)
	case rule.effect == wire.EffectBinds:
		o.pipeline = l.at.process.pipeline(wire.ObjectID(r.Arg))
	case rule.effect == wire.EffectDispatches || rule.effect == wire.EffectDraws:
		l.dispatch(rule, o, call, r)
	case rule.effect == wire.EffectCopies || rule.effect == wire.EffectFills:
		l.nameCopies(o)
		e.Copies++
		e.CopyBytes += r.Arg
		if rule.effect == wire.EffectCopies {
			e.copied(Copy{From: uint32(m.X0), To: uint32(m.X1), Count: 1, Bytes: r.Arg, Stack: call.Stack})
		}
	case rule.effect == wire.EffectEnds:
		e.Ended, e.Chain = call, Chain{int(r.Arg >> 32), int(uint32(r.Arg))}
	}
}

// dispatch adds a dispatch or a drawing.
func (l *objectLoader) dispatch(rule *rule, o *openEncoder, call Call, r *wire.Record) {
	e := &o.one[0]
	d := Dispatch{Pipeline: o.pipeline, Count: 1, Threads: r.Arg, Unsized: !rule.counted, At: call.Begin,
		Layer: l.at.thread.layer, Names: l.names(o), Stack: call.Stack}
	if d.Threads == 0 && !d.Unsized {
		e.Empty++
		return
	}
	if n := len(e.Dispatches); n > 0 {
		if last := &e.Dispatches[n-1]; last.joins(&d) && last.Stack == d.Stack && last.Layer == d.Layer &&
			last.Names == d.Names && o.scopes == l.at.thread.scopes {
			last.Count++
			last.Threads += d.Threads
			return
		}
	}
	o.scopes = l.at.thread.scopes
	if p := o.pipeline; p != nil && o.buffer != nil && p.lastUser != o.buffer.ID {
		p.lastUser = o.buffer.ID
		p.uses++
	}
	e.Dispatches = l.at.thread.runs.extend(e.Dispatches, d)
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

// commitMany stores one commit call for each Metal 4 command buffer of an array that was committed in one call. The
// record r names only the first of them. withOptions marks command buffers that were committed with an
// MTL4CommitOptions object. If a program reuses such an object for several commits, Metal's feedback (completion and
// GPU time) cannot be attributed to one of them, and a warning says so.
func (l *objectLoader) commitMany(rule *rule, call Call, r *wire.Record, m *wire.More) {
	queue := l.at.process.queue(r.Object)
	for i, place := range rule.members {
		if uint64(i) >= r.Arg {
			break
		}
		if b := l.at.process.buffer(wire.ObjectID(place.Of(r, m))); b != nil {
			b.Committed, b.Queue, b.withOptions = call, queue, rule.effect == wire.EffectCommitsOptions
		}
	}
}

// compilation stores a call that created a library, a function, a pipeline state or a binary archive. A pipeline
// state gets the name of its function, a library the hash of its source. A call with a completion handler has no object
// yet; resolveBackground adds it.
func (l *objectLoader) compilation(rule *rule, call Call, r *wire.Record, m *wire.More) {
	c := Compilation{Call: call, Selector: rule.row.Selector, Kind: "library", Failed: r.Flags&wire.Failed != 0}
	if rule.makes != wire.KindNone {
		c.CreatedObject = uint32(r.Arg)
	}
	c.Name = l.at.process.text(rule.name.Of(r, m) | rule.source.Of(r, m)) // a call has either a name or a source
	label := ""
	switch rule.effect {
	case wire.EffectFindsFunction, wire.EffectBuildsFunction:
		c.Kind, c.From, c.Specialised = "function", uint32(r.Object), rule.effect == wire.EffectBuildsFunction
	case wire.EffectArchives:
		c.Kind = "archive"
	case wire.EffectBuildsPipeline:
		c.Kind, c.From, label = "pipeline", uint32(rule.from.Of(r, m)), l.at.process.text(m.X1)
	case wire.EffectBuildsLibrary:
		c.SourceSize = int64(min(rule.size.Of(r, m), 1<<40))
	}
	if rule.object == wire.KindDevice {
		c.Device = l.at.loader.device(l.at.process, r.Object)
	}
	if rule.inBackground() {
		c.CreatedObject = 0 // Metal 4's compiler returns a task
		b := &l.at.process.background
		b.requests = append(b.requests, compileRequest{Compilation: c, receiver: r.Object, label: label})
		return
	}
	l.at.process.created(&c, label)
	l.at.loader.addCompilation(c)
}
