package memory

import (
	"mtrace/analyze"
)

// A Running sums up the allocations of consecutive ranges of a run. Between ranges it keeps the memory that is not
// released yet, and the last allocation at each address.
type Running struct {
	use  Use
	now  int64
	open map[object]uint64        // the size in bytes of each allocation that is not released yet
	last map[memoryAddress]object // the latest allocation at each address

	objects *population
}

type object struct {
	process *analyze.Process
	number  uint32
}

// NewRunning returns a sum without ranges.
func NewRunning() *Running {
	return &Running{use: Use{ByStorage: map[string]Total{}}, open: map[object]uint64{}, last: map[memoryAddress]object{},
		objects: newPopulation()}
}

// Add adds the next range. `all` is the Total that the ranges are added to; its processes identify memory, because
// each range has Process values of its own.
func (t *Running) Add(part *analyze.Trace, all *analyze.Total) {
	t.objects.add(part, all.Process)
	freed := part.Memory.Freed
	for i := range part.Memory.Allocations {
		a := &part.Memory.Allocations[i]
		for len(freed) > 0 && freed[0].At <= a.At {
			t.free(object{all.Process(freed[0].Process), freed[0].Object})
			freed = freed[1:]
		}
		t.allocate(a, all.Process(a.Thread.Process))
	}
	for _, f := range freed {
		t.free(object{all.Process(f.Process), f.Object})
	}
}

func (t *Running) allocate(a *analyze.Allocation, process *analyze.Process) {
	t.use.count(a)
	here := object{process, a.Object}
	at := memoryAddress{process, a.Address}
	before, again := t.last[at]
	if a.Address != 0 {
		t.use.Addressed++
		if again {
			t.use.Reused++
		}
		t.last[at] = here
	}
	if a.OnHeap {
		return
	}
	if again && a.Address != 0 { // the address was used again, so its earlier memory was released
		t.free(before)
	}
	t.open[here] = a.Bytes
	t.now += int64(a.Bytes)
	t.use.Peak = max(t.use.Peak, uint64(max(0, t.now)))
}

func (t *Running) free(o object) {
	if was, there := t.open[o]; there {
		t.now -= int64(was)
		delete(t.open, o)
	}
}

// Finish returns the sums. `all` is the trace of the Total that the ranges were added to.
func (t *Running) Finish(all *analyze.Trace) *Use {
	t.use.PeakExact, t.use.Releases = all.Memory.Releases > 0, all.Memory.Releases
	t.use.device(all)
	t.use.Objects = t.objects.finish(all)
	return &t.use
}
