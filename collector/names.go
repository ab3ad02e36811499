package collector

import (
	"mtrace/collector/wire"
)

// A naming has the properties of a command buffer to which selection rules may refer: its queue and its label.
type naming struct {
	queue wire.ObjectID // 0 when not known
	label wire.StringID // StringID of the label; 0 if there is none
}

// A choice is the decision whether the calls on an object are written to the trace.
type choice uint8

const (
	undecided choice = iota // no decision yet, or an unknown object
	wanted
	unwanted
)

// A page stores the choices (whether the calls on an object are written to the trace) for 256 objects with
// consecutive numbers, one byte each.
type page [256]choice

// names has the names of threads, queues and command buffers of one process, for the rules of a Selection. The
// process's mutex guards it.
type names struct {
	threads map[uint64]string
	texts   map[wire.StringID]string
	queues  map[wire.ObjectID]wire.StringID // labels of the queues
	buffers map[wire.ObjectID]naming        // command buffers without a decision
	owners  map[wire.ObjectID]wire.ObjectID // the command buffers of encoders without a decision
	pages   map[wire.ObjectID]*page
}

func newNames() *names {
	return &names{threads: map[uint64]string{}, texts: map[wire.StringID]string{},
		queues:  map[wire.ObjectID]wire.StringID{},
		buffers: map[wire.ObjectID]naming{}, owners: map[wire.ObjectID]wire.ObjectID{},
		pages: map[wire.ObjectID]*page{}}
}

// facts stores the names of threads and the texts of labels that the process sent as facts.
func (n *names) facts(facts []wire.Fact) {
	for _, f := range facts {
		switch f.Kind {
		case wire.FactString:
			n.texts[wire.StringID(f.Key)] = f.Text
		case wire.FactThreadName:
			n.threads[f.Key] = f.Text
		}
	}
}

// record stores the queue and the label that a call gives to an object. r is the call's record, and more its More
// record (further arguments), zero if there is none.
func (n *names) record(r *wire.Record, more *wire.More) {
	row, object := r.Call.Row(), r.Object
	switch {
	case row.Makes(wire.KindQueue):
		n.queues[wire.ObjectID(r.Arg)] = labelOf(&row, r, more)
	case row.Makes(wire.KindCommandBuffer):
		made := naming{label: labelOf(&row, r, more)}
		if row.Object.Kind == wire.KindQueue {
			made.queue = object
		}
		n.buffers[wire.ObjectID(r.Arg)] = made
	case row.Makes(wire.KindEncoder):
		owner := object
		if of, known := n.owners[object]; known { // object is an encoder itself: a parallel render encoder creates others
			owner = of
		}
		n.owners[wire.ObjectID(r.Arg)] = owner
	case row.Effect == wire.EffectLabels && row.Object.Kind == wire.KindQueue:
		n.queues[object] = wire.StringID(r.Arg)
	case row.Effect == wire.EffectLabels && row.Object.Kind == wire.KindCommandBuffer:
		if b, known := n.buffers[object]; known {
			b.label = wire.StringID(r.Arg)
			n.buffers[object] = b
		}
	case row.Effect.Commits() && row.Object.Kind == wire.KindQueue:
		n.committed(&row, r, more)
	}
}

// labelOf returns the label that a call gives to the object that it creates, or 0 if none.
func labelOf(row *wire.Row, r *wire.Record, m *wire.More) wire.StringID {
	if f, found := row.Find(wire.RoleLabel); found {
		return wire.StringID(f.At.Of(r, m))
	}
	return 0
}

// committed stores the queue of each command buffer that a call commits. In Metal 4 a command buffer is created
// without a queue and gets one only then.
func (n *names) committed(row *wire.Row, r *wire.Record, m *wire.More) {
	for _, f := range row.More {
		id := wire.ObjectID(f.At.Of(r, m))
		if b, known := n.buffers[id]; known && f.Role == wire.RoleMember && f.Kind == wire.KindCommandBuffer {
			b.queue = r.Object
			n.buffers[id] = b
		}
	}
}

// choice returns the decision whether the calls on an object are written to the trace, or undecided if there is none
// yet.
func (n *names) choice(id wire.ObjectID) choice {
	if p := n.pages[id>>8]; p != nil {
		return p[id&0xff]
	}
	return undecided
}

// decide stores and returns the final decision whether the calls on an object are written to the trace.
func (n *names) decide(id wire.ObjectID, c choice) choice {
	p := n.pages[id>>8]
	if p == nil {
		p = &page{}
		n.pages[id>>8] = p
	}
	p[id&0xff] = c
	return c
}

// object reports whether calls on a command buffer, or on one of its encoders, are written to the trace. The first
// answer is final. Otherwise a later label could cause only some of the calls on an object to be recorded.
func (n *names) object(s *Selection, id wire.ObjectID) bool {
	if c := n.choice(id); c != undecided {
		return c == wanted
	}
	if owner, known := n.owners[id]; known {
		delete(n.owners, id)
		c := unwanted
		if n.object(s, owner) {
			c = wanted
		}
		return n.decide(id, c) == wanted
	}
	b, known := n.buffers[id]
	if !known {
		return true
	}
	delete(n.buffers, id)
	c := wanted
	if b.queue != 0 && !n.queue(s, b.queue) || !s.wants(ofLabel, n.texts[b.label], 0) {
		c = unwanted
	}
	return n.decide(id, c) == wanted
}

// queue reports whether the selection includes a queue. It includes a queue whose creation was not recorded: that
// queue's label is not known, so no rule can exclude it.
func (n *names) queue(s *Selection, id wire.ObjectID) bool {
	label, known := n.queues[id]
	return !known || s.wants(ofQueue, n.texts[label], uint64(id))
}

// wants reports whether a record is written to the trace: the selection must include its thread, queue, command
// buffer and call. Completions and GPU times of a command buffer do not depend on the thread, because one of Metal's
// threads may have recorded them.
func (n *names) wants(s *Selection, thread uint64, r *wire.Record) bool {
	row := r.Call.Row()
	switch {
	case r.Call.Lasts(), row.Effect == wire.EffectMeters, row.Effect == wire.EffectCountsAlive:
		return true
	case row.Effect == wire.EffectCompletes, row.Effect == wire.EffectFails, row.Effect == wire.EffectSchedules,
		row.Effect == wire.EffectTimes:
		return n.object(s, r.Object) // independent of the thread, which may be one of Metal's
	case !s.wants(ofThread, n.threads[thread], thread):
		return false
	case row.Makes(wire.KindCommandBuffer), row.Makes(wire.KindEncoder):
		if r.Arg != 0 && !n.object(s, wire.ObjectID(r.Arg)) {
			return false
		}
	case row.Object.Kind == wire.KindQueue:
		if !n.queue(s, r.Object) {
			return false
		}
	case row.Object.Kind.Base() == wire.KindCommandBuffer, row.Object.Kind.Base() == wire.KindEncoder:
		if !n.object(s, r.Object) {
			return false
		}
	}
	return row.Family == wire.FamilyTracer || s.wants(ofCall, row.Selector, 0)
}
