package summary

import (
	"sort"

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

// gpu returns how the GPU was used within the window (the summarised time range): busy, idle, by whom, and on which
// channels.
func (m *modeller) gpu() *GPU {
	s := m.scope
	var all, own coverage
	var ownSum, foreign, unattributed Nanos
	type channel struct{ all, own coverage }
	channels := map[xctrace.TextIndex]*channel{}
	buffers := map[*commandBuffer]struct{}{}
	encoders := map[placed]struct{}{}
	idle := gaps{scope: s, end: s.from}
	for _, i := range m.order {
		g := &s.GPU.Intervals[i]
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
				buffers[m.ran[i].buffer] = struct{}{}
			}
			if g.Encoder != 0 {
				encoders[m.ran[i]] = struct{}{}
			}
		case g.Process == 0:
			unattributed += end - begin
		default:
			foreign += end - begin
		}
	}
	if s.pids == nil {
		// Even if the summary is about all processes, a GPU row without a process counts as unattributed, not as their
		// work.
		for i := range s.GPU.Intervals {
			g := &s.GPU.Intervals[i]
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
		OtherProcessShare: share(foreign, all.sum),
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
