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
	return nth(slices.Clone(list), len(list)/of)
}

// nth is what would be at a place of the list if that were sorted. It moves no more than it must: half of a hundred thousand need no order for it.
func nth(list []analyze.Nanos, n int) analyze.Nanos {
	for round := 0; len(list) > 32 && round < 64; round++ { // of lists made to be hard what is left is sorted
		last := len(list) - 1
		pivot := middle(middle(list[0], list[last/8], list[last/4]), middle(list[last*3/8], list[last/2], list[last*5/8]), middle(list[last*3/4], list[last*7/8], list[last]))
		less, more := 0, len(list) // what is before less is less than the pivot, what is from more on is more
		for i := 0; i < more; {
			switch v := list[i]; {
			case v < pivot:
				list[i], list[less] = list[less], v
				less, i = less+1, i+1
			case v > pivot:
				more--
				list[i], list[more] = list[more], v
			default:
				i++
			}
		}
		switch {
		case n < less:
			list = list[:less]
		case n >= more:
			list, n = list[more:], n-more
		default:
			return pivot
		}
	}
	slices.Sort(list)
	return list[n]
}

func middle(a, b, c analyze.Nanos) analyze.Nanos { return max(min(a, b), min(max(a, b), c)) }

// SpreadOf is the distance between the quartiles.
func SpreadOf(list []analyze.Nanos) analyze.Nanos {
	if len(list) < 4 {
		return 0
	}
	list = slices.Sorted(slices.Values(list))
	return list[len(list)*3/4] - list[len(list)/4]
}
