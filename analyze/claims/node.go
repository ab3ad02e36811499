package claims

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// An Expression is a parsed claim.
type Expression struct {
	Text string
	root *node
}

type nodeKind uint8

const (
	nodeNumber nodeKind = iota
	nodeText
	nodePath
	nodeCall
	nodeArithmetic
	nodeComparison
	nodeLogic
	nodeNot
)

// A node is a part of a parsed expression. Its dimension (time, bytes or plain number) is known after parsing, so
// mismatches are found before any document is read.
type node struct {
	kind     nodeKind
	column   int
	number   float64
	dim      dimension
	bare     bool // a number without a unit, which is compatible with every dimension
	value    string
	text     bool // the node is a text or a truth value
	operator string
	function string
	path     []step
	scale    float64 // factor for the numbers under a path
	children []*node
}

// A step of a path selects a key of an object, one element of a list, or all elements that meet some conditions.
type step struct {
	name       string
	index      *int
	all        bool
	conditions []condition
}

// A condition selects elements of a list by one of their fields. The operator ~ selects elements whose text contains
// the given text.
type condition struct {
	path   []string
	op     string
	text   string
	number float64
	isText bool
}

func (n *node) logical() bool {
	return n.kind == nodeComparison || n.kind == nodeLogic || n.kind == nodeNot
}

// constant reports whether the node reads nothing from the document.
func (n *node) constant() bool {
	return n.kind != nodePath && !slices.ContainsFunc(n.children, func(c *node) bool { return !c.constant() })
}

// A function makes one number of many.
type function struct {
	numbers bool // the result has the dimension of the arguments; if false, the result is a plain number
	fold    func([]float64) float64
}

var functions = map[string]function{
	"sum": {true, func(v []float64) float64 {
		s := 0.0
		for _, x := range v {
			s += x
		}
		return s
	}},
	"mean": {true, func(v []float64) float64 {
		s := 0.0
		for _, x := range v {
			s += x / float64(len(v))
		}
		return s
	}},
	"min":   {true, slices.Min[[]float64]},
	"max":   {true, slices.Max[[]float64]},
	"count": {false, nil},
}

func functionNames() string { return strings.Join(slices.Sorted(maps.Keys(functions)), ", ") }

// newBinary returns a node that joins two operands by an operator. It returns an error if their dimensions do not
// fit, such as a time compared with a size.
func newBinary(op token, a, b *node) (*node, error) {
	n := &node{column: op.column, operator: op.text, children: []*node{a, b}}
	mismatch := func(what string) error {
		return &SyntaxError{op.column, fmt.Sprintf("%s %s %v", what, op.text, b.dim)}
	}
	switch op.text {
	case "and", "&&", "or", "||":
		n.kind, n.operator = nodeLogic, map[string]string{"and": "and", "&&": "and", "or": "or", "||": "or"}[op.text]
		if !a.logical() || !b.logical() {
			return nil, &SyntaxError{op.column, fmt.Sprintf("%s joins comparisons", op.text)}
		}
		return n, nil
	case "<", "<=", ">", ">=", "==", "!=":
		n.kind = nodeComparison
	default:
		n.kind = nodeArithmetic
	}
	if a.logical() || b.logical() {
		return nil, &SyntaxError{op.column, fmt.Sprintf("%s compares values, not comparisons: use and, or", op.text)}
	}
	if a.text || b.text {
		known := func(x *node) bool { return x.text || x.kind == nodePath }
		if n.kind == nodeArithmetic || strings.ContainsAny(op.text, "<>") || !known(a) || !known(b) {
			return nil, &SyntaxError{op.column, fmt.Sprintf("%s needs numbers on both sides", op.text)}
		}
		return n, nil
	}
	switch op.text {
	case "*":
		n.dim = a.dim.plus(b.dim)
	case "/":
		if b.constant() {
			if v, err := b.values(nil); err == nil && v[0].number == 0 {
				return nil, &SyntaxError{op.column, "a division by zero"}
			}
		}
		n.dim = a.dim.minus(b.dim)
	default:
		if a.dim != b.dim && !a.bare && !b.bare {
			return nil, mismatch(a.dim.String())
		}
		n.dim = a.dim
		if a.bare {
			n.dim = b.dim
		}
	}
	n.bare = a.bare && b.bare && n.kind == nodeArithmetic
	return n, nil
}
