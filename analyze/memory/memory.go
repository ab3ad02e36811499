// Package memory sums up what a program allocated for the GPU.
package memory

import (
	"cmp"
	"slices"

	"mtrace/analyze"
)

// A Use sums up the allocations of a trace.
type Use struct {
	Allocations int
	Bytes       uint64
	Peak        uint64 // largest number of bytes allocated at the same time
	// PeakExact is true if Peak is exact. If it is false, the trace has no releases, and Peak is an upper bound: memory
	// then counts as released only when another allocation gets its address.
	PeakExact   bool
	Reused      int // allocations at an address that an earlier one had
	Addressed   int // allocations with a known address
	ByStorage   map[string]Total
	Releases    int
	Device      uint64    // largest sum of the devices' own reports of allocated memory
	Samples     int       // number of these reports
	Recommended uint64    // sum of the devices' recommended maximum of bytes; 0 if a device reports none
	Objects     []Objects // the objects of each class
}

// A Total counts allocations.
type Total struct {
	Count int
	Bytes uint64
}

// ReuseShare returns the share (0 to 1) of allocations whose address an earlier allocation had; `known` is false if
// the trace has no addresses.
func (u *Use) ReuseShare() (share float64, known bool) {
	if u.Addressed == 0 {
		return 0, false
	}
	return float64(u.Reused) / float64(u.Addressed), true
}

// Summarize sums up the allocations of a trace.
func Summarize(t *analyze.Trace) *Use {
	u := &Use{ByStorage: map[string]Total{}}
	for i := range t.Memory.Allocations {
		u.count(&t.Memory.Allocations[i])
	}
	u.PeakExact, u.Releases = t.Memory.Releases > 0, t.Memory.Releases
	u.device(t)
	u.reuse(t)
	u.peak(t)
	objects := newPopulation()
	objects.add(t, func(p *analyze.Process) *analyze.Process { return p })
	u.Objects = objects.finish(t)
	return u
}

func (u *Use) count(a *analyze.Allocation) {
	u.Allocations++
	u.Bytes += a.Bytes
	s := u.ByStorage[a.Storage]
	s.Count++
	s.Bytes += a.Bytes
	u.ByStorage[a.Storage] = s
}

// memoryAddress is an address in a process.
type memoryAddress struct {
	process *analyze.Process
	address uint64
}

// reuse counts addresses that occur again.
func (u *Use) reuse(t *analyze.Trace) {
	seen := map[memoryAddress]bool{}
	for i := range t.Memory.Allocations {
		if a := &t.Memory.Allocations[i]; a.Address != 0 {
			at := memoryAddress{a.Thread.Process, a.Address}
			u.Addressed++
			if seen[at] {
				u.Reused++
			}
			seen[at] = true
		}
	}
}

// peak computes the largest amount of memory that was allocated at once. If an allocation has the address of an
// earlier one, the earlier memory must have been released, even if the trace does not have the release.
func (u *Use) peak(t *analyze.Trace) {
	type change struct {
		at    analyze.Nanos
		bytes int64
	}
	var changes []change
	last := map[memoryAddress]*analyze.Allocation{}
	for i := range t.Memory.Allocations {
		a := &t.Memory.Allocations[i]
		if a.OnHeap {
			continue
		}
		changes = append(changes, change{a.At, int64(a.Bytes)})
		if a.Released != 0 {
			changes = append(changes, change{a.Released, -int64(a.Bytes)})
		} else if a.Address != 0 {
			at := memoryAddress{a.Thread.Process, a.Address}
			if before := last[at]; before != nil {
				changes = append(changes, change{a.At, -int64(before.Bytes)})
			}
			last[at] = a
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.at, b.at),
			cmp.Compare(a.bytes, b.bytes))
	})
	now := int64(0)
	for _, c := range changes {
		now += c.bytes
		u.Peak = max(u.Peak, uint64(max(0, now)))
	}
}

// device computes the largest amount of memory that all devices together reported as allocated. Each time a device
// reports, it adds up the latest report of every device.
func (u *Use) device(t *analyze.Trace) {
	type source struct {
		process *analyze.Process
		device  *analyze.Device
	}
	latest, sum := map[source]uint64{}, uint64(0)
	for _, d := range t.Devices {
		if d.WorkingSet == 0 {
			u.Recommended = 0
			break
		}
		u.Recommended += d.WorkingSet
	}
	for _, m := range t.Memory.Device {
		of := source{m.Process, m.Device}
		sum += m.Bytes - latest[of]
		latest[of] = m.Bytes
		u.Device = max(u.Device, sum)
		u.Samples++
	}
}
