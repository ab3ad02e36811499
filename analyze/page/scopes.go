package page

import (
	"cmp"
	"hash/fnv"
	"slices"

	"mtrace/analyze"
)

// scopeLane is a lane with scopes of one thread. Scopes that overlap are in different lanes.
type scopeLane struct {
	track
	until analyze.Nanos
}

// mostScopes is the maximum number of lanes with scopes per thread. If more scopes overlap, the further ones are only
// counted.
const mostScopes = 4

// scopes adds the program's scopes and marks.
func (b *Builder) scopes(s *analyze.Slice) {
	list := slices.Clone(s.Trace.Scopes)
	slices.SortStableFunc(list, func(x, y analyze.Scope) int {
		return cmp.Or(cmp.Compare(x.Begin, y.Begin), cmp.Compare(y.End, x.End))
	})
	for i := range list {
		x := &list[i]
		if x.Thread == nil || !x.Unfinished && !s.Includes(x.End) || x.Unfinished && !s.Includes(x.Begin) {
			continue
		}
		t := b.thread(x.Thread)
		if x.Mark {
			b.marks.add(t, x.Begin, x.Name)
			continue
		}
		n := slices.IndexFunc(t.scopes, func(l *scopeLane) bool { return l.until <= x.Begin })
		if n < 0 {
			if len(t.scopes) == mostScopes {
				b.marks.left++
				continue
			}
			n = len(t.scopes)
			t.scopes = append(t.scopes, &scopeLane{})
			b.lanes++
		}
		t.scopes[n].add(block{Interval: x.Interval, kind: colorOfName(x.Name), name: x.Name}, b.room())
		t.scopes[n].until = x.End
	}
}

// colorOfName returns the colour of a scope; scopes of the same name have the same colour.
func colorOfName(name string) uint8 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return uint8(h.Sum32() % colors)
}

// marks collects the program's marks and its failures (failed command buffers) to be drawn. Beyond mostMarks of
// either kind, further ones are only counted in `left`.
type marks struct {
	list   []mark
	left   int64 // number of marks and failures that are not shown
	failed int   // number of failures in list
}

type mark struct {
	on     *thread
	at     analyze.Nanos
	name   string
	failed bool
}

// mostMarks is the maximum number of marks that are drawn, and separately that of failed command buffers. With one
// common limit, many marks could displace the failures.
const mostMarks = 1000

func (m *marks) add(on *thread, at analyze.Nanos, name string) {
	if len(m.list)-m.failed >= mostMarks {
		m.left++
		return
	}
	m.list = append(m.list, mark{on, at, name, false})
}

func (m *marks) fail(on *thread, at analyze.Nanos, name string) {
	if m.failed >= mostMarks {
		m.left++
		return
	}
	m.failed++
	m.list = append(m.list, mark{on, at, name, true})
}
