package analyze

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"slices"

	"mtrace/collector/wire"
)

// indirectCommands collects a process's changes to its indirect command buffers and their executions. Threads are
// read one after another, and the GPU may apply a change later than it was encoded, so changes are not read in the
// order in which they take effect. resolveIndirect therefore sorts and applies them after all threads were read.
type indirectCommands struct {
	// the command that each MTLIndirectCommand object stands for. Several objects may stand for the same command,
	// because Metal returns a new object for each request
	places     map[wire.ObjectID]commandPlace
	changes    []commandChange
	executions []execution
}

// A commandPlace identifies one command: the number of its indirect command buffer, and the command's index in it.
type commandPlace struct {
	buffer wire.ObjectID
	index  uint64
}

// A commandRange is a range of consecutive commands in an indirect command buffer.
type commandRange struct {
	buffer       wire.ObjectID
	first, count uint64
}

// A commandChange is a change of commands of an indirect command buffer. A change by a call takes effect at once; a
// change that an encoder encodes takes effect when the GPU runs the encoder.
type commandChange struct {
	call    Nanos
	encoder *openEncoder // nil: the call itself changes the commands
	command wire.ObjectID
	effect  wire.Effect
	value   uint64       // the number of the pipeline state, or the number of threads
	of      commandRange // the commands that are reset or copied
	to      commandPlace // for a copy: where the first command goes
}

// An execution is a dispatch by which an encoder executes a range of commands of an indirect command buffer.
type execution struct {
	call       Nanos
	encoder    *openEncoder
	dispatch   int
	of         commandRange
	known      bool      // the executed range is known
	inheriting *Pipeline // the encoder's pipeline state, which commands without a pipeline state of their own use
}

// Runs iterates over the encoder's dispatches. For a dispatch that executes an indirect command buffer it yields the
// executed commands instead. A yielded pointer is valid only until the next one is yielded.
func (e *Encoder) Runs() iter.Seq[*Dispatch] {
	return func(yield func(*Dispatch) bool) {
		for i := range e.Dispatches {
			d := &e.Dispatches[i]
			if d.Executes == nil {
				if !yield(d) {
					return
				}
				continue
			}
			for _, run := range d.Executes.Runs {
				run.At, run.Layer, run.Names, run.Stack = d.At, d.Layer, d.Names, d.Stack
				if !yield(&run) {
					return
				}
			}
		}
	}
}

// made stores which command an MTLIndirectCommand object stands for.
func (c *indirectCommands) made(command wire.ObjectID, place commandPlace) {
	if c.places == nil {
		c.places = map[wire.ObjectID]commandPlace{}
	}
	c.places[command] = place
}

// applyToIndirect stores a change that the CPU makes to an indirect command buffer or to one of its commands.
func (l *objectLoader) applyToIndirect(rule *rule, call Call, r *wire.Record, m *wire.More) {
	c := &l.at.process.indirect
	change := commandChange{call: call.Begin, command: r.Object, effect: rule.effect, value: r.Arg}
	if rule.object == wire.KindResource {
		change.of = commandRange{r.Object, rule.first.Of(r, m), r.Arg}
	}
	c.changes = append(c.changes, change)
}

// encodeIndirect stores an operation on an indirect command buffer that the GPU performs when it runs the encoder: an
// execution, a reset or a copy of commands.
func (l *objectLoader) encodeIndirect(rule *rule, o *openEncoder, call Call, r *wire.Record, m *wire.More) {
	c, e := &l.at.process.indirect, &o.one[0]
	switch rule.effect {
	case wire.EffectExecutes:
		of := commandRange{wire.ObjectID(m.X0), rule.first.Of(r, m), r.Arg}
		c.executions = append(c.executions, execution{call.Begin, o, len(e.Dispatches), of, rule.counted, o.pipeline})
		e.Dispatches = l.at.thread.runs.extend(e.Dispatches, Dispatch{Count: 1, Unsized: true, Opaque: true,
			At:    call.Begin,
			Layer: l.at.thread.layer, Names: l.names(o), Stack: call.Stack})
	case wire.EffectResets:
		c.changes = append(c.changes, commandChange{call: call.Begin, encoder: o, effect: rule.effect,
			of: commandRange{wire.ObjectID(m.X0), rule.first.Of(r, m), r.Arg}})
	case wire.EffectCopies:
		from := commandRange{wire.ObjectID(m.X0), m.X2 & math.MaxUint32, r.Arg}
		c.changes = append(c.changes, commandChange{call: call.Begin, encoder: o, effect: rule.effect, of: from,
			to: commandPlace{wire.ObjectID(m.X1), m.X2 >> 32}})
	}
}

// A moment orders changes and executions of commands. at is when an operation takes effect; a GPU operation takes
// effect when the GPU runs the encoder. Operations in one encoder take effect in the order of the calls that encoded
// them (call).
type moment struct{ at, call Nanos }

func (m moment) compare(n moment) int {
	return cmp.Or(cmp.Compare(m.at, n.at), cmp.Compare(m.call, n.call))
}

// momentOf returns the moment at which an operation takes effect. A call without an encoder (nil) takes effect at
// once; an encoded operation takes effect when the GPU runs its command buffer. GPU clocks may be off, so the moment
// is never before the call.
func momentOf(call Nanos, e *openEncoder) moment {
	if e == nil || e.buffer == nil {
		return moment{call, call}
	}
	return moment{max(call, e.buffer.Committed.Begin, e.buffer.GPU.Begin), call}
}

