package evidence

import (
	"slices"

	"mtrace/analyze"
)

// Median is the upper one of the two in the middle when there are two; 0 of nothing. The list stays as it is.
func Median(list []analyze.Nanos) analyze.Nanos { return Quickest(list, 2) }

// Quickest is the duration that one in so many does not exceed; 0 of nothing. The list stays as it is.
func Quickest(list []analyze.Nanos, of int) analyze.Nanos {
	if len(list) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(list))[len(list)/of]
}

// SpreadOf is the distance between the quartiles.
func SpreadOf(list []analyze.Nanos) analyze.Nanos {
	if len(list) < 4 {
		return 0
	}
	list = slices.Sorted(slices.Values(list))
	return list[len(list)*3/4] - list[len(list)/4]
}
