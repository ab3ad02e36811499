package analyze

import (
	"slices"
	"sync"

	"mtrace/collector/wire"
)

// survey reads the index and one column of each block of the file, and the records that later records refer to. Its
// result tells later loads of a range which blocks they can skip. It is done once per file.
func (f *File) survey() {
	streams, long := f.reader.Streams(), f.windowOf(Options{}).trace.Run.Length/longFlight
	f.blocks, f.calls, f.roles = make([][]surveyed, len(streams)), make([]int64, len(streams)), map[threadOfFile]roles{}
	var all sync.WaitGroup
	var gather sync.Mutex
	var flown []flight
	for i := range streams {
		all.Go(func() {
			of, found := f.surveyStream(i, long)
			gather.Lock()
			defer gather.Unlock()
			flown = append(flown, found...)
			for thread, shown := range of {
				f.roles[thread] |= shown
			}
		})
	}
	all.Wait()
	f.keepFlights(flown, long)
}

// surveyStream surveys one stream (the records of one ring buffer of the traced process). It returns the roles of the
// stream's threads, and the command buffers that were in flight for at least the time `long`.
func (f *File) surveyStream(i int, long Nanos) (of map[threadOfFile]roles, flown []flight) {
	st := f.reader.Streams()[i]
	of, now, clock := map[threadOfFile]roles{}, threadOfFile{}, (*converter)(nil)
	if processes := f.reader.Processes(); int(st.Process) < len(processes) {
		now = threadOfFile{processes[st.Process], lastThread(processes[st.Process], st.Ring)}
		clock = newConverter(processes[st.Process])
	}
	for k, b := range f.reader.Blocks(st) {
		block, some, shown, completes := surveyed{Block: b}, false, roles(0), false
		f.reader.Count(st, k, func(c wire.Call, n int64) {
			some, completes = some || c.Lasts(), completes || c == wire.CallCompleted
			shown |= ruleOf(c).roles
			if !ruleOf(c).note && c != wire.CallMore {
				f.calls[i] += n
			}
		})
		read := func(fn func([]wire.Record) error) error { return f.reader.ReadBlock(st, k, fn) }
		if some {
			_ = read(func(records []wire.Record) error { // the callback returns no error
				block.lasting = appendKept(block.lasting, records,
					func(r *wire.Record, _ *wire.More) bool { return r.Call.Lasts() })
				return nil
			})
		}
		now = surveyRoles(of, now, shown, &block, read)
		if completes && clock != nil {
			flown = append(flown, f.completions(i, k, clock, long)...)
		}
		f.blocks[i] = append(f.blocks[i], block)
	}
	return of, flown
}

// Calls returns the number of calls in the file that returned, made by the processes with these IDs; by all
// processes if pids is empty.
func (f *File) Calls(pids []int) (n int64) {
	f.once.Do(f.survey)
	for i, st := range f.reader.Streams() {
		if p := f.reader.Processes()[st.Process]; len(pids) == 0 || slices.Contains(pids, p.PID) {
			n += f.calls[i]
		}
	}
	return n
}
