package analyze

import (
	"strings"

	"mtrace/collector/wire"
)

// A bufferNaming tracks the label and the open debug groups of a command buffer that is not committed yet. Work gets
// the names that are current when it is encoded, not those at the commit.
type bufferNaming struct {
	thread  *Thread // the thread that set the label
	label   string
	added   string // text that the last change appended to the label
	encoded bool   // work was encoded since the label was set
	grows   bool   // the label was extended after work was encoded, so each addition names other work
	groups  []string
}

// naming returns the current labels and debug groups of a command buffer that is not committed yet; empty ones if
// there are none so far.
func (p *processLoader) naming(b *CommandBuffer) *bufferNaming {
	n := p.called[b.ID]
	if n == nil {
		if p.called == nil {
			p.called = map[uint32]*bufferNaming{}
		}
		n = &bufferNaming{}
		p.called[b.ID] = n
	}
	return n
}

// relabel stores a new label of the command buffer. Some frameworks append the name of each operation to the label,
// so if the new label extends the old one, `added` becomes the appended text. If the label was cut to the maximum
// length, the appended text is not known and `added` is empty.
func (n *bufferNaming) relabel(label string, by *Thread) {
	switch longer := strings.HasPrefix(label, n.label) && n.label != "" && n.thread == by; {
	case longer && len(label) == len(n.label):
		if len(label) >= wire.MaxFactText {
			n.added = ""
		}
		return
	case longer:
		n.added, n.grows = label[len(n.label):], n.grows || n.encoded
	default:
		n.added, n.grows, n.encoded = label, false, false
	}
	if len(label) >= wire.MaxFactText {
		n.added = ""
	}
	n.label, n.thread = label, by
}

// regroup returns the list of open debug groups after one more was opened, or the innermost one was closed.
func regroup(groups []string, effect wire.Effect, name string) []string {
	if effect == wire.EffectOpensGroup {
		return append(groups, name)
	}
	return groups[:max(0, len(groups)-1)]
}

// innermost returns the name of the innermost debug group that has a name; empty if there is none.
func innermost(groups []string) string {
	for i := len(groups) - 1; i >= 0; i-- {
		if groups[i] != "" {
			return groups[i]
		}
	}
	return ""
}

// names returns the names that apply to what the thread encodes now: labels and debug groups of the encoder and its
// command buffer.
func (l *objectLoader) names(o *openEncoder) *Names {
	n := Names{Group: innermost(o.groups), thread: l.at.thread.Thread}
	if len(l.at.process.called) > 0 && o.buffer != nil {
		if of := l.at.process.called[o.buffer.ID]; of != nil {
			n.BufferGroup, of.encoded = innermost(of.groups), true
			if of.thread == l.at.thread.Thread {
				n.Label, n.Added, n.Grows = of.label, of.added, of.grows
			}
		}
	}
	if o.names == nil || *o.names != n {
		if l.lastNames == nil || *l.lastNames != n { // consecutive encoders of a thread usually have the same names
			l.lastNames = l.at.process.shared(n)
		}
		o.names = l.lastNames
	}
	return o.names
}

// shared returns the process's one copy of equal names, so that names can be compared by pointer and are stored once.
func (p *processLoader) shared(n Names) *Names {
	known := p.names[n]
	if known == nil {
		if p.names == nil {
			p.names = map[Names]*Names{}
		}
		fresh := n // a copy, so that n is only moved to the heap when the names are new
		known = &fresh
		p.names[n] = known
	}
	return known
}

// nameCopies sets Encoder.Names, the names of the encoder's copies and fills. If they were encoded under different
// names, the names become empty, because no name applies to all of them.
func (l *objectLoader) nameCopies(o *openEncoder) {
	e, now := &o.one[0], l.names(o)
	switch {
	case e.Copies == 0:
		e.Names = now
	case e.Names != now:
		e.Names = l.at.process.shared(Names{thread: l.at.thread.Thread})
	}
}

// nameScopes sets Names.Scope of dispatches and encoders: the innermost scope that the thread was in when it encoded
// them. It runs after everything was read, because only then are all scopes known.
func nameScopes(t *Trace) {
	if len(t.Scopes) == 0 {
		return
	}
	scopes, known := NewScopesAt(t), map[Names]*Names{}
	within := func(names *Names, at Nanos) *Names {
		if names == nil || names.thread == nil {
			return names
		}
		scope := scopes.Innermost(names.thread, at)
		if scope == "" {
			return names
		}
		n := *names
		n.Scope = scope
		if known[n] == nil {
			known[n] = &n
		}
		return known[n]
	}
	for b := range t.Buffers() {
		for i := range b.Encoders {
			e := &b.Encoders[i]
			e.Names = within(e.Names, e.Created.Begin)
			for k := range e.Dispatches {
				e.Dispatches[k].Names = within(e.Dispatches[k].Names, e.Dispatches[k].At)
			}
		}
	}
}
