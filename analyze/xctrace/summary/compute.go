package summary

import (
	"cmp"
	"slices"
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/xctrace"
)

// Of summarises a recording. It returns an error if the filter names a process that the recording does not have, or
// an empty time range.
func Of(r *xctrace.Recording, f Filter) (*Summary, error) {
	s, err := newScope(r, f)
	if err != nil {
		return nil, err
	}
	out := &Summary{
		Schema:      "mtrace.xctrace/1",
		Source:      sourceOf(s),
		Subject:     subjectOf(s),
		Window:      Window{s.from, s.to, s.length()},
		TimeByLabel: TimeByLabel{Labels: []Label{}},
		Processes:   []Process{},
	}
	m := modelOf(s)
	order := m.order
	if r.Has(tableGPU) {
		out.GPU = m.gpu()
		out.Labels = labelsOf(s, order)
	}
	out.Processes = processesOf(s, order)
	out.Threads = m.committers()
	out.Latency = m.latency()
	out.InFlight = m.inFlight()
	out.Cycle = m.cycle()
	out.Encoders = encoderLabelsOf(s)
	out.Shaders = shadersOf(s)
	out.Driver = driverOf(s)
	out.Handlers = handlersOf(s)
	out.Compiler = compilerOf(s)
	out.States = statesOf(s)
	out.Counters = countersOf(s)
	out.Memory = memoryOf(s)
	out.Signposts = signpostsOf(s, order)
	for _, e := range s.Commands.Errors {
		if s.inside(e.Time) {
			out.Errors++
		}
	}
	if out.CPU = cpuOf(s); out.CPU != nil {
		out.Samples = out.CPU.Samples
	}
	out.Others = othersOf(s)
	out.Missing = missingOf(s, out)
	out.Warnings = warningsOf(s, out)
	out.Tables = tablesOf(s)
	m.compilations()
	m.allocations()
	m.finish()
	out.Verdict = m.verdict(out)
	return out, nil
}

// gpuByStart returns the indexes of the GPU intervals in order of start. All known exports are sorted, but xctrace
// does not guarantee it.
func gpuByStart(s *scope) []int32 {
	order := make([]int32, len(s.GPU.Intervals))
	sorted := true
	for i := range order {
		order[i] = int32(i)
		sorted = sorted && (i == 0 || s.GPU.Intervals[i-1].Start <= s.GPU.Intervals[i].Start)
	}
	if !sorted {
		slices.SortStableFunc(order, func(a, b int32) int {
			return cmp.Compare(s.GPU.Intervals[a].Start,
				s.GPU.Intervals[b].Start)
		})
	}
	return order
}

// toldBy returns which of the two tables, submissions and GPU work, have rows. The numbers from a table without rows
// are unknown rather than 0: probably its export has failed.
func toldBy(s *scope) told {
	return told{submissions: len(s.Commands.Submissions) > 0, gpu: len(s.GPU.Intervals) > 0}
}

// processesOf returns the GPU time and the submissions of each process, the summary's own processes first, then by
// GPU time.
func processesOf(s *scope, order []int32) []Process {
	byPID := map[uint64]*Process{}
	covered := map[uint64]*coverage{}
	get := func(p xctrace.ProcessIndex) (*Process, *coverage) {
		pid, key := s.Processes[p].PID, s.pid(p)
		if byPID[key] == nil {
			byPID[key] = &Process{PID: pid, Name: s.seen[pid], Subject: s.own(p), told: toldBy(s)}
			if p == 0 {
				byPID[key].Name = ""
			}
			covered[key] = &coverage{}
		}
		return byPID[key], covered[key]
	}
	var all Nanos
	for _, i := range order {
		g := &s.GPU.Intervals[i]
		if begin, end, ok := s.clip(g.Start, g.Duration); ok {
			_, c := get(g.Process)
			c.add(begin, end)
			all += end - begin
		}
	}
	for i := range s.Commands.Submissions {
		b := &s.Commands.Submissions[i]
		if s.inside(b.Start + b.Duration) {
			p, _ := get(b.Process)
			p.Submissions++
			p.Encoders += b.Encoders
			p.EncodeNS += b.EncoderTime
		}
	}
	list := make([]Process, 0, len(byPID))
	for key, p := range byPID {
		c := covered[key]
		p.SubmissionsPerSecond = float64(p.Submissions) / s.seconds()
		p.GPUIntervals, p.GPUBusyNS, p.GPUSumNS, p.GPUShare = c.count, c.once, c.sum, share(c.sum, all)
		list = append(list, *p)
	}
	sort.Slice(list, func(i, j int) bool {
		a, b := &list[i], &list[j]
		switch {
		case a.Subject != b.Subject:
			return a.Subject
		case a.GPUSumNS != b.GPUSumNS:
			return a.GPUSumNS > b.GPUSumNS
		}
		return a.PID < b.PID
	})
	return list
}

// committers returns the threads that committed, those with the most command buffers first.
func (m *modeller) committers() []Thread {
	byIndex := map[*analyze.Thread]*Thread{}
	for i := range m.Commands.Submissions {
		b := &m.Commands.Submissions[i]
		commit := b.Start + b.Duration
		if !m.own(b.Process) || !m.inside(commit) {
			continue
		}
		key := m.threads[b.Thread]
		t := byIndex[key]
		if t == nil {
			known := m.Threads[b.Thread]
			t = &Thread{TID: known.TID, PID: m.Processes[b.Process].PID, Name: known.Name, FirstNS: b.Start}
			if toldBy(m.scope).gpu {
				t.GPUSumNS = new(Nanos)
			}
			byIndex[key] = t
		}
		t.Submissions++
		t.EncodeNS += b.EncoderTime
		t.PrepareNS += b.Duration
		t.FirstNS, t.LastNS = min(t.FirstNS, b.Start), max(t.LastNS, commit)
	}
	for b := range m.trace.Buffers() {
		if t := byIndex[b.Committed.Thread]; t != nil && t.GPUSumNS != nil {
			*t.GPUSumNS += b.RowTime(m.trace.TimeRange)
		}
	}
	list := make([]Thread, 0, len(byIndex))
	for _, t := range byIndex {
		t.SubmissionsPerSecond = float64(t.Submissions) / m.seconds()
		list = append(list, *t)
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].Submissions != list[j].Submissions {
			return list[i].Submissions > list[j].Submissions
		}
		return list[i].TID < list[j].TID
	})
	return list
}
