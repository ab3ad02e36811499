package analyze

// A timeKey stands for the value with an index while values are put in the order of their instants.
type timeKey struct {
	at    Nanos
	index uint32
}

const (
	digitBits = 11 // as many counters as a first-level cache holds beside the keys
	digits    = 1 << digitBits
)

// byTime puts keys in the order of their instants; those of the same instant stay in the order in which they come.
// There are millions of them, in a run for each thread, so they are sorted by digits from the lowest up: a few passes,
// whatever the order was. It uses the slice.
func byTime(keys []timeKey) []timeKey {
	sorted, first, last := true, Nanos(1<<63-1), Nanos(-1<<63)
	for i := range keys {
		at := keys[i].at
		sorted = sorted && at >= last
		first, last = min(first, at), max(last, at)
	}
	if sorted {
		return keys
	}
	from, to := keys, make([]timeKey, len(keys))
	for shift := 0; uint64(last-first)>>shift != 0; shift += digitBits {
		var next [digits]int
		for i := range from {
			next[uint64(from[i].at-first)>>shift%digits]++
		}
		place := 0
		for d, n := range next {
			next[d] = place
			place += n
		}
		for i := range from {
			d := uint64(from[i].at-first) >> shift % digits
			to[next[d]] = from[i]
			next[d]++
		}
		from, to = to, from
	}
	return from
}

// inOrder is a list in the order of its instants; those of the same instant stay in the order in which they come.
func inOrder[T any](list []T, at func(*T) Nanos) []T {
	keys := make([]timeKey, len(list))
	for i := range list {
		keys[i] = timeKey{at(&list[i]), uint32(i)}
	}
	out := make([]T, len(list))
	for i, k := range byTime(keys) {
		out[i] = list[k.index]
	}
	return out
}
