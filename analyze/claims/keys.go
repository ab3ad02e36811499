package claims

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Keys are the keys that a JSON document can have. With them, a misspelt key in a claim (a condition on the document)
// is an error; without them, the claim would always be skipped. Nil Keys accept any key.
type Keys struct {
	name    string
	fields  map[string]*Keys // the keys of an object, by name; nil for other values
	items   *Keys            // the keys of the elements of a list, or of a map that may have any keys
	isMap   bool
	isList  bool
	literal reflect.Kind // the type of a number, text or truth value; Invalid for objects and lists
}

// KeysOf returns the keys that the JSON form of a Go type can have.
func KeysOf(t reflect.Type) *Keys { return keysOf("the document", t) }

func keysOf(name string, t reflect.Type) *Keys {
	k := &Keys{name: name}
	switch {
	case t == reflect.TypeFor[time.Time]():
		k.literal = reflect.String
	case t.Implements(reflect.TypeFor[json.Marshaler]()):
		return nil
	case t.Kind() == reflect.Pointer:
		return keysOf(name, t.Elem())
	case t.Kind() == reflect.Slice:
		k.isList, k.items = true, keysOf(name, t.Elem())
	case t.Kind() == reflect.Map:
		k.isMap, k.items = true, keysOf(name, t.Elem())
	case t.Kind() == reflect.Struct:
		k.fields = map[string]*Keys{}
		for i := range t.NumField() {
			f := t.Field(i)
			tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case f.Anonymous && tag == "":
				if inner := keysOf(name, f.Type); inner != nil {
					maps.Copy(k.fields, inner.fields)
				}
			case f.IsExported() && tag != "" && tag != "-":
				k.fields[tag] = keysOf(tag, f.Type)
			}
		}
	default:
		k.literal = t.Kind()
	}
	return k
}

// field returns the keys below a name.
func (k *Keys) field(name token) (*Keys, error) {
	switch {
	case k == nil:
		return nil, nil
	case k.isMap:
		return k.items, nil
	case k.isList:
		return nil, &SyntaxError{name.column, fmt.Sprintf("%s is a list: "+
			"take all of it with [*], or some with a filter as in %s[%s=…]", k.name, k.name, k.items.example())}
	case k.fields == nil:
		return nil, &SyntaxError{name.column, fmt.Sprintf("%s is a value and has no key %q", k.name, name.text)}
	}
	inner, known := k.fields[name.text]
	if !known {
		return nil, &SyntaxError{name.column, fmt.Sprintf("no key %q in %s: there are %s", name.text, k.name,
			strings.Join(slices.Sorted(maps.Keys(k.fields)), ", "))}
	}
	return inner, nil
}

// element returns the keys that the elements of list k can have; an error if k is no list.
func (k *Keys) element(at token) (*Keys, error) {
	if k == nil {
		return nil, nil
	}
	if !k.isList && !k.isMap {
		return nil, &SyntaxError{at.column, fmt.Sprintf("%s is not a list", k.name)}
	}
	return k.items, nil
}

func (k *Keys) example() string {
	if k == nil || len(k.fields) == 0 {
		return "key"
	}
	for _, likely := range []string{"selector", "name", "label", "cause", "threads", "id"} {
		if k.fields[likely] != nil {
			return likely
		}
	}
	return slices.Sorted(maps.Keys(k.fields))[0]
}

func (k *Keys) isText() bool {
	return k != nil && (k.literal == reflect.String || k.literal == reflect.Bool)
}

// isValue returns an error if a path ends at an object, because an object cannot be compared with a value. A path may
// end at a value, or at a list, which functions such as count() and sum() reduce to a value.
func (k *Keys) isValue(first token) error {
	switch {
	case k == nil || k.literal != reflect.Invalid || k.isList || k.isMap:
		return nil
	}
	return &SyntaxError{first.column, fmt.Sprintf(
		"this path ends at %s, which is an object and not a value: continue it with one of the object's keys (%s)", k.name,
		strings.Join(slices.Sorted(maps.Keys(k.fields)), ", "))}
}
