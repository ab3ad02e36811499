package serial

import (
	"slices"

	"mtrace/analyze"
)

// median is the upper one of the two in the middle when there are two; 0 of nothing. The list stays as it is.
func median(list []analyze.Nanos) analyze.Nanos { return quickest(list, 2) }

// quickest is the duration that one in so many does not exceed; 0 of nothing. The list stays as it is.
func quickest(list []analyze.Nanos, of int) analyze.Nanos {
	if len(list) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(list))[len(list)/of]
}
