package evidence

import (
	"iter"

	"mtrace/analyze"
)

// entry returns the map's value for a key, and adds a zero value if there is none.
func entry[K comparable, V any](all map[K]*V, key K) *V {
	v := all[key]
	if v == nil {
		v = new(V)
		all[key] = v
	}
	return v
}

// Ordered is a map that keeps its values in the order in which keys were added, so that results do not depend on Go's
// random map order.
type Ordered[K comparable, V any] struct {
	Keys []K
	All  []*V
	at   map[K]int
}

// Number returns the position of a key in Keys, and adds the key with a zero value if it is new.
func (o *Ordered[K, V]) Number(key K) int {
	n, known := o.at[key]
	if !known {
		if n = len(o.Keys); n == 0 {
			o.at = map[K]int{}
		}
		o.at[key], o.Keys, o.All = n, append(o.Keys, key), append(o.All, new(V))
	}
	return n
}

// Of returns the value of a key, and adds a zero value if the key is new.
func (o *Ordered[K, V]) Of(key K) *V { return o.All[o.Number(key)] }

// SumOf returns the sum of time(x) over all elements x.
func SumOf[T any](all iter.Seq[T], time func(T) analyze.Nanos) (sum analyze.Nanos) {
	for x := range all {
		sum += time(x)
	}
	return sum
}
