package summary

import (
	"slices"
	"sort"
	"strings"

	"mtrace/analyze/xctrace"
)

const (
	tableGPU         = "metal-gpu-intervals"
	tableSubmissions = "metal-application-command-buffer-submissions"
	tableCompleted   = "metal-command-buffer-completed"
	tableEncoders    = "metal-application-encoders-list"
	tablePerformance = "gpu-performance-state-intervals"
	tableShaders     = "metal-shader-profiler-intervals"
	tableCounters    = "metal-gpu-counter-intervals"
)

// longestGaps is how many idle gaps are listed.
const longestGaps = 10

// gpu measures the GPU's side. order is the intervals by start.
func (s *scope) gpu(order []int32) *GPU {
	var all, own coverage
	var ownSum, foreign, unattributed Nanos
	type channel struct{ all, own coverage }
	channels := map[xctrace.TextIndex]*channel{}
	buffers := map[xctrace.BufferID]struct{}{}
	encoders := map[xctrace.BufferID]struct{}{}
	idle := gaps{scope: s, end: s.from}
	for _, i := range order {
		g := &s.GPU[i]
		begin, end, ok := s.clip(g.Start, g.Duration)
		if !ok {
			continue
		}
		idle.add(begin, end, g.Label)
		c := channels[g.Channel]
		if c == nil {
			c = &channel{}
			channels[g.Channel] = c
		}
		all.add(begin, end)
		c.all.add(begin, end)
		switch {
		case s.own(g.Process):
			own.add(begin, end)
			c.own.add(begin, end)
			ownSum += end - begin
			if g.CommandBuffer != 0 {
				buffers[g.CommandBuffer] = struct{}{}
			}
			if g.Encoder != 0 {
				encoders[g.Encoder] = struct{}{}
			}
		case g.Process == 0:
			unattributed += end - begin
		default:
			foreign += end - begin
		}
	}
	if s.pids == nil {
		// With every process the subject, what has none is still nobody's.
		for i := range s.GPU {
			g := &s.GPU[i]
			if begin, end, ok := s.clip(g.Start, g.Duration); ok && g.Process == 0 {
				unattributed += end - begin
				ownSum -= end - begin
			}
		}
	}
	out := &GPU{
		All:               all.busy(s.length()),
		Own:               own.busy(s.length()),
		OwnShare:          share(ownSum, all.sum),
		ForeignShare:      share(foreign, all.sum),
		UnattributedShare: share(unattributed, all.sum),
		CommandBuffers:    len(buffers),
		Encoders:          len(encoders),
		Idle:              idle.finish(),
		Channels:          []Channel{},
	}
	for name, c := range channels {
		out.Channels = append(out.Channels, Channel{s.Text(name), c.all.busy(s.length()), c.own.busy(s.length())})
	}
	sort.Slice(out.Channels, func(i, j int) bool { return out.Channels[i].Name < out.Channels[j].Name })
	return out
}

// gaps gathers the times without work, inside the window, of intervals in
// order of their begin.
type gaps struct {
	scope   *scope
	end     Nanos // of the work so far
	started bool
	before  xctrace.TextIndex
	lengths []Nanos
	longest []gap
}

type gap struct {
	from, length  Nanos
	before, after xctrace.TextIndex
	first, last   bool // no work before, or after, in the window
}

func (g *gaps) add(begin, end Nanos, label xctrace.TextIndex) {
	if begin > g.end {
		g.gap(gap{from: g.end, length: begin - g.end, before: g.before, after: label, first: !g.started})
	}
	if end >= g.end || !g.started {
		g.end, g.before = max(g.end, end), label
	}
	g.started = true
}

func (g *gaps) gap(new gap) {
	g.lengths = append(g.lengths, new.length)
	at, _ := slices.BinarySearchFunc(g.longest, new, func(a, b gap) int {
		return int(max(-1, min(1, b.length-a.length)))
	})
	if at < longestGaps {
		g.longest = slices.Insert(g.longest, at, new)
		g.longest = g.longest[:min(len(g.longest), longestGaps)]
	}
}

func (g *gaps) finish() Idle {
	s := g.scope
	if g.end < s.to {
		g.gap(gap{from: g.end, length: s.to - g.end, before: g.before, first: !g.started, last: true})
	}
	idle := Idle{Gaps: len(g.lengths), Length: timingOf(g.lengths), Longest: []Gap{}}
	idle.TotalNS = idle.Length.SumNS
	idle.Share = share(idle.TotalNS, s.length())
	for _, n := range g.lengths {
		if n > 100_000 {
			idle.Over100u++
		}
		if n > 1_000_000 {
			idle.Over1m++
		}
		if n > 10_000_000 {
			idle.Over10m++
		}
	}
	for _, x := range g.longest {
		shown := Gap{FromNS: x.from, LengthNS: x.length, Before: "(begin)", After: "(end)"}
		if !x.first {
			shown.Before = labelName(s.Text(x.before))
		}
		if !x.last {
			shown.After = labelName(s.Text(x.after))
		}
		idle.Longest = append(idle.Longest, shown)
	}
	return idle
}

// labels is the GPU time of the subject by label and channel.
func (s *scope) labels(order []int32) []Label {
	type key struct {
		label, channel xctrace.TextIndex
	}
	times := map[key][]Nanos{}
	var all Nanos
	for _, i := range order {
		g := &s.GPU[i]
		if begin, end, ok := s.clip(g.Start, g.Duration); ok && s.own(g.Process) {
			k := key{g.Label, g.Channel}
			times[k] = append(times[k], end-begin)
			all += end - begin
		}
	}
	list := make([]Label, 0, len(times))
	for k, t := range times {
		list = append(list, newLabel(s.Text(k.label), s.Text(k.channel), t, all))
	}
	sortLabels(list)
	return list
}

func newLabel(text, channel string, times []Nanos, all Nanos) Label {
	l := Label{Name: labelName(text), Channel: channel, Timing: timingOf(times)}
	l.Share = share(l.SumNS, all)
	// The first is Apple's spelling.
	l.Coalesced = strings.Contains(text, "Coelasced ") || strings.Contains(text, "Coalesced ")
	l.Default = defaultLabel(text)
	return l
}

func labelName(text string) string {
	if text == "" {
		return "(no label)"
	}
	return text
}

// defaultLabel says whether no part of a label is the program's: Instruments
// writes "Command Buffer 0:Compute Command 0" for what has none.
func defaultLabel(text string) bool {
	for _, part := range strings.SplitN(text, ":", 2) {
		given := part != ""
		for _, kind := range []string{"Compute Command ", "Render Command ", "Blit Command ", "Command Buffer "} {
			given = given && !strings.HasPrefix(part, kind)
		}
		if given {
			return false
		}
	}
	return true
}

func sortLabels(list []Label) {
	sort.Slice(list, func(i, j int) bool {
		a, b := &list[i], &list[j]
		switch {
		case a.SumNS != b.SumNS:
			return a.SumNS > b.SumNS
		case a.Name != b.Name:
			return a.Name < b.Name
		}
		return a.Channel < b.Channel
	})
}
