package analyze

import (
	"slices"

	"mtrace/collector/wire"
)

// An openScope is a scope (a time range that the program named) whose begin has been read, but not yet its end.
type openScope struct {
	begin wire.Ticks
	name  uint64
	depth wire.ObjectID // number of scopes around it
}

// A scopeLoader collects the scopes and marks of the threads that used one ring (a thread's record buffer).
type scopeLoader struct {
	at   *cursor
	open []openScope // the innermost last
}

// begin opens a scope (a time range that the program named). Open scopes of the same depth or deeper must have ended
// before, so the records of their ends were lost; they are dropped.
func (s *scopeLoader) begin(r *wire.Record) {
	s.change()
	n := len(s.open)
	for n > 0 && s.open[n-1].depth >= r.Object {
		n--
	}
	s.open = append(s.open[:n], openScope{r.Begin, r.Arg, r.Object})
}

// mark stores a mark (a named instant), or a scope whose end was just read.
func (s *scopeLoader) mark(r *wire.Record, isMark bool) {
	if !isMark {
		s.change()
		s.end(r)
	}
	s.add(Interval{s.at.process.clock.at(r.Begin), s.at.process.clock.at(r.End)}, Scope{Name: s.at.process.text(r.Arg),
		Mark: isMark})
}

// end removes the scope (a time range that the program named) that ended from the open scopes. If the scope is not
// open, its begin was lost. Then all scopes that began after it have ended too, and the records of their ends were
// lost.
func (s *scopeLoader) end(r *wire.Record) {
	for i := len(s.open) - 1; i >= 0 && s.open[i].begin >= r.Begin; i-- {
		if o := s.open[i]; o.begin == r.Begin && o.name == r.Arg {
			s.open = slices.Delete(s.open, i, i+1)
			return
		}
	}
	for n := len(s.open); n > 0 && s.open[n-1].begin >= r.Begin; n-- {
		s.open = s.open[:n-1]
	}
}

// change is called when a scope (a time range that the program named) begins or ends. It prevents equal dispatches
// before and after that instant from being joined into one, which would count in only one of the two scopes.
func (s *scopeLoader) change() {
	if s.at.thread != nil {
		s.at.thread.scopes++
	}
}

// endAll ends the scopes (time ranges named by the program) that are still open at the end of the records. `end` is
// when the process ended.
func (s *scopeLoader) endAll(end Nanos) {
	for _, o := range s.open {
		s.add(Interval{s.at.process.clock.at(o.begin), end}, Scope{Name: s.at.process.text(o.name), Unfinished: true})
	}
	s.open = s.open[:0]
}

// add adds a scope of the thread.
func (s *scopeLoader) add(i Interval, scope Scope) {
	if s.at.thread == nil {
		s.at.startThread(s.at.unknownThread(), "")
	}
	i.End = max(i.Begin, i.End)
	inside, visible := s.at.loader.clip(i)
	if !visible {
		return
	}
	if s.at.loader.adds {
		inside = i
	}
	scope.Interval = inside
	if scope.Thread == nil {
		scope.Thread = s.at.thread.Thread
	}
	s.at.trace.Scopes = append(s.at.trace.Scopes, scope)
}

// endSharedScopes removes the unfinished copy of each scope that another thread ended. The thread that began the
// scope has no record of its end, so the scope would otherwise also be listed as lasting to the end of the process.
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
