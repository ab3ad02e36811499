package analyze

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"slices"

	"mtrace/collector/wire"
)

// Commands are the commands that one execution of an indirect command buffer runs. Executions of the same commands
// share one value.
type Commands struct {
	// in order, without dispatches of no threads; a single Opaque one when none of the commands is known
	Runs []Dispatch
}

// Runs iterates over the encoder's dispatches. Instead of an execution of an indirect command buffer it yields the
// commands that were executed. The pointer is valid until the next one is yielded.
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

// indirectCommands collects the changes that a process makes to its indirect command buffers. The commands of an
// execution are determined only after everything was read, because threads are read one after another, and because the
// GPU may change commands later than the change was encoded.
type indirectCommands struct {
	// the command that an object represents: a program gets a new object each time it requests a command
	places     map[wire.ObjectID]commandPlace
	changes    []commandChange
	executions []execution
}

// A commandPlace is the place of one command: an indirect command buffer and an index.
type commandPlace struct {
	buffer wire.ObjectID
	index  uint64
}

// A commandRange is a range of commands in an indirect command buffer.
type commandRange struct {
	buffer       wire.ObjectID
	first, count uint64
}

func (r commandRange) end() uint64 {
	if r.count > math.MaxUint64-r.first {
		return math.MaxUint64
	}
	return r.first + r.count
}

// A commandChange is a change of commands of an indirect command buffer: by a call, at once, or by the GPU, when it runs
// the commands of an encoder.
type commandChange struct {
	call    Nanos
	encoder *openEncoder // nil: made by the call itself
	command wire.ObjectID
	effect  wire.Effect
	value   uint64       // a pipeline state or how many threads
	of      commandRange // the commands that are reset or copied
	to      commandPlace // where it is copied
}

// An execution is a dispatch in which an encoder executes commands of an indirect command buffer.
type execution struct {
	call       Nanos
	encoder    *openEncoder
	dispatch   int
	of         commandRange
	known      bool // which range is
	inheriting *Pipeline
}

// made stores the command that an object represents.
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

// encodeIndirect stores an operation on indirect command buffers that an encoder makes the GPU perform.
func (l *objectLoader) encodeIndirect(rule *rule, o *openEncoder, call Call, r *wire.Record, m *wire.More) {
	c, e := &l.at.process.indirect, &o.one[0]
	switch rule.effect {
	case wire.EffectExecutes:
		of := commandRange{wire.ObjectID(m.X0), rule.first.Of(r, m), r.Arg}
		c.executions = append(c.executions, execution{call.Begin, o, len(e.Dispatches), of, rule.counted, o.pipeline})
		e.Dispatches = l.at.thread.runs.extend(e.Dispatches, Dispatch{Count: 1, Unsized: true, Opaque: true, At: call.Begin,
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

// A moment is the instant of a change to commands. A change by the GPU happens when the GPU executes the encoder (at);
// within one encoder, changes happen in the order of the calls that encoded them (call).
type moment struct{ at, call Nanos }

func (m moment) compare(n moment) int {
	return cmp.Or(cmp.Compare(m.at, n.at), cmp.Compare(m.call, n.call))
}

// momentOf returns the moment of a call made on an encoder, or on none (nil). The GPU never executes something before
// it was encoded.
func momentOf(call Nanos, e *openEncoder) moment {
	if e == nil || e.buffer == nil {
		return moment{call, call}
	}
	return moment{max(call, e.buffer.Committed.Begin, e.buffer.GPU.Begin), call}
}

// A command has the known properties of one command in an indirect command buffer.
type command struct {
	pipeline *Pipeline
	threads  uint64
}

// An indirectBuffer is the content of an indirect command buffer at one moment. Commands that were never set by the
// CPU, or were reset, are missing.
type indirectBuffer struct {
	commands map[uint64]command
	runs     map[runsKey]*Commands // of executions since the last change
}

type runsKey struct {
	first, count uint64
	inheriting   *Pipeline
}

// resolveIndirect determines the commands of each execution by applying all changes to the commands in the order of
// time.
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

// change makes a change.
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
	case !one: // it was asked for before the trace
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

// filled returns the indices in a range that the CPU has set, ascending.
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

// executed returns the current commands in a range. Commands without a pipeline state use the encoder's.
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
