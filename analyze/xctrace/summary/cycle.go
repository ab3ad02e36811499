package summary

import (
	"cmp"
	"slices"

	"mtrace/analyze/xctrace"
)

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
	GPUNS       Nanos `json:"gpu_ns"`     // GPU start to end
	NotifyNS    Nanos `json:"notify_ns"`  // GPU end to completion
	BetweenNS   Nanos `json:"between_ns"` // completion to the next creation
}

// cycleLength is the fewest command buffers a thread must have to be judged.
const cycleLength = 10

// total is the time of the synchronous threads.
func (c *Cycle) total() Nanos {
	return c.EncodeNS + c.StartNS + c.GPUNS + c.NotifyNS + c.BetweenNS
}

// cycle finds the threads with one command buffer at a time. It needs the
// submissions, the GPU intervals and the completions.
func (s *scope) cycle(buffers map[xctrace.BufferID]*buffer) *Cycle {
	byThread := map[xctrace.ThreadIndex][]*buffer{}
	for _, b := range buffers {
		if b.submission.Thread != 0 {
			byThread[b.submission.Thread] = append(byThread[b.submission.Thread], b)
		}
	}
	c := &Cycle{Threads: len(byThread)}
	for _, list := range byThread {
		slices.SortFunc(list, func(a, b *buffer) int { return cmp.Compare(a.submission.Start, b.submission.Start) })
		c.add(list)
	}
	if c.Synchronous == 0 {
		return nil
	}
	return c
}

// add adds a thread's command buffers, by creation, if each was made after the
// one before had completed.
func (c *Cycle) add(list []*buffer) {
	if len(list) < cycleLength {
		return
	}
	for i, b := range list {
		commit := b.submission.Start + b.submission.Duration
		if !b.gpu || b.gpuStart < commit || b.completed < b.gpuEnd || i > 0 && b.submission.Start < list[i-1].completed {
			return
		}
	}
	c.Synchronous++
	c.Buffers += len(list)
	for i, b := range list {
		commit := b.submission.Start + b.submission.Duration
		c.EncodeNS += b.submission.Duration
		c.StartNS += b.gpuStart - commit
		c.GPUNS += b.gpuEnd - b.gpuStart
		c.NotifyNS += b.completed - b.gpuEnd
		if i > 0 {
			c.BetweenNS += b.submission.Start - list[i-1].completed
		}
	}
}
