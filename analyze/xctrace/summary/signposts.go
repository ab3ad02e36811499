package summary

import (
	"slices"
	"sort"
)

// signposts is how much the GPU worked for the subject during the signpost
// intervals of each name: the phases a program marks itself.
func (s *scope) signposts(order []int32) []Phase {
	byName := map[string][]span{}
	for i := range s.Signposts {
		p := &s.Signposts[i]
		if begin, end, ok := s.clip(p.Start, p.Duration); ok && s.own(p.Process) {
			name := s.Text(p.Name)
			byName[name] = append(byName[name], span{begin, end})
		}
	}
	if len(byName) == 0 {
		return []Phase{}
	}
	var work []span
	for _, i := range order {
		g := &s.GPU[i]
		if begin, end, ok := s.clip(g.Start, g.Duration); ok && s.own(g.Process) {
			work = append(work, span{begin, end})
		}
	}
	work = union(work)
	list := make([]Phase, 0, len(byName))
	for name, spans := range byName {
		p := Phase{Name: name, Intervals: len(spans)}
		for _, x := range spans {
			p.TimeNS += x.end - x.begin
		}
		p.GPUBusyNS = common(union(spans), work)
		list = append(list, p)
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].TimeNS != list[j].TimeNS {
			return list[i].TimeNS > list[j].TimeNS
		}
		return list[i].Name < list[j].Name
	})
	return list
}

type span struct{ begin, end Nanos }

// union merges spans that touch.
func union(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return int(max(-1, min(1, a.begin-b.begin))) })
	var merged []span
	for _, x := range spans {
		if n := len(merged); n > 0 && x.begin <= merged[n-1].end {
			merged[n-1].end = max(merged[n-1].end, x.end)
		} else {
			merged = append(merged, x)
		}
	}
	return merged
}

// common is the length of the intersection of two unions.
func common(a, b []span) Nanos {
	var total Nanos
	for len(a) > 0 && len(b) > 0 {
		total += max(0, min(a[0].end, b[0].end)-max(a[0].begin, b[0].begin))
		if a[0].end < b[0].end {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return total
}
