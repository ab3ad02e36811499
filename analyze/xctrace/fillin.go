package xctrace

import (
	"cmp"
	"slices"

	"mtrace/analyze"
)

// fillIn creates submissions and encoders from the table metal-application-intervals, which contains both, if their
// own tables are missing. Their own tables may be missing because xctrace sometimes fails to export a table.
func (r *Recording) fillIn() {
	submissions, encoders := len(r.Commands.Submissions) == 0, len(r.Commands.Encoders) == 0
	count := map[BufferID]uint64{}
	time := map[BufferID]analyze.Nanos{}
	for i := range r.Commands.Application {
		a := &r.Commands.Application[i]
		if a.Encoder == 0 {
			continue
		}
		count[a.CommandBuffer]++
		time[a.CommandBuffer] += a.Duration
		if encoders {
			r.Commands.FilledIn = true
			r.Commands.Encoders = append(r.Commands.Encoders, EncoderInterval{Start: a.Start, Duration: a.Duration,
				Thread:  a.Thread,
				Process: a.Process,
				Label:   a.Label, CommandBuffer: a.CommandBuffer, Encoder: a.Encoder})
		}
	}
	for i := range r.Commands.Application {
		if a := &r.Commands.Application[i]; a.Encoder == 0 && submissions {
			r.Commands.FilledIn = true
			r.Commands.Submissions = append(r.Commands.Submissions, Submission{Start: a.Start, Duration: a.Duration,
				Thread:  a.Thread,
				Process: a.Process,
				Label:   a.Label, CommandBuffer: a.CommandBuffer, Encoders: count[a.CommandBuffer],
				EncoderTime: time[a.CommandBuffer]})
		}
	}
}

// attributeIntervals finds the process of each GPU interval if the table has no column for the process. The interval's
// label may name the process. Otherwise it is the process that submitted a command buffer with the interval's command
// buffer number, unless several processes submitted one with that number.
func (r *Recording) attributeIntervals() {
	const schema = "metal-gpu-intervals"
	t := r.table(schema)
	if t == nil || slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Mnemonic == "process" }) {
		return
	}
	submitters := map[BufferID]ProcessIndex{} // ProcessIndex 0 means that several processes use the number
	for i := range r.Commands.Submissions {
		b := &r.Commands.Submissions[i]
		if known, ok := submitters[b.CommandBuffer]; ok && known != b.Process {
			submitters[b.CommandBuffer] = 0
		} else {
			submitters[b.CommandBuffer] = b.Process
		}
	}
	for i := range r.GPU.Intervals {
		g := &r.GPU.Intervals[i]
		if g.Process == 0 {
			g.Process = g.LabelProcess
		}
		if g.Process == 0 && g.CommandBuffer != 0 {
			g.Process = submitters[g.CommandBuffer]
		}
	}
}

// pairSignposts makes intervals from the begin and end events of os-signpost, if the recording has no table of
// intervals. An end belongs to the last begin with the same process, name and identifier; events without a counterpart
// are dropped. There may be one table of signposts per category. An event that is in several tables counts once.
func (r *Recording) pairSignposts() {
	if len(r.CPU.Signposts) > 0 {
		return
	}
	type key struct {
		process          ProcessIndex
		name, identifier TextIndex
		subsystem        TextIndex
	}
	order := make([]*SignpostEvent, len(r.CPU.Marks))
	for i := range r.CPU.Marks {
		order[i] = &r.CPU.Marks[i]
	}
	slices.SortStableFunc(order, func(a, b *SignpostEvent) int { return cmp.Compare(a.Time, b.Time) })
	open, last := map[key][]*SignpostEvent{}, map[key]*SignpostEvent{}
	for _, e := range order {
		k := key{e.Process, e.Name, e.Identifier, e.Subsystem}
		if before := last[k]; before != nil && before.Time == e.Time && before.Type == e.Type {
			continue
		}
		last[k] = e
		switch r.Text(e.Type) {
		case "Begin":
			open[k] = append(open[k], e)
		case "End":
			n := len(open[k])
			if n == 0 {
				continue
			}
			begin := open[k][n-1]
			open[k] = open[k][:n-1]
			r.CPU.Signposts = append(r.CPU.Signposts, SignpostInterval{Start: begin.Time, Duration: e.Time - begin.Time,
				Name: begin.Name, Category: begin.Category,
				Subsystem: begin.Subsystem, Message: begin.Message, Process: begin.Process, Thread: begin.Thread})
		}
	}
}
