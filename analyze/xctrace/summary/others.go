package summary

import (
	"cmp"
	"slices"
	"sort"

	"mtrace/analyze/xctrace"
)

// byText is the times of the subject's rows by a text: their durations in the
// window, the longest sum first.
func byText[R any](s *scope, rows []R, read func(*R) (xctrace.ProcessIndex, Nanos, Nanos, xctrace.TextIndex)) []Label {
	times := map[xctrace.TextIndex][]Nanos{}
	var all Nanos
	for i := range rows {
		process, start, duration, text := read(&rows[i])
		if begin, end, ok := s.clip(start, duration); ok && s.own(process) {
			times[text] = append(times[text], end-begin)
			all += end - begin
		}
	}
	list := make([]Label, 0, len(times))
	for text, t := range times {
		list = append(list, newLabel(s.Text(text), "", t, all))
	}
	sortLabels(list)
	return list
}

// encoderLabels is the CPU time from an encoder's creation to its end, by its
// label. It is not GPU time.
func (s *scope) encoderLabels() []Label {
	return byText(s, s.Encoders, func(e *xctrace.EncoderInterval) (xctrace.ProcessIndex, Nanos, Nanos, xctrace.TextIndex) {
		return e.Process, e.Start, e.Duration, e.Label
	})
}

// shaders is the time of Shader Timeline intervals by shader. They do not cover
// all GPU work and are not scaled to it.
func (s *scope) shaders() []Label {
	return byText(s, s.Shaders, func(x *xctrace.ShaderInterval) (xctrace.ProcessIndex, Nanos, Nanos, xctrace.TextIndex) {
		return x.Process, x.Start, x.Duration, x.Name
	})
}

// driver is the time in the driver by what it worked on.
func (s *scope) driver() []Label {
	return byText(s, s.Driver, func(d *xctrace.DriverInterval) (xctrace.ProcessIndex, Nanos, Nanos, xctrace.TextIndex) {
		return d.Process, d.Start, d.Duration, d.Type
	})
}

// handlers is the time of application events by their type.
func (s *scope) handlers() []Label {
	return byText(s, s.Events, func(e *xctrace.ApplicationEvent) (xctrace.ProcessIndex, Nanos, Nanos, xctrace.TextIndex) {
		return e.Process, e.Start, e.Duration, e.Type
	})
}

func (s *scope) compiler() *Timing {
	var times []Nanos
	for i := range s.Compilations {
		if c := &s.Compilations[i]; s.own(c.Process) && s.inside(c.Start) {
			times = append(times, c.Duration)
		}
	}
	return timingPointer(times)
}

// states is the residency in the GPU's performance states, in the window.
func (s *scope) states() []State {
	type key struct {
		gpu, state xctrace.TextIndex
		induced    bool
	}
	times := map[key]Nanos{}
	byGPU := map[xctrace.TextIndex]Nanos{}
	for i := range s.Performance {
		p := &s.Performance[i]
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

func (s *scope) counters() []Counter {
	list := make([]Counter, 0, len(s.Counters))
	for i := range s.Counters {
		c := &s.Counters[i]
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

// memory is what the subject had allocated in the window: sizes hold until the
// next row of their process, so one from before the window counts too.
func (s *scope) memory() *Memory {
	var m Memory
	seen := false
	var sizes []*xctrace.AllocatedSize
	for i := range s.Sizes {
		if a := &s.Sizes[i]; s.own(a.Process) && a.Start <= s.to {
			sizes = append(sizes, a)
		}
	}
	slices.SortStableFunc(sizes, func(a, b *xctrace.AllocatedSize) int { return cmp.Compare(a.Start, b.Start) })
	held := map[uint64]uint64{}
	var total uint64
	for i, a := range sizes {
		pid := s.Processes[a.Process].PID
		total += a.Bytes - held[pid]
		held[pid] = a.Bytes
		if a.Start >= s.from || i+1 == len(sizes) || sizes[i+1].Start > s.from {
			m.PeakBytes = max(m.PeakBytes, total)
		}
		m.LastBytes, seen = total, true
	}
	for i := range s.Resources {
		a := &s.Resources[i]
		if s.own(a.Process) && s.inside(a.Time) && s.Text(a.Event) == "Allocation" {
			seen = true
			m.Allocations++
			m.Bytes += a.Bytes
		}
	}
	if !seen {
		return nil
	}
	return &m
}

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
