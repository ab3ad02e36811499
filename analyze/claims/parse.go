package claims

import (
	"fmt"
	"strings"
)

// A parser parses claims of this grammar; operators that bind less tightly come first. A path leads into the document.
// A filter in brackets takes the elements of a list that match all conditions, [*] takes all elements, [n] the n-th
// element, ["key"] the value of a map.
//
//	or         = and { ("or" | "||") and }
//	and        = not { ("and" | "&&") not }
//	not        = [ "not" | "!" ] comparison
//	comparison = sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]
//	sum        = product { ("+" | "-") product }
//	product    = unary { ("*" | "/") unary }
//	unary      = [ "-" ] primary
//	primary    = number [ unit ] | text | "true" | "false" | function "(" or { "," or } ")" | path | "(" or ")"
//	path       = name { "." name | "[" filter "]" }
//	filter     = "*" | number | text | condition { "," condition }
//	condition  = name { "." name } ("=" | "==" | "!=" | "~" | "<" | "<=" | ">" | ">=") literal
//	literal    = number [ unit ] | text | "true" | "false"
type parser struct {
	tokens []token
	at     int
	depth  int
	counts bool  // inside count(), where elements need not be values
	keys   *Keys // the keys that the document may have; nil accepts any key
}

const (
	deepest = 100    // how deep expressions nest
	longest = 10_000 // bytes of an expression: the recursion is as deep as its operators
)

// Parse parses an expression. If keys is not nil, it checks that each path can exist in the document.
func Parse(text string, keys *Keys) (*Expression, error) {
	if len(text) > longest {
		return nil, &SyntaxError{1, fmt.Sprintf("the expression has %d bytes, but at most %d are allowed: "+
			"split it into several claims", len(text), longest)}
	}
	tokens, err := scan(text)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens, keys: keys}
	n, err := p.or()
	if err != nil {
		return nil, err
	}
	if t := p.peek(); t.kind != tokenEnd {
		return nil, p.expected("an operator or the end", t)
	}
	if !n.logical() {
		return nil, &SyntaxError{n.column, "this is a value, not a claim: compare it with <, <=, >, >=, == or !="}
	}
	return &Expression{Text: text, root: n}, nil
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) next() token {
	t := p.tokens[p.at]
	if t.kind != tokenEnd {
		p.at++
	}
	return t
}

// take consumes the next token if it is one of the given operators or words, and returns false otherwise.
func (p *parser) take(texts ...string) (token, bool) {
	t := p.peek()
	if t.kind == tokenOperator || t.kind == tokenName {
		for _, text := range texts {
			if t.text == text {
				return p.next(), true
			}
		}
	}
	return t, false
}

func (p *parser) expected(what string, t token) error {
	return &SyntaxError{t.column, fmt.Sprintf("expected %s, found %v", what, t)}
}

func (p *parser) want(text string) error {
	if t, ok := p.take(text); !ok {
		return p.expected(fmt.Sprintf("%q", text), t)
	}
	return nil
}

// binary parses a chain of operands that are joined by operators of one precedence level, from left to right.
func (p *parser) binary(operand func() (*node, error), operators ...string) (*node, error) {
	left, err := operand()
	for err == nil {
		op, ok := p.take(operators...)
		if !ok {
			return left, nil
		}
		var right *node
		if right, err = operand(); err == nil {
			left, err = newBinary(op, left, right)
		}
	}
	return nil, err
}

func (p *parser) or() (*node, error) {
	if p.depth++; p.depth > deepest {
		return nil, &SyntaxError{p.peek().column, "the expression nests too deep"}
	}
	defer func() { p.depth-- }()
	return p.binary(p.and, "or", "||")
}

func (p *parser) and() (*node, error) { return p.binary(p.not, "and", "&&") }

func (p *parser) not() (*node, error) {
	op, ok := p.take("not", "!")
	if !ok {
		return p.comparison()
	}
	n, err := p.comparison()
	if err != nil {
		return nil, err
	}
	if !n.logical() {
		return nil, &SyntaxError{op.column, "only a comparison can be negated"}
	}
	return &node{kind: nodeNot, column: op.column, children: []*node{n}}, nil
}

func (p *parser) comparison() (*node, error) {
	left, err := p.sum()
	if err != nil {
		return nil, err
	}
	op, ok := p.take("<=", ">=", "==", "!=", "<", ">", "=")
	if !ok {
		return left, nil
	}
	if op.text == "=" {
		return nil, &SyntaxError{op.column, "use == to compare"}
	}
	right, err := p.sum()
	if err != nil {
		return nil, err
	}
	return newBinary(op, left, right)
}

func (p *parser) sum() (*node, error)     { return p.binary(p.product, "+", "-") }
func (p *parser) product() (*node, error) { return p.binary(p.unary, "*", "/") }

func (p *parser) unary() (*node, error) {
	op, ok := p.take("-")
	if !ok {
		return p.primary()
	}
	n, err := p.primary()
	if err != nil {
		return nil, err
	}
	if n.text || n.logical() {
		return nil, &SyntaxError{op.column, "only a number has a negative"}
	}
	zero := &node{kind: nodeNumber, column: op.column, dim: n.dim}
	return newBinary(op, zero, n)
}

