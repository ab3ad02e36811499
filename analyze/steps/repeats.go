package steps

import (
	"cmp"
	"maps"
	"slices"

	"mtrace/analyze/policy"
)

// A row is a range of command buffers, by index, in which the same work repeats after every `period` command buffers.
type row struct{ from, to, period int }

func (r row) steps() int { return (r.to - r.from) / r.period }

// rows returns the repeating ranges of a list, in order. It finds the longest one first, and then searches before and
// after it.
func rows(list []buffer) []row {
	var found []row
	todo := []row{{to: len(list)}}
	for len(todo) > 0 && len(found) < policy.StepRows {
		within := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		r, ok := longest(list[within.from:within.to])
		if !ok {
			continue
		}
		r.from, r.to = r.from+within.from, r.to+within.from
		found = append(found, r)
		todo = append(todo, row{from: within.from, to: r.from}, row{from: r.to, to: within.to})
	}
	slices.SortFunc(found, func(a, b row) int { return cmp.Compare(a.from, b.from) })
	return found
}

// longest returns the longest repeating range of a list. Each multiple of a period is a period too, so among periods
// with nearly equally long ranges it prefers the shortest period.
func longest(list []buffer) (best row, ok bool) {
	for _, period := range periods(list) {
		r := stretch(list, period)
		if r.steps() < policy.StepsRepeated {
			continue
		}
		was, is := float64(best.to-best.from), float64(r.to-r.from)
		if !ok || is*policy.StepNearlyLongest > was || period < best.period && is > was*policy.StepNearlyLongest {
			best, ok = r, true
		}
	}
	return best, ok
}

// stretch returns the longest range of the list in which each command buffer is equal to the one that comes `period`
// positions later.
func stretch(list []buffer, period int) (best row) {
	best.period = period
	from := 0
	for i := 0; i+period <= len(list); i++ {
		if i+period < len(list) && list[i].signature == list[i+period].signature {
			continue
		}
		if i > from && i+period-from > best.to-best.from {
			best.from, best.to = from, i+period
		}
		from = i + 1
	}
	return best
}

// periods returns candidates for the period in ascending order. They are the most frequent distances between equal
// command buffers, and between equal sequences of several command buffers.
func periods(list []buffer) []int {
	counts := map[int]int{}
	for _, length := range [...]int{1, policy.StepContext} {
		last := map[uint64]int{}
		for i := length; i <= len(list); i++ {
			h := uint64(seed)
			for _, b := range list[i-length : i] {
				h = mix(h, b.signature)
			}
			if at, seen := last[h]; seen && i-at <= policy.StepLongest {
				counts[i-at]++
			}
			last[h] = i
		}
	}
	all := slices.SortedFunc(maps.Keys(counts), func(a, b int) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	all = all[:min(len(all), policy.StepPeriods)]
	slices.Sort(all)
	return all
}

// align shifts a range of equal steps so that it begins where a step begins, which the period alone does not show. A
// step is assumed to begin where the program usually pauses longest before it creates a command buffer.
func (r row) align(list []buffer) row {
	best, at := int64(-1<<62), 0
	for shift := range r.period {
		var pauses []int64
		for i := r.from + shift; i < r.to; i += r.period {
			if i > 0 {
				pauses = append(pauses, int64(list[i].created-list[i-1].committed))
			}
		}
		if len(pauses) == 0 {
			continue
		}
		slices.Sort(pauses)
		if median := pauses[len(pauses)/2]; median > best {
			best, at = median, shift
		}
	}
	r.from += at
	r.to = r.from + r.steps()*r.period
	return r
}
