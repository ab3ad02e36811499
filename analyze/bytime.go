package analyze

import (
	"cmp"
	"slices"
)

// A timeKey is the sort key of one list element: its instant and its index in the list.
type timeKey struct {
	at    Nanos
	index uint32
}

const (
	digitBits = 11 // 2^11 counters just fit into a first-level cache beside the keys
	digits    = 1 << digitBits
)

// byTime returns the keys sorted by time; keys of the same instant keep their order. It is a radix sort, because
// there are millions of keys and its few passes do not depend on their order. The passed slice is used as working
// memory, so its contents are lost.
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

// sortedByTime returns a copy of a list, sorted by the instants that the function `at` returns; values of the same
// instant keep their order.
func sortedByTime[T any](list []T, at func(*T) Nanos) []T {
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

// inCreation compares command buffers by creation time; if the times are equal, by process and then by number in the
// process.
func inCreation(a, b *CommandBuffer) int {
	return cmp.Or(cmp.Compare(a.Created.Begin, b.Created.Begin), compareProcesses(a.Process, b.Process),
		cmp.Compare(a.ID, b.ID))
}

// sortUnlessSorted sorts a list stably. It checks first, because lists from a trace file are usually sorted already.
func sortUnlessSorted[T any](list []T, compare func(a, b *T) int) {
	for i := 1; i < len(list); i++ {
		if compare(&list[i-1], &list[i]) > 0 {
			slices.SortStableFunc(list, func(a, b T) int { return compare(&a, &b) })
			return
		}
	}
}

func byBegin(a, b *Call) int {
	if a.Begin != b.Begin {
		return cmp.Compare(a.Begin, b.Begin)
	}
	var ta, tb ThreadID
	if a.Thread != nil {
		ta = a.Thread.ID
	}
	if b.Thread != nil {
		tb = b.Thread.ID
	}
	return cmp.Compare(ta, tb)
}

// compareProcesses compares by process ID, then by position in the file.
func compareProcesses(a, b *Process) int {
	return cmp.Or(cmp.Compare(a.number(), b.number()), cmp.Compare(a.placed(), b.placed()))
}
