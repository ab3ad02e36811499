package summary

import "mtrace/analyze"

// Cycle divides the time of threads that have one command buffer at a time: they
// make the next only after the last has completed. From the first creation to
// the last completion of such a thread, the parts add up to its time exactly. In
// Start to Notify the thread's work is on its way; whether the thread waits then
// or does something else is not recorded, but it makes no new work.
type Cycle struct {
	Threads     int   `json:"threads"`     // that commit
	Synchronous int   `json:"synchronous"` // of these, one command buffer at a time
	Buffers     int   `json:"command_buffers"`
	EncodeNS    Nanos `json:"encode_ns"`  // creation to commit
	StartNS     Nanos `json:"start_ns"`   // commit to GPU start
	GPUNS       Nanos `json:"gpu_ns"`     // the GPU's work
	GapsNS      Nanos `json:"gaps_ns"`    // GPU start to end, without the GPU's work
	NotifyNS    Nanos `json:"notify_ns"`  // GPU end to completion
	BetweenNS   Nanos `json:"between_ns"` // completion to the next creation
}

// cycleLength is the fewest command buffers a thread must have to be judged.
const cycleLength = 10

// total is the time of the synchronous threads.
func (c *Cycle) total() Nanos {
	return c.EncodeNS + c.StartNS + c.GPUNS + c.GapsNS + c.NotifyNS + c.BetweenNS
}

// cycle finds the threads with one command buffer at a time. It needs the
// submissions, the GPU intervals and the completions.
func (m *modeller) cycle() *Cycle {
	byThread := map[*analyze.Thread][]*analyze.CommandBuffer{} // by creation, as the model has them
	for b := range m.trace.Buffers() {
		if t := b.Committed.Thread; t != nil && b.Created.Known() && m.inside(b.Committed.End) {
			byThread[t] = append(byThread[t], b)
		}
	}
	c := &Cycle{Threads: len(byThread)}
	for _, list := range byThread {
		c.add(list)
	}
	if c.Synchronous == 0 {
		return nil
	}
	return c
}

// add adds a thread's command buffers, by creation, if each was made after the
// one before had completed.
func (c *Cycle) add(list []*analyze.CommandBuffer) {
	if len(list) < cycleLength {
		return
	}
	for i, b := range list {
		if !b.GPU.Known() || b.GPU.Begin < b.Committed.End || b.Completed.Begin < b.GPU.End || i > 0 && b.Created.Begin < list[i-1].Completed.Begin {
			return
		}
	}
	c.Synchronous++
	c.Buffers += len(list)
	for i, b := range list {
		took := b.Took(b.GPU)
		c.EncodeNS += b.Committed.End - b.Created.Begin
		c.StartNS += b.GPU.Begin - b.Committed.End
		c.GPUNS += took
		c.GapsNS += b.GPU.Length() - took
		c.NotifyNS += b.Completed.Begin - b.GPU.End
		if i > 0 {
			c.BetweenNS += b.Created.Begin - list[i-1].Completed.Begin
		}
	}
}
