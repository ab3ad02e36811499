package summary

import (
	"sort"

	"mtrace/analyze"
)

// signpostsOf returns how long the GPU worked for the program during signpost intervals (phases that the program
// marks), by the intervals' name.
func signpostsOf(s *scope, order []int32) []Phase {
	byName := map[string][]analyze.Interval{}
	for i := range s.CPU.Signposts {
		p := &s.CPU.Signposts[i]
		if begin, end, ok := s.clip(p.Start, p.Duration); ok && s.own(p.Process) {
			name := s.Text(p.Name)
			byName[name] = append(byName[name], analyze.Interval{Begin: begin, End: end})
		}
	}
	if len(byName) == 0 {
		return []Phase{}
	}
	var work []analyze.Interval
	for _, i := range order {
		g := &s.GPU.Intervals[i]
		if begin, end, ok := s.clip(g.Start, g.Duration); ok && s.own(g.Process) {
			work = append(work, analyze.Interval{Begin: begin, End: end})
		}
	}
	work = analyze.Union(work)
	list := make([]Phase, 0, len(byName))
	for name, spans := range byName {
		p := Phase{Name: name, Intervals: len(spans)}
		for _, x := range spans {
			p.TimeNS += x.Length()
		}
		p.GPUBusyNS = known(toldBy(s).gpu, common(analyze.Union(spans), work))
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

// common returns the total time that is inside an interval of both lists. The intervals of a list must be sorted and
// must not overlap.
func common(a, b []analyze.Interval) Nanos {
	var total Nanos
	for len(a) > 0 && len(b) > 0 {
		total += a[0].Intersect(b[0]).Length()
		if a[0].End < b[0].End {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return total
}