func (p *parser) primary() (*node, error) {
	switch t := p.next(); {
	case t.kind == tokenNumber:
		return &node{kind: nodeNumber, column: t.column, number: t.number, dim: t.dim, bare: t.dim == dimension{}}, nil
	case t.kind == tokenText:
		return &node{kind: nodeText, column: t.column, value: t.text, text: true}, nil
	case t.kind == tokenOperator && t.text == "(":
		n, err := p.or()
		if err == nil {
			err = p.want(")")
		}
		return n, err
	case t.kind == tokenName && (t.text == "true" || t.text == "false"):
		return &node{kind: nodeText, column: t.column, value: t.text, text: true}, nil
	case t.kind == tokenName:
		if q := p.peek(); q.kind == tokenOperator && q.text == "(" {
			return p.call(t)
		}
		return p.path(t)
	default:
		return nil, p.expected("a number, a text, a key or a parenthesis", t)
	}
}

func (p *parser) call(name token) (*node, error) {
	f, known := functions[name.text]
	if !known {
		return nil, &SyntaxError{name.column, fmt.Sprintf("unknown function %q: there are %s", name.text,
			functionNames())}
	}
	p.next() // the parenthesis
	n := &node{kind: nodeCall, column: name.column, function: name.text}
	outside := p.counts
	p.counts = !f.numbers
	defer func() { p.counts = outside }()
	for {
		argument, err := p.or()
		if err != nil {
			return nil, err
		}
		if argument.logical() || argument.text && f.numbers {
			return nil, &SyntaxError{argument.column, fmt.Sprintf("%s takes numbers", name.text)}
		}
		if len(n.children) > 0 && f.numbers && argument.dim != n.children[0].dim {
			return nil, &SyntaxError{argument.column, fmt.Sprintf("%s of %v and %v", name.text, n.children[0].dim,
				argument.dim)}
		}
		n.children = append(n.children, argument)
		if _, more := p.take(","); !more {
			break
		}
	}
	if f.numbers {
		n.dim = n.children[0].dim
	}
	return n, p.want(")")
}

// path parses the rest of a path. `first` is the first name of the path, which was already consumed.
func (p *parser) path(first token) (*node, error) {
	n := &node{kind: nodePath, column: first.column}
	keys := p.keys
	name := first
	for {
		var err error
		if keys, err = keys.field(name); err != nil {
			return nil, err
		}
		n.path = append(n.path, step{name: name.text})
		n.dim, n.scale = dimensionOf(name.text), scaleOf(name.text)
		for {
			if _, ok := p.take("["); !ok {
				break
			}
			s, err := p.filter(keys)
			if err != nil {
				return nil, err
			}
			if keys, err = keys.element(p.tokens[p.at-1]); err != nil {
				return nil, err
			}
			n.path = append(n.path, s)
			if err := p.want("]"); err != nil {
				return nil, err
			}
		}
		if _, ok := p.take("."); !ok {
			break
		}
		if name = p.next(); name.kind != tokenName {
			return nil, p.expected("a key", name)
		}
	}
	if n.text = keys.isText(); p.counts {
		return n, nil
	}
	return n, keys.isValue(first)
}

func (p *parser) filter(keys *Keys) (step, error) {
	switch t := p.peek(); {
	case t.kind == tokenOperator && t.text == "*":
		p.next()
		return step{all: true}, nil
	case t.kind == tokenNumber:
		p.next()
		if i := int(t.number); t.dim == (dimension{}) && t.number == float64(i) {
			return step{index: &i}, nil
		}
		return step{}, p.expected("the number of an element", t)
	case t.kind == tokenText:
		p.next()
		return step{name: t.text}, nil
	}
	s := step{all: true}
	elements, err := keys.element(p.peek())
	if err != nil {
		return s, err
	}
	for {
		c, err := p.condition(elements)
		if err != nil {
			return s, err
		}
		s.conditions = append(s.conditions, c)
		if _, more := p.take(","); !more {
			return s, nil
		}
	}
}

func (p *parser) condition(keys *Keys) (condition, error) {
	var c condition
	for {
		t := p.next()
		if t.kind != tokenName {
			return c, p.expected("a key of the element", t)
		}
		var err error
		if keys, err = keys.field(t); err != nil {
			return c, err
		}
		c.path = append(c.path, t.text)
		if _, more := p.take("."); !more {
			break
		}
	}
	op, ok := p.take("<=", ">=", "==", "!=", "<", ">", "=", "~")
	if !ok {
		return c, p.expected("=, !=, ~, <, <=, > or >=", op)
	}
	c.op = strings.Replace(op.text, "==", "=", 1)
	t := p.next()
	if t.kind == tokenName && (t.text == "true" || t.text == "false") {
		t.kind = tokenText
	}
	switch {
	case t.kind == tokenText:
		c.text, c.isText = t.text, true
	case t.kind == tokenNumber:
		c.number = t.number / scaleOf(c.path[len(c.path)-1])
	default:
		return c, p.expected("a number or a text in quotes", t)
	}
	ordered := strings.ContainsAny(c.op, "<>")
	if c.isText && ordered || !c.isText && c.op == "~" {
		return c, &SyntaxError{op.column, fmt.Sprintf("%s does not compare that", op.text)}
	}
	return c, nil
}
