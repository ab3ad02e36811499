package claims

import (
	"errors"
	"fmt"
	"math"
)

// A value is one number or text that a claim (a condition to check) reads from the document, with the name of the
// list element that it was read from.
type value struct {
	number float64
	text   string
	isText bool
	// the name of the list element that has the value, such as "commit" for a number of the call commit; empty if the
	// path matched only one element
	from string
}

func (v value) show(d dimension) string {
	s := v.text
	if !v.isText {
		s = show(v.number, d)
	}
	if v.from != "" {
		s += " (" + v.from + ")"
	}
	return s
}

// A missingError reports that the document lacks a value that a claim uses. The claim is then skipped and not failed.
type missingError struct{ what string }

func (e missingError) Error() string { return e.what }

// errAmbiguous is returned for a comparison or an arithmetic operation with several values on both sides, because it
// is not clear which to combine with which.
var errAmbiguous = errors.New(
	"both sides have several values: reduce one side to a single value with max(), min(), mean() or sum()")

// An outcome is the result of evaluating a comparison, or several comparisons joined by and, or, not.
type outcome struct {
	holds bool
	// The left side's value. If the left side has several values, result is the one that fails most or, if none fails,
	// the one that is closest to failing.
	result       value
	target       value
	dim          dimension
	operator     string
	isComparison bool
}

// evaluate evaluates a comparison, or comparisons joined by and, or, not. tolerance relaxes every comparison of
// numbers.
func (n *node) evaluate(doc any, tolerance Tolerance) (outcome, error) {
	switch n.kind {
	case nodeNot:
		o, err := n.children[0].evaluate(doc, tolerance)
		o.holds, o.isComparison = !o.holds, false
		return o, err
	case nodeLogic:
		a, errA := n.children[0].evaluate(doc, tolerance)
		b, errB := n.children[1].evaluate(doc, tolerance)
		decides := n.operator == "or" // the value of one side that decides the result
		switch {
		case errA == nil && a.holds == decides:
			return outcome{holds: decides}, nil
		case errB == nil && b.holds == decides:
			return outcome{holds: decides}, nil
		}
		return outcome{holds: !decides}, firstOf(errA, errB)
	}
	return n.compare(doc, tolerance)
}

// firstOf returns the error to report. An error in the claim itself precedes an error about missing data, because the
// claim must be corrected whatever the data is.
func firstOf(a, b error) error {
	var missing missingError
	if a == nil || b != nil && errors.As(a, &missing) && !errors.As(b, &missing) {
		return b
	}
	return a
}

// compare evaluates a comparison. If a side has several values, the comparison must hold for each of them; the
// outcome shows the worst.
func (n *node) compare(doc any, tolerance Tolerance) (outcome, error) {
	o := outcome{operator: n.operator, isComparison: true, dim: n.children[0].dim}
	if n.children[0].bare {
		o.dim = n.children[1].dim
	}
	left, err := n.children[0].values(doc)
	if err != nil {
		return o, err
	}
	right, err := n.children[1].values(doc)
	if err != nil {
		return o, err
	}
	if len(left) > 1 && len(right) > 1 {
		return o, errAmbiguous
	}
	worst := math.Inf(1)
	o.holds = true
	for _, l := range left {
		for _, r := range right {
			if l.isText != r.isText {
				return o, fmt.Errorf("%s is compared with %s", l.show(n.children[0].dim), r.show(n.children[1].dim))
			}
			margin := marginOf(n.operator, l, r, tolerance)
			if math.IsNaN(margin) {
				return o, missingError{"the value is not a number"}
			}
			if margin < worst {
				worst, o.result, o.target = margin, l, r
			}
			o.holds = o.holds && margin >= 0
		}
	}
	return o, nil
}

// marginOf returns a number that is negative if the comparison fails, and that is larger the further the values are
// from failing. It is only used to compare margins; its size has no unit.
func marginOf(op string, l, r value, tolerance Tolerance) float64 {
	if l.isText {
		if (l.text == r.text) == (op == "==") {
			return 1
		}
		return -1
	}
	slack := tolerance.of(r.number)
	least := math.SmallestNonzeroFloat64
	switch d := r.number - l.number; op {
	case "<":
		if slack == 0 && d == 0 {
			return -least
		}
		return d + slack
	case "<=":
		return d + slack
	case ">":
		if slack == 0 && d == 0 {
			return -least
		}
		return slack - d
	case ">=":
		return slack - d
	case "==":
		return slack - math.Abs(d)
	default: // !=
		if math.Abs(d) > slack {
			return math.Abs(d)
		}
		return -least
	}
}

// values returns the values of a part of an expression: at least one, or an error.
func (n *node) values(doc any) ([]value, error) {
	switch n.kind {
	case nodeNumber:
		return []value{{number: n.number}}, nil
	case nodeText:
		return []value{{text: n.value, isText: true}}, nil
	case nodePath:
		return n.lookUp(doc)
	case nodeCall:
		return n.call(doc)
	}
	return n.arithmetic(doc)
}

func (n *node) call(doc any) ([]value, error) {
	var numbers []float64
	count := 0
	for _, c := range n.children {
		vs, err := c.values(doc)
		var missing missingError
		switch {
		case n.function == "count" && errors.As(err, &missing):
			continue
		case err != nil:
			return nil, err
		}
		for _, v := range vs {
			if v.isText && n.function != "count" {
				return nil, fmt.Errorf("%s takes only numbers, but %q is a text", n.function, v.text)
			}
			numbers = append(numbers, v.number)
		}
		count += len(vs)
	}
	if n.function == "count" {
		return []value{{number: float64(count)}}, nil
	}
	return []value{{number: functions[n.function].fold(numbers)}}, nil
}

func (n *node) arithmetic(doc any) ([]value, error) {
	left, err := n.children[0].values(doc)
	if err != nil {
		return nil, err
	}
	right, err := n.children[1].values(doc)
	if err != nil {
		return nil, err
	}
	if len(left) > 1 && len(right) > 1 {
		return nil, errAmbiguous
	}
	var out []value
	for _, l := range left {
		for _, r := range right {
			if l.isText || r.isText {
				return nil, fmt.Errorf("%s takes numbers", n.operator)
			}
			v := value{from: l.from + r.from}
			switch n.operator {
			case "+":
				v.number = l.number + r.number
			case "-":
				v.number = l.number - r.number
			case "*":
				v.number = l.number * r.number
			case "/":
				if r.number == 0 {
					return nil, missingError{"a division by zero: the divisor is 0 in this document"}
				}
				v.number = l.number / r.number
			}
			out = append(out, v)
		}
	}
	return out, nil
}
