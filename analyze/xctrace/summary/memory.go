package summary

import (
	"cmp"
	"slices"

	"mtrace/analyze/xctrace"
)

// memoryOf returns how much memory the summary's processes had allocated in the window (the summarised time range); nil
// if that is not recorded. A size is valid until the next row of its process, so a row before the window counts too.
func memoryOf(s *scope) *Memory {
	var m Memory
	seen := false
	var sizes []*xctrace.AllocatedSize
	for i := range s.Memory.Sizes {
		if a := &s.Memory.Sizes[i]; s.own(a.Process) && a.Start <= s.to {
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
	for i := range s.Memory.Resources {
		a := &s.Memory.Resources[i]
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
