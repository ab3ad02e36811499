package timeline

import (
	"cmp"
	"slices"

	"mtrace/analyze"
)

// channels writes the GPU work of command buffers for which the trace has the rows of the GPU's channels: one track
// per channel with its rows. A command buffer's arrow leads to its first row.
func (f *trackFile) channels(of *queueTracks, buffers []*analyze.CommandBuffer) {
	type row struct {
		analyze.GPUWork
		buffer *analyze.CommandBuffer
		first  bool
	}
	by := map[string][]row{}
	var names []string
	for _, b := range buffers {
		for i, work := range b.Rows {
			if by[work.Channel] == nil {
				names = append(names, work.Channel)
			}
			by[work.Channel] = append(by[work.Channel], row{work, b, i == 0})
		}
	}
	slices.Sort(names)
	for _, channel := range names {
		rows := by[channel]
		slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.Begin, b.Begin) })
		on := of.onGPU
		on.name += ", " + cmp.Or(channel, "channel not known")
		lanes := of.channels[channel]
		for _, r := range rows {
			s := slice{Interval: r.Interval, track: f.laneAt(&lanes, on, r.Interval),
				name: cmp.Or(r.Label, BufferName(r.buffer)), category: "gpu"}
			s.say(arg{name: "command buffer", value: uint64(r.buffer.ID)})
			if t := r.buffer.Committed.Thread; t != nil {
				s.say(arg{name: "committed by thread", value: uint64(t.ID)})
			}
			if r.first && r.buffer.Process != nil {
				s.flows = []uint64{f.flowOf(r.buffer.Process, r.buffer.ID)}
			}
			f.out.begin(&s)
			f.out.end(s.track, s.End, 0)
			if r.first {
				f.arrowFromCommit(r.buffer, s.track, s.Begin)
			}
		}
		of.channels[channel] = lanes
	}
}
