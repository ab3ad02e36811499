package analyze

import (
	"cmp"
	"slices"

	"mtrace/collector/wire"
)

// A command buffer may be in flight (handed to the GPU, but not completed) for longer than what is read around a part.
// A part in the middle of that flight would not know of the command buffer at all, although the GPU works on it the
// whole time. So the survey finds such command buffers by the records of their completion, and keeps all of their
// records; every part then gets these records in addition to those it reads. Few programs have such command buffers:
// those with kernels that run as long as the program, for instance.

// flights holds the command buffers of a process that are in flight for long. Their encoders are keys too.
type flights map[wire.ObjectID]*flight

// A flight is the time from when a command buffer was handed to the GPU to its completion.
type flight struct {
	process int // in the file
	id      wire.ObjectID
	Interval
	made bool // the record of its creation was found
}

const (
	longFlight  = 256     // a flight is long if it takes at least this fraction (1/256) of the run
	mostFlights = 1 << 10 // of a file: the longest
	mostKept    = 1 << 16 // so many records are kept; after that, none of their encoders
)

// completions returns the command buffers that complete in a block after a long flight.
func (f *File) completions(stream, block int, clock *converter, long Nanos) (found []flight) {
	st := f.reader.Streams()[stream]
	_ = f.reader.ReadBlock(st, block, func(records []wire.Record) error { // of the function, which has none
		for i := 0; i+1 < len(records); i++ {
			r := &records[i]
			if r.Call != wire.CallCompleted || r.Flags&wire.HasMore == 0 || records[i+1].Call != wire.CallMore {
				continue
			}
			m := records[i+1].More()
			began := clock.ours(m.X0)
			if handed := clock.ours(m.X2); handed > 0 {
				began = min(began, handed)
			}
			if at := (Interval{began, clock.at(r.End)}); at.Known() && at.Length() >= long && at.Length() < longestTime {
				found = append(found, flight{process: int(st.Process), id: r.Object, Interval: at})
			}
		}
		return nil
	})
	return found
}

// keepFlights keeps the records of the longest flights that were found. Their command buffers were created shortly
// before the flight, or long before it.
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
		missing := slices.DeleteFunc(slices.Clone(found), func(x flight) bool { return f.flights[x.process][x.id].made })
		if len(missing) > 0 {
			f.keepRecords(missing, before)
		}
	}
}

// keepRecords keeps the records of these command buffers in flight. It looks in the blocks of their process from
// `before` ahead of each flight's begin to that begin, and in the block in which it completes.
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
				return x.process == int(st.Process) && (at.Begin <= x.Begin && at.End > x.Begin-before || at.holds(x.End))
			}) {
				continue
			}
			b.lasting = nil
			_ = f.reader.ReadBlock(st, k, func(records []wire.Record) error { // of the function, which has none
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

// of returns the flight that a record belongs to; nil when it belongs to none.
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

// knows notes the object that a record makes: the command buffer itself, or one of its encoders.
func (x *flight) knows(all flights, r *wire.Record) {
	switch rule := ruleOf(r.Call); {
	case rule.makes == wire.KindCommandBuffer:
		x.made = true
	case rule.makes == wire.KindEncoder && r.Object == x.id:
		all[wire.ObjectID(r.Arg)] = x
	}
}
