package summary

import (
	"cmp"
	"slices"
)

// latency returns statistics of the latencies of the command buffers that were committed in the window (the summarised
// time range).
func (m *modeller) latency() Latency {
	var start, notify, total []Nanos
	window := m.trace.TimeRange
	for b := range m.trace.Buffers() {
		if latency, known := b.StartLatency(window); known {
			start = append(start, latency)
		}
		if !b.Completed.Known() || !m.inside(b.Committed.End) {
			continue
		}
		if b.GPU.Known() && b.Completed.Begin >= b.GPU.End {
			notify = append(notify, b.Completed.Begin-b.GPU.End)
		}
		total = append(total, b.Completed.Begin-b.Committed.End)
	}
	l := Latency{CommitToGPU: timingPointer(start), GPUToCompletion: timingPointer(notify),
		CommitToCompletion: timingPointer(total)}
	if m.identity.Checked > 0 {
		l.StartLatencyChecked = &m.identity
	}
	return l
}

// check counts a checked row. `off` is the difference between the recorded start latency and the one computed from the
// commit; if it is not 0, the row counts as a violation.
func (id *Identity) check(off Nanos) {
	id.Checked++
	off = max(off, -off)
	if off > 0 {
		id.Violations++
		id.MaxErrorNS = max(id.MaxErrorNS, off)
	}
}

// inFlight counts the command buffers between commit and completion within the window (the summarised time range).
// Without a completion, the end of the GPU work counts.
func (m *modeller) inFlight() *InFlight {
	until := "completion"
	if len(m.Commands.Completions) == 0 {
		until = "GPU end"
	}
	type step struct {
		at    Nanos
		delta int
	}
	var steps []step
	var total Nanos
	for b := range m.trace.Buffers() {
		end := b.GPU.End
		if b.Completed.Known() {
			end = b.Completed.Begin
		}
		commit := max(b.Committed.Begin, m.from)
		end = min(end, m.to)
		if !b.Committed.Known() || end <= commit {
			continue
		}
		steps = append(steps, step{commit, 1}, step{end, -1})
		total += end - commit
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
	return &InFlight{Mean: float64(total) / float64(m.length()), Max: most, Until: until}
}
