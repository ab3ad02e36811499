package analyze

import "sort"

// ScopesAt finds the scopes (time ranges that the program named with mtrace's marker functions) that a thread is in
// at an instant. Building one sorts all scopes, so create one per trace.
type ScopesAt struct {
	by map[*Thread]*scopeTree
}

// A scopeTree holds the scopes (time ranges named by the program) of one thread, sorted by begin. parent[i] is the
// index of the scope that encloses scope i.
type scopeTree struct {
	scopes []*Scope
	parent []int // −1: none
}

// NewScopesAt returns a ScopesAt for the scopes (time ranges named by the program) of a trace. Marks are left out,
// because they have no length.
func NewScopesAt(t *Trace) *ScopesAt {
	s := &ScopesAt{by: map[*Thread]*scopeTree{}}
	for i := range t.Scopes {
		scope := &t.Scopes[i]
		if scope.Mark {
			continue
		}
		tree := s.by[scope.Thread]
		if tree == nil {
			tree = &scopeTree{}
			s.by[scope.Thread] = tree
		}
		tree.scopes = append(tree.scopes, scope)
	}
	for _, tree := range s.by {
		sort.SliceStable(tree.scopes, func(i, j int) bool {
			a, b := tree.scopes[i], tree.scopes[j]
			return a.Begin < b.Begin || a.Begin == b.Begin && a.End > b.End
		})
		tree.parent = make([]int, len(tree.scopes))
		open := -1
		for i, scope := range tree.scopes {
			for open >= 0 && tree.scopes[open].End < scope.End {
				open = tree.parent[open]
			}
			tree.parent[i] = open
			open = i
		}
	}
	return s
}

// Innermost returns the name of the innermost scope (time range named by the program) that thread t is in at an
// instant; empty if it is in none.
func (s *ScopesAt) Innermost(t *Thread, at Nanos) string {
	tree := s.by[t]
	if tree == nil {
		return ""
	}
	i := sort.Search(len(tree.scopes), func(i int) bool { return tree.scopes[i].Begin > at }) - 1
	for ; i >= 0; i = tree.parent[i] {
		if tree.scopes[i].End > at {
			return tree.scopes[i].Name
		}
	}
	return ""
}

// Names returns the names of all scopes (time ranges named by the program) that thread t is in at an instant,
// innermost first.
func (s *ScopesAt) Names(t *Thread, at Nanos) []string {
	tree := s.by[t]
	if tree == nil {
		return nil
	}
	var names []string
	i := sort.Search(len(tree.scopes), func(i int) bool { return tree.scopes[i].Begin > at }) - 1
	for ; i >= 0; i = tree.parent[i] {
		if tree.scopes[i].End > at {
			names = append(names, tree.scopes[i].Name)
		}
	}
	return names
}
