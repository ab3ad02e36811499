package evidence

import (
	"iter"

	"mtrace/analyze"
)

// entry is what a map has of a key, made where it had nothing.
func entry[K comparable, V any](all map[K]*V, key K) *V {
	v := all[key]
	if v == nil {
		v = new(V)
		all[key] = v
	}
	return v
}

// Ordered has something for each of its keys, in the order in which these came first.
type Ordered[K comparable, V any] struct {
	Keys []K
	All  []*V
	at   map[K]int
}

// Number is the place of a key, the next where it is new.
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

// Of is what there is for a key, made where it is new.
func (o *Ordered[K, V]) Of(key K) *V { return o.All[o.Number(key)] }

// SumOf adds up a time of each.
func SumOf[T any](all iter.Seq[T], time func(T) analyze.Nanos) (sum analyze.Nanos) {
	for x := range all {
		sum += time(x)
	}
	return sum
}
