package timeline

import (
	"mtrace/analyze"
	"mtrace/collector/wire"
)

// A call is the data of a call that is stored until the call is written. It is smaller than a slice (the form in
// which it is written); together with its times it fits into a cache line.
type call struct {
	site       *analyze.Frame // where it came from; nil if not known
	more       *callMore      // data that most calls do not have
	arg        uint64
	object     wire.ObjectID
	id         wire.Call
	flags      wire.Flags
	unfinished bool
}

// A callMore has data that only few calls have. It is separate so that a call stays small.
type callMore struct {
	text    string   // the text that its argument refers to
	members []uint32 // numbers of the command buffers that the call commits, without its receiver
}

// threadCalls collects the calls of one thread that are not written yet.
type threadCalls struct {
	sorter
	thread *analyze.Thread
}

// Call adds a call; it fits analyze.Options.Visit.
func (w *Writer) Call(c *analyze.VisitedCall) {
	if w.latest == nil || w.latest.thread != c.Thread {
		w.latest = w.callsOf(c.Thread)
	}
	k := &w.latest.next(c.Interval).call
	k.site, k.id, k.unfinished = c.Stack.Site(), c.ID, c.Unfinished
	k.arg, k.object, k.flags = c.Record.Arg, c.Record.Object, c.Record.Flags
	if kindOf(c.ID).text {
		k.more = &callMore{text: c.Text(c.Record.Arg)}
	} else if c.Row.Effect.Commits() && len(c.Row.More) > 0 {
		k.more = &callMore{members: members(c)}
	}
}

// members returns the numbers of the other command buffers that a call commits, besides the one on which it is
// called. If there are many, it returns only the first ones, because the call's record has no more.
func members(c *analyze.VisitedCall) (list []uint32) {
	n := uint64(0)
	for _, f := range c.Row.More {
		if f.Role != wire.RoleMember {
			continue
		}
		if id := f.At.Of(c.Record, c.More); n < c.Record.Arg && id != 0 {
			list = append(list, uint32(id))
		}
		n++
	}
	return list
}

// callsOf returns the collection of a thread's calls. For a new thread it also declares a track with the thread's
// current name.
func (w *Writer) callsOf(t *analyze.Thread) *threadCalls {
	c := w.calls[t]
	if c == nil {
		c = &threadCalls{thread: t}
		c.write = func(list []pending, nested bool) []pending {
			w.behind.do(func() {
				w.file.write(w.file.threads[t], t, list, nested)
				w.behind.written(list)
			})
			return w.behind.room()
		}
		w.calls[t], w.order = c, append(w.order, c)
		name := t.Name
		w.behind.do(func() { w.file.thread(t, name) })
	}
	return c
}

// describe fills in `s`, the slice (a named interval on the track) for call k of thread `t`: name, category, the
// values to display, and the arrows.
func (f *trackFile) describe(s *slice, k *call, t *analyze.Thread) {
	kind := kindOf(k.id)
	s.name, s.category, s.call = kind.name, kind.category, kind.call
	if kind.hasObject && k.object != 0 {
		s.args = append(s.args, arg{name: kind.object, value: uint64(k.object), word: argObject})
	}
	switch {
	case !kind.hasArg:
	case kind.text:
		s.args = append(s.args, arg{name: kind.words, text: k.more.text})
	case k.arg != 0:
		s.args = append(s.args, arg{name: kind.arg, value: k.arg, word: argArg})
	}
	if k.flags&wire.Failed != 0 {
		s.say(arg{name: "failed", text: "returned nil, NO or an error"})
	}
	if k.unfinished {
		s.say(arg{name: "unfinished", text: "the process ended inside this call"})
	}
	if k.site != nil {
		s.say(arg{name: "called from", text: k.site.String()})
	}
	if kind.signals && k.arg != 0 && k.flags&wire.Failed == 0 {
		s.flowEnd = flowOfSignal(t, s.Begin)
	}
	if k.object != 0 {
		switch {
		case kind.commits:
			s.flows = append(s.flows, f.flowOf(t.Process, uint32(k.object)))
		case kind.waits && !k.unfinished:
			s.flowEnd = f.flowOf(t.Process, uint32(k.object))
		}
	}
	if k.more != nil {
		for _, id := range k.more.members {
			s.flows = append(s.flows, f.flowOf(t.Process, id))
		}
	}
}
