package page

import (
	"cmp"
	"slices"

	"github.com/google/pprof/profile"
)

// A Flame is a flame graph: a profile as a tree of functions. It has the same samples as the profile of that kind
// from mtrace pprof.
type Flame struct {
	Kind  string   `json:"kind"` // "wait", "gpu" or "api", as in mtrace pprof
	Names []string `json:"names"`
	// Nodes has three numbers for each node: its depth, the index of its name in Names, and its nanoseconds including
	// its children's. Parents come before their children, the largest child first. A node too small to be drawn is
	// left out and counts only in its parent.
	Nodes []int64 `json:"nodes"`
}

// FlameKinds are the kinds of profiles that a page shows as flame graphs; each is also a kind of mtrace pprof.
var FlameKinds = []string{"wait", "gpu", "api"}

// Limits of a flame graph.
const (
	mostNodes      = 2000
	smallestNode   = 1e-4 // share of the whole graph
	deepestNode    = 120
	unknownOfFlame = "(no name)"
)

// A flameNode is a function on one call path, with the nanoseconds of all samples on that path.
type flameNode struct {
	name     string
	total    int64
	children map[string]*flameNode
}

// below returns the child with a name.
func (n *flameNode) below(name string) *flameNode {
	c := n.children[name]
	if c == nil {
		c = &flameNode{name: name, children: map[string]*flameNode{}}
		n.children[name] = c
	}
	return c
}

// ordered returns the children, the largest first.
func (n *flameNode) ordered() (list []*flameNode) {
	for _, c := range n.children {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b *flameNode) int {
		return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(a.name, b.name))
	})
	return list
}

// count returns how many nodes of the tree have at least a given time: `least` nanoseconds.
func (n *flameNode) count(least int64, depth int) (nodes int) {
	if n.total < least || depth > deepestNode {
		return 0
	}
	for _, c := range n.children {
		nodes += c.count(least, depth+1)
	}
	return nodes + 1
}

// AddFlame adds a profile as a flame graph. The second value of each sample must be nanoseconds: of a wait, on the
// GPU or in a call. A profile without any time adds nothing.
func (d *Document) AddFlame(kind string, p *profile.Profile) {
	root := &flameNode{children: map[string]*flameNode{}}
	for _, s := range p.Sample {
		value := s.Value[1]
		root.total += value
		at := root
		for _, l := range slices.Backward(s.Location) {
			for _, line := range slices.Backward(l.Line) {
				name := unknownOfFlame
				if line.Function != nil {
					name = cmp.Or(line.Function.Name, name)
				}
				at = at.below(short(name))
				at.total += value
			}
		}
	}
	if root.total <= 0 {
		return
	}
	least := max(1, int64(smallestNode*float64(root.total)))
	for root.count(least, 0) > mostNodes {
		least *= 2
	}
	f := Flame{Kind: kind, Names: []string{}, Nodes: []int64{}}
	places := map[string]int64{}
	var add func(n *flameNode, depth int)
	add = func(n *flameNode, depth int) {
		if n.total < least || depth > deepestNode {
			return
		}
		place, known := places[n.name]
		if !known {
			place = int64(len(f.Names))
			places[n.name], f.Names = place, append(f.Names, n.name)
		}
		f.Nodes = append(f.Nodes, int64(depth), place, n.total)
		for _, c := range n.ordered() {
			add(c, depth+1)
		}
	}
	root.name = map[string]string{"wait": "all waits", "gpu": "all GPU time", "api": "all calls"}[kind]
	add(root, 0)
	d.Flames = append(d.Flames, f)
}
