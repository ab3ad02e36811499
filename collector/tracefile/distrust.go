package tracefile

import (
	"fmt"
	"maps"
	"slices"
)

// mostCounted is the largest counter value that a reader believes: a thread that makes ten million calls a second
// reaches it after three weeks. A larger value is damaged or comes from a faulty process. Sums of believed values
// cannot overflow.
const mostCounted = 1 << 44

// distrust sets impossible counters to 0 and describes each in Distrusted. Otherwise one damaged counter would make
// billions of records appear lost.
func (e *End) distrust() {
	check := func(n *uint64, what string) {
		if *n > mostCounted {
			e.Distrusted = append(e.Distrusted, fmt.Sprintf("it reports %d %s, which is impossible: "+
				"the real number is not known, and counts as 0", *n, what))
			*n = 0
		}
	}
	for i := range e.Rings {
		r := &e.Rings[i]
		where := func(what string) string { return fmt.Sprintf("%s of ring %d", what, r.Ring) }
		check(&r.Head, where("records"))
		check(&r.Dropped, where("dropped records"))
		check(&r.FactsDropped, where("dropped facts"))
		for j := range r.Losses {
			check(&r.Losses[j].Records, where("dropped records of a thread"))
		}
	}
	check(&e.Unringed, "records without a ring")
	check(&e.Unnumbered, "objects without a number")
	check(&e.Forks, "forks")
	check(&e.Rejected, "calls of dying threads")
	check(&e.Salvaged, "salvaged records")
	e.Nested = min(e.Nested, mostCounted)
	for _, family := range slices.Sorted(maps.Keys(e.NestedBy)) {
		n := e.NestedBy[family]
		check(&n, "inner calls")
		e.NestedBy[family] = n
	}
	check(&e.Commits.Reached, "commits")
	check(&e.Commits.Missed, "missed commits")
	check(&e.Completions.Reached, "completions")
	check(&e.Completions.Missed, "missed completions")
}
