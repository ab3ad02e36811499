package insight

import (
	"cmp"
	"fmt"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/kernels"
	"mtrace/analyze/policy"
)

// A step is one copy or dispatch of a thread. roundTrips looks in a thread's steps for data that is copied to private
// memory, used by a dispatch, and copied back.
type step struct {
	at       analyze.Nanos
	dispatch bool
	up, down bool // a copy from CPU-visible memory to private memory, and back
}

// copies finds data that is again and again copied to private GPU memory (which the CPU cannot access), used by a
// dispatch, and copied back.
func copies(in *Input) *Insight {
	if in.rounds.most < policy.FewestRounds {
		return skip(tooFew)
	}
	private := privates(in.Trace)
	steps := map[*analyze.Thread][]step{}
	var where sites
	var bytes uint64
	dispatching, copying, total, both := 0, 0, 0, 0
	for b := range in.Trace.Buffers() {
		dispatched, copied := false, false
		for i := range b.Encoders {
			e := &b.Encoders[i]
			dispatched = dispatched || len(e.Dispatches) > 0
			copied = copied || len(e.Copied) > 0
			if len(e.Dispatches) > 0 {
				steps[e.Created.Thread] = append(steps[e.Created.Thread], step{at: e.Created.Begin, dispatch: true})
			}
			for _, c := range e.Copied {
				from, to := private.of(b.Process, c.From), private.of(b.Process, c.To)
				s := step{at: e.Created.Begin, up: from == visible && to == hidden, down: from == hidden &&
					to == visible}
				if from == visible && to == visible {
					both += c.Count
				}
				steps[e.Created.Thread] = append(steps[e.Created.Thread], s)
				total += c.Count
				bytes += c.Bytes
				where.add(&analyze.Call{Thread: e.Created.Thread, Stack: cmp.Or(c.Stack, e.Created.Stack)},
					"copies"+way(s, from, to), "", c.Count, 0, c.Bytes)
			}
		}
		if dispatched {
			dispatching++
		}
		if copied {
			copying++
		}
	}
	trips := 0
	for _, list := range steps {
		slices.SortStableFunc(list, func(a, b step) int { return cmp.Compare(a.at, b.at) })
		trips += roundTrips(list)
	}
	var gpu analyze.Nanos
	for _, k := range in.Kernels {
		if k.Name == kernels.Copies {
			if gpu = k.GPU; k.Source == kernels.NotIdentified {
				gpu = k.Low
			}
		}
	}
	took := ""
	if gpu > 0 {
		took = fmt.Sprintf(", %s of the GPU's time", gpu)
	}
	switch {
	case trips >= policy.FewestRounds && trips*2 >= dispatching:
		return &Insight{Severity: Warning, Cost: gpu, Where: where.most(),
			Evidence: fmt.Sprintf("%d times data was copied to private GPU memory, used by a dispatch, "+
				"and copied back (%d command buffers dispatch kernels): %d copies, %s in all%s",
				trips, dispatching, total, analyze.FormatBytes(bytes), took),
			Advice: "leave results on the GPU until the last operation; " +
				"on a device with unified memory use shared buffers in place"}
	case copying >= policy.FewestRounds && of(copying, len(in.Trace.CommandBuffers)) >= policy.InsightMajority:
		i := &Insight{Severity: Info, Cost: gpu, Where: where.most(),
			Evidence: fmt.Sprintf("%d of %d command buffers copy data: %d copies, %s in all%s", copying,
				len(in.Trace.CommandBuffers),
				total, analyze.FormatBytes(bytes), took),
			Advice: "on a device with unified memory use shared buffers in place; copy only what must be private"}
		if both > 0 {
			i.Evidence += fmt.Sprintf("; %d copies are between buffers that the CPU and the GPU both see", both)
		}
		return i
	}
	return nil
}

// roundTrips counts how often a copy to private memory is followed by a dispatch, and the dispatch by a copy back.
func roundTrips(list []step) (trips int) {
	up, worked := false, false
	for _, s := range list {
		switch {
		case s.up:
			up = true
		case s.dispatch && up:
			worked = true
		case s.down && worked:
			trips++
			up, worked = false, false
		}
	}
	return trips
}

// A sight is who can access some memory: the CPU and the GPU, or only the GPU.
type sight uint8

const (
	unknown sight = iota
	visible       // to the CPU and the GPU
	hidden        // the GPU's own
)

func way(s step, from, to sight) string {
	switch {
	case s.up:
		return " from shared to private"
	case s.down:
		return " from private to shared"
	case from == visible && to == visible:
		return " from shared to shared"
	case from == hidden && to == hidden:
		return " from private to private"
	}
	return ""
}

// storage says, for each object whose allocation is in the trace, whether the CPU can access its memory.
type storage map[object]sight

type object struct {
	process *analyze.Process
	number  uint32
}

func privates(t *analyze.Trace) storage {
	s := storage{}
	for i := range t.Memory.Allocations {
		a := &t.Memory.Allocations[i]
		if a.Object == 0 || a.Thread == nil {
			continue
		}
		s[object{a.Thread.Process, a.Object}] = visible
		if a.Storage == "private" || a.Storage == "memoryless" {
			s[object{a.Thread.Process, a.Object}] = hidden
		}
	}
	return s
}

func (s storage) of(p *analyze.Process, number uint32) sight { return s[object{p, number}] }
