package summary

import (
	"cmp"
	"slices"
	"sort"

	"mtrace/analyze/xctrace"
)

// Of summarises a recording. The error is about the filter: a process that is
// not there, or a time range without length.
func Of(r *xctrace.Recording, f Filter) (*Summary, error) {
	s, err := newScope(r, f)
	if err != nil {
		return nil, err
	}
	out := &Summary{
		Schema:    "mtrace.xctrace/1",
		Source:    s.source(),
		Subject:   s.subject(),
		Window:    Window{s.from, s.to, s.length()},
		Labels:    []Label{},
		Processes: []Process{},
	}
	order := s.byStart()
	buffers := s.buffers(order)
	if r.Has(tableGPU) {
		out.GPU = s.gpu(order)
		out.Labels = s.labels(order)
	}
	out.Processes = s.processes(order)
	out.Threads = s.threads(buffers)
	out.Latency = s.latency(buffers)
	out.InFlight = s.inFlight(buffers)
	out.Cycle = s.cycle(buffers)
	out.Encoders = s.encoderLabels()
	out.Shaders = s.shaders()
	out.Driver = s.driver()
	out.Handlers = s.handlers()
	out.Compiler = s.compiler()
	out.States = s.states()
	out.Counters = s.counters()
	out.Memory = s.memory()
	out.Signposts = s.signposts(order)
	for _, e := range s.Errors {
		if s.inside(e.Time) {
			out.Errors++
		}
	}
	for i := range s.Samples {
		if s.inside(s.Samples[i].Time) && s.own(s.Samples[i].Process) {
			out.Samples++
		}
	}
	out.Verdict = verdictOf(out)
	out.Missing = s.missing(out)
	out.Warnings = s.warnings(out)
	out.Tables = s.tables()
	return out, nil
}

// byStart is the order of the GPU intervals by their start. Exports are sorted
// already, as far as seen, but nothing promises it.
func (s *scope) byStart() []int32 {
	order := make([]int32, len(s.GPU))
	sorted := true
	for i := range order {
		order[i] = int32(i)
		sorted = sorted && (i == 0 || s.GPU[i-1].Start <= s.GPU[i].Start)
	}
	if !sorted {
		slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(s.GPU[a].Start, s.GPU[b].Start) })
	}
	return order
}

// buffer is what the tables together say about one command buffer.
type buffer struct {
	submission *xctrace.Submission
	gpu        bool
	gpuStart   Nanos
	gpuEnd     Nanos
	gpuSum     Nanos
	completed  Nanos // 0: not known
}

// buffers joins submissions, GPU intervals and completions by the command
// buffer's number: those of the subject committed in the window.
func (s *scope) buffers(order []int32) map[xctrace.BufferID]*buffer {
	joined := make(map[xctrace.BufferID]*buffer, len(s.Submissions))
	pool := make([]buffer, len(s.Submissions))
	for i := range s.Submissions {
		b := &s.Submissions[i]
		if b.CommandBuffer != 0 && s.own(b.Process) && s.inside(b.Start+b.Duration) {
			pool[i].submission = b
			joined[b.CommandBuffer] = &pool[i]
		}
	}
	for _, i := range order {
		g := &s.GPU[i]
		b := joined[g.CommandBuffer]
		if b == nil || !s.same(g, b) {
			continue
		}
		if !b.gpu {
			b.gpu, b.gpuStart = true, g.Start
		}
		b.gpuEnd = max(b.gpuEnd, g.Start+g.Duration)
		b.gpuSum += g.Duration
	}
	for i := range s.Completions {
		c := &s.Completions[i]
		if b := joined[c.CommandBuffer]; b != nil && c.Time >= b.submission.Start+b.submission.Duration {
			b.completed = c.Time
		}
	}
	return joined
}

// same says whether a GPU interval is of the command buffer that has its number:
// numbers are of a process, and another one's may be equal.
func (s *scope) same(g *xctrace.GPUInterval, b *buffer) bool {
	return g.Start >= b.submission.Start && (g.Process == 0 || s.Processes[g.Process].PID == s.Processes[b.submission.Process].PID)
}

// processes is everybody's part, the subject first, then by GPU time.
func (s *scope) processes(order []int32) []Process {
	byPID := map[uint64]*Process{}
	covered := map[uint64]*coverage{}
	get := func(p xctrace.ProcessIndex) (*Process, *coverage) {
		pid := s.Processes[p].PID
		key := pid
		if p == 0 {
			key = 1 << 63 // nobody: pid 0 is the kernel
		}
		if byPID[key] == nil {
			byPID[key] = &Process{PID: pid, Name: s.seen[pid], Subject: s.own(p)}
			if p == 0 {
				byPID[key].Name = ""
			}
			covered[key] = &coverage{}
		}
		return byPID[key], covered[key]
	}
	var all Nanos
	for _, i := range order {
		g := &s.GPU[i]
		if begin, end, ok := s.clip(g.Start, g.Duration); ok {
			_, c := get(g.Process)
			c.add(begin, end)
			all += end - begin
		}
	}
	for i := range s.Submissions {
		b := &s.Submissions[i]
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

// threads is who committed, by number of command buffers.
func (s *scope) threads(buffers map[xctrace.BufferID]*buffer) []Thread {
	byIndex := map[xctrace.ThreadIndex]*Thread{}
	for i := range s.Submissions {
		b := &s.Submissions[i]
		commit := b.Start + b.Duration
		if !s.own(b.Process) || !s.inside(commit) {
			continue
		}
		t := byIndex[b.Thread]
		if t == nil {
			known := s.Threads[b.Thread]
			t = &Thread{TID: known.TID, PID: s.Processes[b.Process].PID, Name: known.Name, FirstNS: b.Start}
			byIndex[b.Thread] = t
		}
		t.Submissions++
		t.EncodeNS += b.EncoderTime
		t.PrepareNS += b.Duration
		t.FirstNS, t.LastNS = min(t.FirstNS, b.Start), max(t.LastNS, commit)
		if joined := buffers[b.CommandBuffer]; joined != nil && joined.submission == b {
			t.GPUSumNS += joined.gpuSum
		}
	}
	list := make([]Thread, 0, len(byIndex))
	for _, t := range byIndex {
		t.SubmissionsPerSecond = float64(t.Submissions) / s.seconds()
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
