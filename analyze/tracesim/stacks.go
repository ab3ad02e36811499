package tracesim

import (
	"slices"

	"mtrace/collector/wire"
)

// CaptureTicks is what recording a stack takes in these traces.
const CaptureTicks = 500

// Stacks adds what the tracer records when it is asked for stacks, to all calls recorded so far. Stack is that of a call of a thread; one
// without frames is not recorded. Held says whether the thread has the interpreter's lock.
func (p *Process) Stacks(stack func(thread uint64, call wire.Call) (s wire.Stack, held bool)) {
	known := map[wire.StackID]bool{}
	for _, r := range p.rings {
		thread := uint64(0)
		var groups [][]wire.Record // a record with its More
		for i := 0; i < len(r.Records); i++ {
			group := r.Records[i : i+1]
			if i+1 < len(r.Records) && r.Records[i+1].Call == wire.CallMore {
				group = r.Records[i : i+2]
				i++
			}
			record := group[0]
			if record.Call == wire.CallThreadStart {
				thread = record.Arg
			}
			if wire.CallHasStack(record.Call) {
				if s, held := stack(thread, record.Call); len(s.Native)+len(s.Python) > 0 {
					f := s.Fact()
					if !known[wire.StackID(f.Key)] {
						known[wire.StackID(f.Key)] = true
						p.Facts = append(p.Facts, f)
					}
					found := wire.Record{Begin: record.Begin - CaptureTicks, End: record.Begin, Arg: f.Key, Object: wire.InterpreterKnown, Call: wire.CallStack}
					if held {
						found.Object |= wire.InterpreterHeld
					}
					groups = append(groups, []wire.Record{found})
				}
			}
			groups = append(groups, group)
		}
		slices.SortStableFunc(groups, func(a, b []wire.Record) int { return int(a[0].End) - int(b[0].End) })
		r.Records = slices.Concat(groups...)
	}
}
