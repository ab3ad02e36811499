package query

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A test is a condition together with the index of its column in the table.
type test struct {
	place int
	is    string
	value any
}

// newTest returns the test for condition c on the column with index `place`, whose values are of the given kind. It
// returns an error if c compares them with a value of another kind, because a text and a number have no order.
func newTest(place int, kind string, c Condition) (test, error) {
	t := test{place, c.Is, c.Value}
	if !slices.Contains([]string{"=", "!=", "<", "<=", ">", ">=", "contains", "null", "set"}, c.Is) {
		return t, fmt.Errorf("the condition on %s must be one of = != < <= > >= contains null set, not %q", c.Column, c.Is)
	}
	given := kindNumber
	switch v := c.Value.(type) {
	case nil:
		if given = kind; c.Is != "null" && c.Is != "set" {
			return t, fmt.Errorf("the condition %s %s needs a value to compare with", c.Column, c.Is)
		}
	case float64: // JSON numbers arrive as float64
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			t.value = int64(v)
		}
	case int:
		t.value = int64(v)
	case int64:
	case string:
		given = kindText
	case bool:
		given = kindTruth
	default:
		return t, fmt.Errorf("the condition on %s compares with %v, which is not a number, a text or a truth value",
			c.Column, v)
	}
	if given != kind && !slices.Contains([]string{"contains", "null", "set"}, c.Is) {
		return t, fmt.Errorf(
			"the column %s has a %s in each row, but the condition compares it with %#v, a %s: give a %s",
			c.Column, kind, c.Value, given, kind)
	}
	return t, nil
}

// holds reports whether a value meets the condition. A null value meets only the condition "null".
func (t *test) holds(v any) bool {
	switch {
	case t.is == "null" || t.is == "set":
		return (v == nil) == (t.is == "null")
	case v == nil:
		return false
	case t.is == "contains":
		return strings.Contains(strings.ToLower(fmt.Sprint(v)), strings.ToLower(fmt.Sprint(t.value)))
	}
	c := compare(v, t.value)
	switch t.is {
	case "=":
		return c == 0
	case "!=":
		return c != 0
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	case ">":
		return c > 0
	}
	return c >= 0
}
