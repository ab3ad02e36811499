package analyze

import "slices"

// A Slice is one of the consecutive time ranges into which EachSlice cuts a run, for outputs that write every event.
// An event belongs to the slice in which it ends, with its whole duration, so that each call, wait and command buffer
// is written once. All slices use the same Thread and Process pointers; the fields of these describe the slice that
// was read last. Thread.Exclusive covers only the slice's own time, so it can be summed over slices.
type Slice struct {
	// the trace of the slice's time and some time around it. Events that do not belong to the slice (Includes is false)
	// are there only because other events refer to them. Trace.Calls has counts of calls, but no durations
	Trace   *Trace
	Buffers []*CommandBuffer // the command buffers that ended in the slice; the last slice also has those that never ended

	number int
	of     int
}

// Whole returns a single Slice for a run that was loaded as a whole.
func Whole(t *Trace) *Slice {
	return &Slice{Trace: t, Buffers: slices.Collect(t.Buffers()), of: 1}
}

// Includes reports whether an event that ended at an instant belongs to this slice. Writers must skip other events,
// because another slice has them.
func (s *Slice) Includes(at Nanos) bool { return s.Trace.Includes(at) }

// First reports whether this is the first slice (time range) of the run. If it is also the last one, the slice is
// the whole run.
func (s *Slice) First() bool { return s.number == 0 }

// Last reports whether this is the last slice (time range) of the run. Writers must then also write everything that
// they held back for later events; otherwise it is missing in the output.
func (s *Slice) Last() bool { return s.number+1 == s.of }

// EachSlice loads the requested range in slices of about the given number of records and calls `use` with each
// slice, in order of time. Options.Visit receives each call once, in the slice in which the call ends. If too many
// command buffers are open at once, the oldest are passed before their end is known, to limit memory; `cut` is how
// many.
func (f *File) EachSlice(asked Options, records int64, use func(s *Slice, number, of int) error) (cut int, err error) {
	asked = f.Asked(asked)
	parts := f.Ranges(asked, records)
	all := &sliced{processes: map[int]*Process{}, threads: map[sliceThread]*Thread{},
		open: map[bufferName]*CommandBuffer{}, held: map[*Process]*numberSet{}, blocks: newKeptBlocks()}
	for i, part := range parts {
		part.slice = &slicing{sliced: all, whole: f.asked(asked), last: i+1 == len(parts), apart: asked.Apart,
			shortestWait: asked.ShortestWait}
		all.blocks.turn()
		t, err := f.Load(part)
		if err != nil {
			return all.cut, err
		}
		s := &Slice{Trace: t, number: i, of: len(parts)}
		s.Buffers = part.slice.hold(t)
		if err := use(s, i, len(parts)); err != nil {
			return all.cut, err
		}
	}
	return all.cut, nil
}
