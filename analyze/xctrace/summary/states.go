package summary

import (
	"sort"

	"mtrace/analyze/xctrace"
)

// statesOf returns how long the GPU was in each of its performance states within the window (the summarised time
// range).
func statesOf(s *scope) []State {
	type key struct {
		gpu, state xctrace.TextIndex
		induced    bool
	}
	times := map[key]Nanos{}
	byGPU := map[xctrace.TextIndex]Nanos{}
	for i := range s.GPU.Performance {
		p := &s.GPU.Performance[i]
		if begin, end, ok := s.clip(p.Start, p.Duration); ok {
			times[key{p.GPU, p.State, p.Induced}] += end - begin
			byGPU[p.GPU] += end - begin
		}
	}
	list := make([]State, 0, len(times))
	for k, t := range times {
		list = append(list, State{s.Text(k.gpu), s.Text(k.state), t, share(t, byGPU[k.gpu]), k.induced})
	}
	sort.Slice(list, func(i, j int) bool {
		a, b := &list[i], &list[j]
		if a.TimeNS != b.TimeNS {
			return a.TimeNS > b.TimeNS
		}
		return a.GPU+a.Name < b.GPU+b.Name
	})
	return list
}

// countersOf returns the mean and the largest value of each GPU counter within the requested time range.
func countersOf(s *scope) []Counter {
	list := make([]Counter, 0, len(s.GPU.Counters))
	for i := range s.GPU.Counters {
		c := &s.GPU.Counters[i]
		if c.Samples == 0 { // none in the requested time range
			continue
		}
		out := Counter{Name: s.Text(c.Name), Samples: c.Samples, Max: c.Max}
		switch {
		case c.Duration > 0:
			out.Mean = c.Weighted / float64(c.Duration)
		case c.Samples > 0:
			out.Mean = c.Sum / float64(c.Samples)
		}
		list = append(list, out)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}
