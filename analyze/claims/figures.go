package claims

import (
	"fmt"
	"slices"
)

// mostFigures is the maximum number of values that are listed for each path (such as threads[*].wait_ns) of a failed
// claim.
const mostFigures = 8

// figures returns the values that an expression reads from a document, each as "path = value", in the order of the
// expression. They explain why a claim failed.
func (n *node) figures(doc any) (list []string) {
	if n.kind == nodePath {
		values, err := n.values(doc)
		if err != nil {
			return []string{fmt.Sprintf("%s: %v", n.name(), err)}
		}
		for i, v := range values {
			if i == mostFigures {
				return append(list, fmt.Sprintf("%s: %d values more", n.name(), len(values)-i))
			}
			list = append(list, fmt.Sprintf("%s = %s", n.name(), v.show(n.dim)))
		}
		return list
	}
	for _, c := range n.children {
		for _, f := range c.figures(doc) {
			if !slices.Contains(list, f) && len(list) < 2*mostFigures {
				list = append(list, f)
			}
		}
	}
	return list
}

// name returns the path as it is written in the expression.
func (n *node) name() (text string) {
	for _, s := range n.path {
		text = s.extend(text)
	}
	return text
}
