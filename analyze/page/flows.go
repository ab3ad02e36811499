package page

import (
	"cmp"
	"fmt"

	"mtrace/analyze"
	"mtrace/analyze/timeline"
)

// flows collects the command buffers that are drawn as arrows, from commit over GPU work to the return of the wait.
// If there are too many, every second one is dropped, repeatedly; one in `every` command buffers is then drawn.
type flows struct {
	list  []*flow
	by    map[bufferID]*flow
	every int64 // one of every `every` command buffers is stored
	count int64
}

type bufferID struct {
	process *analyze.Process
	id      uint32
}

type flow struct {
	number   int64
	of       bufferID
	label    string
	queue    string
	from, to *thread
	on       *gpuLane
	gpu      analyze.Interval
	wait     analyze.Interval // the first wait for it

	created, commit, scheduled, completed analyze.Nanos // 0 when not known
}

// mostFlows is the maximum number of arrows.
const mostFlows = 1 << 12

func newFlows() flows { return flows{by: map[bufferID]*flow{}, every: 1} }

// commit starts the flow of a command buffer that the thread `by` committed. It returns nil if this command buffer is
// not drawn.
func (f *flows) commit(b *analyze.CommandBuffer, by *thread) *flow {
	number := f.count
	f.count++
	if number%f.every != 0 || b.Process == nil {
		return nil
	}
	x := &flow{number: number, of: bufferID{b.Process, b.ID}, label: timeline.BufferName(b), from: by,
		created: b.Created.End, commit: b.Committed.End, scheduled: b.Scheduled, completed: b.Completed.Begin}
	if b.Queue != nil {
		x.queue = cmp.Or(b.Queue.Label, fmt.Sprintf("queue %d", b.Queue.ID))
	}
	f.list, f.by[x.of] = append(f.list, x), x
	if len(f.list) > mostFlows {
		f.thin()
	}
	return x
}

// thin drops every second arrow.
func (f *flows) thin() {
	f.every *= 2
	kept := f.list[:0]
	for _, x := range f.list {
		if x.number%f.every == 0 {
			kept = append(kept, x)
		} else {
			delete(f.by, x.of)
		}
	}
	clear(f.list[len(kept):])
	f.list = kept
}

// ran stores when the GPU first ran the command buffer, and on which lane. Later work of the command buffer is ignored.
// It does nothing for a nil flow, which is not drawn.
func (x *flow) ran(on *gpuLane, i analyze.Interval) {
	if x != nil && x.on == nil && on != nil {
		x.on, x.gpu = on, i
	}
}

// wake stores that a thread's wait for a command buffer returned. Only the first wait is drawn.
func (f *flows) wake(b *analyze.CommandBuffer, t *thread, wait analyze.Interval) {
	if x := f.by[bufferID{b.Process, b.ID}]; x != nil && x.to == nil {
		x.to, x.wait = t, wait
	}
}