// A command holds what is known about one command of an indirect command buffer: its pipeline state and number of
// threads.
type command struct {
	pipeline *Pipeline
	threads  uint64
}

// An indirectBuffer is the content of an indirect command buffer at one moment. Commands that the CPU never set, or
// that were reset, are not in the map.
type indirectBuffer struct {
	commands map[uint64]command
	runs     map[runsKey]*Commands // the results of executed since the last change, so that equal executions share them
}

type runsKey struct {
	first, count uint64
	inheriting   *Pipeline
}

// resolveIndirect finds the commands that each execution ran. It goes through changes and executions in the order in
// which they took effect and keeps the current content of each indirect command buffer.
func (p *processLoader) resolveIndirect() {
	c := &p.indirect
	slices.SortStableFunc(c.changes, func(a, b commandChange) int {
		return momentOf(a.call, a.encoder).compare(
			momentOf(b.call, b.encoder))
	})
	slices.SortStableFunc(c.executions, func(a, b execution) int {
		return momentOf(a.call, a.encoder).compare(
			momentOf(b.call, b.encoder))
	})
	buffers := map[wire.ObjectID]*indirectBuffer{}
	of := func(id wire.ObjectID) *indirectBuffer {
		if buffers[id] == nil {
			buffers[id] = &indirectBuffer{commands: map[uint64]command{}}
		}
		return buffers[id]
	}
	next := 0
	for i := range c.executions {
		x := &c.executions[i]
		for now := momentOf(x.call, x.encoder); next < len(c.changes) &&
			momentOf(c.changes[next].call, c.changes[next].encoder).compare(now) < 0; next++ {
			p.change(of, &c.changes[next])
		}
		if x.known {
			x.encoder.one[0].Dispatches[x.dispatch].Executes = of(x.of.buffer).executed(x.of, x.inheriting)
		}
	}
	*c = indirectCommands{}
}

// change applies one change to the content of the indirect command buffers.
func (p *processLoader) change(of func(wire.ObjectID) *indirectBuffer, c *commandChange) {
	place, one := p.indirect.places[c.command]
	switch {
	case c.effect == wire.EffectCopies:
		from := of(c.of.buffer)
		copied := map[uint64]command{}
		for _, i := range from.filled(c.of) {
			copied[c.to.index+(i-c.of.first)] = from.commands[i]
		}
		to := of(c.to.buffer)
		to.reset(commandRange{c.to.buffer, c.to.index, c.of.count})
		maps.Copy(to.commands, copied)
	case c.effect == wire.EffectResets && c.of.buffer != 0:
		of(c.of.buffer).reset(c.of)
	case !one: // the program requested the command before the trace began, so its buffer is not known
	case c.effect == wire.EffectResets:
		of(place.buffer).reset(commandRange{place.buffer, place.index, 1})
	default:
		b := of(place.buffer)
		b.runs = nil
		made := b.commands[place.index]
		if c.effect == wire.EffectBinds {
			made.pipeline = p.pipeline(wire.ObjectID(c.value))
		} else {
			made.threads = c.value
		}
		b.commands[place.index] = made
	}
}

// filled returns the indices of the commands in the range r that are set, ascending.
func (b *indirectBuffer) filled(r commandRange) (places []uint64) {
	if r.count < uint64(len(b.commands)) {
		for i := r.first; i < r.end(); i++ {
			if _, there := b.commands[i]; there {
				places = append(places, i)
			}
		}
		return places
	}
	for i := range b.commands {
		if i >= r.first && i < r.end() {
			places = append(places, i)
		}
	}
	slices.Sort(places)
	return places
}

func (b *indirectBuffer) reset(r commandRange) {
	b.runs = nil
	for _, i := range b.filled(r) {
		delete(b.commands, i)
	}
}

// executed returns the commands that an execution of the range r runs now. Commands without a pipeline state use
// inheriting, the encoder's pipeline state. Equal results are shared until the next change.
func (b *indirectBuffer) executed(r commandRange, inheriting *Pipeline) *Commands {
	key := runsKey{r.first, r.count, inheriting}
	if known := b.runs[key]; known != nil {
		return known
	}
	made := &Commands{}
	places := b.filled(r)
	for _, i := range places {
		c := b.commands[i]
		if c.threads == 0 {
			continue
		}
		d := Dispatch{Pipeline: cmp.Or(c.pipeline, inheriting), Count: 1, Threads: c.threads}
		if n := len(made.Runs); n > 0 && made.Runs[n-1].joins(&d) {
			made.Runs[n-1].Count++
			made.Runs[n-1].Threads += d.Threads
		} else {
			made.Runs = append(made.Runs, d)
		}
	}
	if len(places) == 0 && r.count > 0 {
		made.Runs = []Dispatch{{Count: 1, Unsized: true, Opaque: true}}
	}
	if b.runs == nil {
		b.runs = map[runsKey]*Commands{}
	}
	b.runs[key] = made
	return made
}

func (r commandRange) end() uint64 {
	if r.count > math.MaxUint64-r.first {
		return math.MaxUint64
	}
	return r.first + r.count
}
