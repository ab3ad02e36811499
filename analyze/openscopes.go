package analyze

import "mtrace/collector/wire"

// An openScope is a scope whose beginning has been read, but not its end.
type openScope struct {
	begin wire.Ticks
	name  uint64
	depth wire.ObjectID // scopes around it
}

// scopeBegins keeps a scope until its end comes. Those as deep as it and deeper have ended, and the records of that were lost.
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
		for n := len(s.openScopes); n > 0 && s.openScopes[n-1].begin >= r.Begin; n-- {
			s.openScopes = s.openScopes[:n-1]
		}
	}
	s.addScope(Interval{s.process.clock.at(r.Begin), s.process.clock.at(r.End)}, Scope{Name: s.process.text(r.Arg), Mark: mark})
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
	scope.Interval, scope.Thread = inside, s.thread.Thread
	s.trace.Scopes = append(s.trace.Scopes, scope)
}
