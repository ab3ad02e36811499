package timeline

import "mtrace/analyze"

// A trackFile declares the tracks of a timeline and writes to them.
type trackFile struct {
	out       format
	count     trackID // how many tracks were declared
	processes map[*analyze.Process]trackID
	threads   map[*analyze.Thread]trackID
	described slice // the slice of the last call, reused
}

func newTrackFile(out format) *trackFile {
	return &trackFile{out: out, processes: map[*analyze.Process]trackID{}, threads: map[*analyze.Thread]trackID{}}
}

// declare adds a track to the file and returns its number.
func (f *trackFile) declare(t track) trackID {
	f.count++
	t.id = f.count
	f.out.declare(t)
	return t.id
}

// process returns the track of a process. At the first call for a process it declares the track.
func (f *trackFile) process(p *analyze.Process) trackID {
	id, known := f.processes[p]
	if !known {
		id = f.declare(track{process: p, name: p.Program})
		f.processes[p] = id
	}
	return id
}

// thread returns the track of a thread. At the first call for a thread it declares the track under that name.
func (f *trackFile) thread(t *analyze.Thread, name string) trackID {
	id, known := f.threads[t]
	if !known {
		id = f.declare(track{parent: f.process(t.Process), process: t.Process, thread: t, name: name})
		f.threads[t] = id
	}
	return id
}

// flowOf returns the number of a command buffer's arrow. It is never 0, because numbers of command buffers begin with
// 1.
func (f *trackFile) flowOf(p *analyze.Process, id uint32) uint64 {
	return uint64(f.process(p))<<32 | uint64(id)
}

// arrowFromCommit draws an arrow from a command buffer's commit to the time `end` on the track `to`.
func (f *trackFile) arrowFromCommit(b *analyze.CommandBuffer, to trackID, end analyze.Nanos) {
	out, is := f.out.(arrower)
	if !is {
		return
	}
	if from := f.threads[b.Committed.Thread]; from != 0 && b.Committed.Known() && end >= b.Committed.Begin {
		out.arrow("command buffer", from, b.Committed.Begin, to, end)
	}
}

// laneAt returns the track of the first lane that is free when the interval i begins, and occupies the lane until the
// end of i. If no lane is free, it adds one.
func (f *trackFile) laneAt(lanes *[]*lane, on track, i analyze.Interval) trackID {
	l := freeLane(*lanes, i.Begin)
	if l == nil {
		l = &lane{track: f.declare(on)}
		*lanes = append(*lanes, l)
	}
	l.until = i.End
	return l.track
}
