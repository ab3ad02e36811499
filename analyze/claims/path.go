package claims

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// element is a place in the document.
type element struct {
	at   any
	from string
}

// lookUp follows a path.
func (n *node) lookUp(doc any) ([]value, error) {
	places := []element{{at: doc}}
	way := ""
	for _, s := range n.path {
		var err error
		if places, err = s.follow(places, way); err != nil {
			return nil, err
		}
		way = s.extend(way)
		if len(places) == 0 {
			return nil, missingError{"no such data: nothing matches " + way}
		}
	}
	if len(n.path) > 0 && len(places) == 1 {
		if list, ok := places[0].at.([]any); ok { // a path may end at a list of values
			places = places[:0]
			for _, v := range list {
				places = append(places, element{at: v})
			}
			if len(places) == 0 {
				return nil, missingError{"no such data: " + way + " is empty"}
			}
		}
	}
	several := len(places) > 1
	var out []value
	for _, p := range places {
		v := value{}
		if several {
			v.from = p.from
		}
		switch x := p.at.(type) {
		case json.Number:
			f, err := x.Float64()
			if err != nil {
				return nil, fmt.Errorf("%s is %s, which is too large for a floating-point number", way, x)
			}
			v.number = f * n.scale
		case string:
			v.text, v.isText = x, true
		case bool:
			v.text, v.isText = fmt.Sprint(x), true
		case nil:
			return nil, missingError{fmt.Sprintf("no such data: %s is null: the trace does not have it", way)}
		default:
			v.number = math.NaN() // an object: count() accepts it, other operations do not
		}
		out = append(out, v)
	}
	return out, nil
}

func (s step) extend(way string) string {
	switch {
	case s.index != nil:
		return fmt.Sprintf("%s[%d]", way, *s.index)
	case s.all && len(s.conditions) == 0:
		return way + "[*]"
	case s.all:
		var parts []string
		for _, c := range s.conditions {
			if c.isText {
				parts = append(parts, fmt.Sprintf("%s%s%q", strings.Join(c.path, "."), c.op, c.text))
			} else {
				parts = append(parts, fmt.Sprintf("%s%s%v", strings.Join(c.path, "."), c.op, c.number))
			}
		}
		return way + "[" + strings.Join(parts, ",") + "]"
	case way == "":
		return s.name
	}
	return way + "." + s.name
}

// follow takes one step from each element.
func (s step) follow(places []element, way string) ([]element, error) {
	var out []element
	for _, p := range places {
		switch x := p.at.(type) {
		case map[string]any:
			switch {
			case s.all:
				for _, k := range slices.Sorted(maps.Keys(x)) {
					if s.meets(x[k]) {
						out = append(out, element{x[k], k})
					}
				}
			case s.index != nil:
				return nil, missingError{"no such data: " + way + " is not a list"}
			default:
				if v, there := x[s.name]; there {
					out = append(out, element{v, p.from})
				}
			}
		case []any:
			switch {
			case s.all:
				for i, v := range x {
					if s.meets(v) {
						out = append(out, element{v, nameOf(v, i)})
					}
				}
			case s.index != nil && *s.index < len(x):
				out = append(out, element{x[*s.index], p.from})
			case s.index == nil:
				return nil, missingError{fmt.Sprintf("no such data: %s is a list: use [*] or a filter", way)}
			}
		case nil:
			return nil, missingError{fmt.Sprintf("no such data: %s is null: the trace does not have it", way)}
		}
	}
	return out, nil
}

// nameOf identifies an element within its list.
func nameOf(v any, i int) string {
	if m, ok := v.(map[string]any); ok {
		for _, key := range []string{"selector", "name", "cause", "what", "label", "tid", "threads", "id"} {
			switch x := m[key].(type) {
			case string:
				if x != "" {
					return x
				}
			case json.Number:
				return key + " " + x.String()
			}
		}
	}
	return fmt.Sprintf("element %d", i)
}

func (s step) meets(v any) bool {
	for _, c := range s.conditions {
		if !c.holds(v) {
			return false
		}
	}
	return true
}

func (c condition) holds(v any) bool {
	for _, name := range c.path {
		m, ok := v.(map[string]any)
		if !ok {
			return false
		}
		v = m[name]
	}
	if c.isText {
		text, ok := v.(string)
		if b, is := v.(bool); is {
			text, ok = fmt.Sprint(b), true
		}
		switch {
		case !ok:
			return false
		case c.op == "~":
			return strings.Contains(text, c.text)
		}
		return (text == c.text) == (c.op == "=")
	}
	n, ok := v.(json.Number)
	if !ok {
		return false
	}
	f, err := n.Float64()
	if err != nil {
		return false
	}
	switch c.op {
	case "=":
		return f == c.number
	case "!=":
		return f != c.number
	case "<":
		return f < c.number
	case "<=":
		return f <= c.number
	case ">":
		return f > c.number
	}
	return f >= c.number
}
