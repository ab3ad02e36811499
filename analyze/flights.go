package analyze

import (
	"cmp"
	"slices"

	"mtrace/collector/wire"
)

// Long flights: a command buffer may be in flight (submitted to the GPU, but not completed) for longer than the time
// that Load reads around a range. A load in the middle of the flight would miss the command buffer although the GPU
// works on it all the time. So the survey of the file finds such command buffers by their completion records and
// keeps their records, and each load of a range reads these too. Few programs have such command buffers, for instance
// those with kernels that run as long as the program.

const (
	longFlight  = 256     // a flight is long if it takes at least this fraction (1/256) of the run
	mostFlights = 1 << 10 // maximum number of long flights of a file; shorter ones beyond it are not kept
	// maximum number of records that are kept of all command buffers with long flights, to limit memory. Beyond it, no
	// further records of their encoders are kept, so loads lack the encoders' dispatches
	mostKept = 1 << 16
)

// completions returns the command buffers that complete in a block of the file after a long flight: they were in
// flight (submitted, but not completed) for at least the time `long`.
func (f *File) completions(stream, block int, clock *converter, long Nanos) (found []flight) {
	st := f.reader.Streams()[stream]
	_ = f.reader.ReadBlock(st, block, func(records []wire.Record) error { // the callback returns no error
		for i := 0; i+1 < len(records); i++ {
			r := &records[i]
			if r.Call != wire.CallCompleted || r.Flags&wire.HasMore == 0 || records[i+1].Call != wire.CallMore {
				continue
			}
			m := records[i+1].More()
			began := clock.sharedTime(m.X0)
			if handed := clock.sharedTime(m.X2); handed > 0 {
				began = min(began, handed)
			}
			if at := (Interval{began, clock.at(r.End)}); at.Known() && at.Length() >= long &&
				at.Length() < longestTime {
				found = append(found, flight{process: int(st.Process), id: r.Object, Interval: at})
			}
		}
		return nil
	})
	return found
}

// keepFlights stores the records of the command buffers that were in flight longest. It first searches the time
// shortly before each submission, because most command buffers are created then. It searches all earlier time only
// for command buffers that it did not find.
func (f *File) keepFlights(found []flight, long Nanos) {
	slices.SortStableFunc(found, func(a, b flight) int { return cmp.Compare(b.Length(), a.Length()) })
	found = found[:min(len(found), mostFlights)]
	f.flights = make([]flights, len(f.reader.Processes()))
	for i := range found {
		of := &f.flights[found[i].process]
		if *of == nil {
			*of = flights{}
		}
		(*of)[found[i].id] = &found[i]
	}
	for _, before := range []Nanos{long, longestTime} {
		missing := slices.DeleteFunc(slices.Clone(found),
			func(x flight) bool { return f.flights[x.process][x.id].made })
		if len(missing) > 0 {
			f.keepRecords(missing, before)
		}
	}
}

// keepRecords stores the records of the given command buffers. It reads two kinds of blocks of their process: blocks
// in the last `before` nanoseconds ahead of a submission, where the command buffer may have been created, and blocks
// in which a command buffer completes.
func (f *File) keepRecords(of []flight, before Nanos) {
	kept := 0
	for i, st := range f.reader.Streams() {
		if int(st.Process) >= len(f.flights) || f.flights[st.Process] == nil {
			continue
		}
		clock := newConverter(f.reader.Processes()[st.Process])
		for k := range f.blocks[i] {
			b := &f.blocks[i][k]
			at := Interval{clock.at(b.First), clock.at(b.Last) + 1}
			if !slices.ContainsFunc(of, func(x flight) bool {
				return x.process == int(st.Process) && (at.Begin <= x.Begin && at.End > x.Begin-before ||
					at.contains(x.End))
			}) {
				continue
			}
			b.lasting = nil
			_ = f.reader.ReadBlock(st, k, func(records []wire.Record) error { // the callback returns no error
				b.lasting = appendKept(b.lasting, records, func(r *wire.Record, m *wire.More) bool {
					all := f.flights[st.Process]
					x := all.of(r, m)
					if x == nil || kept > mostKept && all[r.Object] != nil && r.Object != x.id {
						return r.Call.Lasts()
					}
					kept++
					x.knows(all, r)
					return true
				})
				return nil
			})
		}
	}
}

// of returns the long flight to whose command buffer a record belongs, directly or through one of its encoders; nil
// when there is none.
func (f flights) of(r *wire.Record, m *wire.More) *flight {
	if x := f[r.Object]; x != nil {
		return x
	}
	switch rule := ruleOf(r.Call); {
	case rule.makes == wire.KindCommandBuffer:
		return f[wire.ObjectID(r.Arg)]
	case rule.members != nil:
		for i, place := range rule.members {
			if x := f[wire.ObjectID(place.Of(r, m))]; x != nil && uint64(i) < r.Arg {
				return x
			}
		}
	}
	return nil
}

// knows looks at a record that creates an object. If it creates the flight's command buffer, the creation is found
// (made). If it creates an encoder of the command buffer, the encoder becomes a key of the map, so that the
// encoder's records are stored too.
func (x *flight) knows(all flights, r *wire.Record) {
	switch rule := ruleOf(r.Call); {
	case rule.makes == wire.KindCommandBuffer:
		x.made = true
	case rule.makes == wire.KindEncoder && r.Object == x.id:
		all[wire.ObjectID(r.Arg)] = x
	}
}
