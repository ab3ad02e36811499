package summary

import (
	"cmp"
	"slices"

	"mtrace/analyze/xctrace"
)

func (s *scope) latency(buffers map[xctrace.BufferID]*buffer) Latency {
	var start, notify, total []Nanos
	for _, b := range buffers {
		commit := b.submission.Start + b.submission.Duration
		if b.gpu && b.gpuStart >= commit {
			start = append(start, b.gpuStart-commit)
		}
		if b.gpu && b.completed >= b.gpuEnd {
			notify = append(notify, b.completed-b.gpuEnd)
		}
		if b.completed > 0 {
			total = append(total, b.completed-commit)
		}
	}
	if len(start) == 0 {
		// Without the submissions the GPU table has it too, per interval.
		for i := range s.GPU {
			if g := &s.GPU[i]; g.HasLatency && s.own(g.Process) && s.inside(g.Start) {
				start = append(start, g.StartLatency)
			}
		}
	}
	return Latency{timingPointer(start), timingPointer(notify), timingPointer(total), s.identity(buffers)}
}

// identity checks start-latency = GPU start − commit on every interval that
// joins a submission.
func (s *scope) identity(buffers map[xctrace.BufferID]*buffer) *Identity {
	var id Identity
	for i := range s.GPU {
		g := &s.GPU[i]
		b := buffers[g.CommandBuffer]
		if b == nil || !g.HasLatency || !s.same(g, b) {
			continue
		}
		id.Checked++
		off := g.Start - (b.submission.Start + b.submission.Duration) - g.StartLatency
		if off < 0 {
			off = -off
		}
		if off > 0 {
			id.Violations++
			id.MaxErrorNS = max(id.MaxErrorNS, off)
		}
	}
	if id.Checked == 0 {
		return nil
	}
	return &id
}

// inFlight counts command buffers between commit and completion; where the
// completions are missing, until the end of their GPU work.
func (s *scope) inFlight(buffers map[xctrace.BufferID]*buffer) *InFlight {
	until := "completion"
	if len(s.Completions) == 0 {
		until = "GPU end"
	}
	type step struct {
		at    Nanos
		delta int
	}
	var steps []step
	var total Nanos
	for _, b := range buffers {
		end := b.completed
		if until == "GPU end" {
			end = b.gpuEnd
		}
		commit := b.submission.Start + b.submission.Duration
		if end <= commit {
			continue
		}
		steps = append(steps, step{commit, 1}, step{end, -1})
		total += min(end, s.to) - commit
	}
	if len(steps) == 0 {
		return nil
	}
	slices.SortFunc(steps, func(a, b step) int {
		if c := cmp.Compare(a.at, b.at); c != 0 {
			return c
		}
		return a.delta - b.delta
	})
	depth, most := 0, 0
	for _, st := range steps {
		depth += st.delta
		most = max(most, depth)
	}
	return &InFlight{Mean: float64(total) / float64(s.length()), Max: most, Until: until}
}
