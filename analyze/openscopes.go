package analyze

import (
	"slices"

	"mtrace/collector/wire"
)

// An openScope is a scope whose beginning has been read, but not its end.
type openScope struct {
	begin wire.Ticks
	name  uint64
	depth wire.ObjectID // scopes around it
}

// scopeBegins keeps a scope until its end comes. Those as deep as it and deeper have ended, and the records of that
// were lost.
func (s *streamLoader) scopeBegins(r *wire.Record) {
	s.changeScope()
	n := len(s.openScopes)
	for n > 0 && s.openScopes[n-1].depth >= r.Object {
		n--
	}
	s.openScopes = append(s.openScopes[:n], openScope{r.Begin, r.Arg, r.Object})
}

// scope takes in a mark, or a scope that has ended.
func (s *streamLoader) scope(r *wire.Record, mark bool) {
	if !mark {
		s.changeScope()
		s.scopeEnds(r)
	}
	s.addScope(Interval{s.process.clock.at(r.Begin), s.process.clock.at(r.End)}, Scope{Name: s.process.text(r.Arg),
		Mark: mark})
}

// scopeEnds forgets the open scope that has ended. When its beginning is not among them, those that began in it have
// ended too, and the records of that were lost.
func (s *streamLoader) scopeEnds(r *wire.Record) {
	for i := len(s.openScopes) - 1; i >= 0 && s.openScopes[i].begin >= r.Begin; i-- {
		if o := s.openScopes[i]; o.begin == r.Begin && o.name == r.Arg {
			s.openScopes = slices.Delete(s.openScopes, i, i+1)
			return
		}
	}
	for n := len(s.openScopes); n > 0 && s.openScopes[n-1].begin >= r.Begin; n-- {
		s.openScopes = s.openScopes[:n-1]
	}
}

// changeScope has what the thread encodes from now on be apart from what it encoded before.
func (s *streamLoader) changeScope() {
	if s.thread != nil {
		s.thread.scopes++
	}
}

// endScopes ends the scopes that the thread was in when its records end.
func (s *streamLoader) endScopes(end Nanos) {
	for _, o := range s.openScopes {
		s.addScope(Interval{s.process.clock.at(o.begin), end}, Scope{Name: s.process.text(o.name), Unfinished: true})
	}
	s.openScopes = s.openScopes[:0]
}

func (s *streamLoader) addScope(i Interval, scope Scope) {
	if s.thread == nil {
		s.startThread(s.unknownThread(), "")
	}
	i.End = max(i.Begin, i.End)
	inside, visible := s.clip(i)
	if !visible {
		return
	}
	if s.adds {
		inside = i
	}
	scope.Interval = inside
	if scope.Thread == nil {
		scope.Thread = s.thread.Thread
	}
	s.trace.Scopes = append(s.trace.Scopes, scope)
}

// endSharedScopes leaves out those of the scopes that seemed to be open to the end, but that another thread has ended.
func endSharedScopes(t *Trace) {
	type beginning struct {
		thread *Thread
		at     Nanos
		name   string
	}
	shared := map[beginning]bool{}
	for i := range t.Scopes {
		if s := &t.Scopes[i]; s.shared {
			shared[beginning{s.Thread, s.Begin, s.Name}] = true
		}
	}
	if len(shared) > 0 {
		t.Scopes = slices.DeleteFunc(t.Scopes, func(s Scope) bool {
			return s.Unfinished &&
				shared[beginning{s.Thread, s.Begin, s.Name}]
		})
	}
}
