package serial

import (
	"slices"

	"mtrace/analyze"
)

func median(list []analyze.Nanos) analyze.Nanos {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[len(list)/2]
}

// quickest is the duration that one in so many does not exceed.
func quickest(list []analyze.Nanos, of int) analyze.Nanos {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[len(list)/of]
}
