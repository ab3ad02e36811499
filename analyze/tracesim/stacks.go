package tracesim

import (
	"slices"

	"mtrace/collector/wire"
)

// CaptureTicks is what recording a stack takes in these traces.
const CaptureTicks = 500

// Stacks adds what the tracer records when it is asked for stacks, to all calls recorded so far. Stack is that of a
// call of a thread; one without frames is not recorded. Held says whether the thread has the GIL.
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
					found := wire.Record{Begin: record.Begin - CaptureTicks, End: record.Begin, Arg: f.Key,
						Object: wire.InterpreterKnown, Call: wire.CallStack}
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

// The machine code of a PythonProgram: the library's image begins at LibraryStart.
const (
	LibraryStart = 0x7f00_0000_0000
	pythonStart  = 0x5500_0000_0000
)

// PythonProgram gives all calls the stacks of a program in Python, which calls a library of machine code, which calls
// Metal: step() of train.py calls it, commits on its line 42, and synchronize(), line 17, for waits. Threads of odd
// number hold the GIL.
func PythonProgram(p *Process) {
	for _, i := range []wire.Image{
		{Start: LibraryStart, Size: 1 << 20, BuildID: "c0ffee", Path: "/opt/app/libgpu.so"},
		{Start: pythonStart, Size: 1 << 20, Path: "/usr/bin/python3.11"},
	} {
		p.Facts = append(p.Facts, i.Fact())
	}
	p.Facts = append(p.Facts, wire.Fact{Kind: wire.FactSymbol, Key: LibraryStart + 0x110, Text: "gpu_call"})
	frame := func(function string, line uint32) wire.PythonFrame {
		return wire.PythonFrame{Function: wire.StringID(p.String(function)),
			File: wire.StringID(p.String("/home/me/train.py")), Line: line}
	}
	wait, main := frame("synchronize", 17), frame("<module>", 99)
	lines := map[wire.Group]uint32{wire.GroupAcquire: 40, wire.GroupEncode: 41, wire.GroupCommit: 42, wire.GroupWait: 43}
	p.Stacks(func(thread uint64, call wire.Call) (wire.Stack, bool) {
		step := frame("step", lines[call.Row().Group])
		s := wire.Stack{Native: []uint64{LibraryStart + 0x110, LibraryStart + 0x999, pythonStart + 0x50, pythonStart + 0x60,
			LibraryStart + 0x777},
			Python: []wire.PythonFrame{step, main}}
		if call.Row().Group == wire.GroupWait {
			s.Python = []wire.PythonFrame{wait, step, main}
		}
		return s, thread%2 == 1
	})
}
