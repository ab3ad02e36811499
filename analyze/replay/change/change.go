// Package change has the interventions: functions that rewrite a program, before the machine runs it, to remove a cause
// or to make something faster.
package change

import (
	"cmp"

	"mtrace/analyze"
	"mtrace/analyze/replay/program"
)

// A Change names the interventions (see Intervention) that a replay applies to a program. The zero Change leaves a
// program as recorded. Changes can be compared with == and used as map keys.
type Change struct {
	CrossThread   bool   // no waits for other threads' command buffers
	Depth         bool   // queues of unlimited depth
	Compile       bool   // no compilation, which uses processors in a process of its own
	Allocate      bool   // no allocating and freeing of memory
	Events        bool   // no waits for events on the GPU
	Head          bool   // no waits for command buffers that are enqueued and not committed
	Handlers      bool   // completion handlers that take no time
	Polls         bool   // threads that poll for completions are woken by them
	Launch        bool   // the same work in 1/16 of the command buffers
	Turns         bool   // no waits, outside of Metal, for another thread that waits for the GPU
	Locks         bool   // no waits for locks, recorded or hidden in commits
	GPU           bool   // a GPU that runs everything at once
	Apart         bool   // threads that submit for themselves what one thread submitted for them
	Cores         bool   // a processor for every thread's own work
	SpareCapacity bool   // GPUs and queues that are not known to be limited run everything at once
	Overlap       bool   // Room also for queues whose command buffers wait for events
	Lines         bool   // a queue for each command buffer
	NoExternalUse bool   // GPUs that no other program uses
	Fed           bool   // threads never wait for work from other threads
	Even          bool   // the work that threads do before they reach a barrier is distributed evenly
	Scale         *Scale // factors for the duration of kernels, calls and others; nil means none
	Added         *Added // a delay that is added in some places; nil means none
}

// OnlyFaster reports whether the Change only changes how long work takes, and removes no cause of waiting. Hand-offs
// between threads then wait for processors as long as recorded.
func (c Change) OnlyFaster() bool {
	c.SpareCapacity, c.Overlap, c.Scale = false, false, nil
	return c == Change{}
}

// ShortensWork reports whether the Change shortens a thread's work or its waits for the GPU. Other threads that wait
// for that thread, or for a lock that it holds, must then wait less, too. So the replay needs a tied program, in which
// such waits depend on the other thread. ShortensWork returns false if the Change removes such waits anyway.
func (c Change) ShortensWork() bool {
	removesWaits := c.Turns || c.Locks || c.Fed || c.Apart
	return !removesWaits &&
		(c.Compile || c.Allocate || c.Handlers || c.Launch || c.Polls || c.Events || c.Depth)
}

// Both returns the Change with the interventions of c and d. If both have a Scale or an Added, that of c is used.
func (c Change) Both(d Change) Change {
	return Change{
		CrossThread: c.CrossThread || d.CrossThread, Depth: c.Depth || d.Depth, Compile: c.Compile || d.Compile,
		Allocate: c.Allocate || d.Allocate, Events: c.Events || d.Events, Head: c.Head || d.Head,
		Handlers: c.Handlers || d.Handlers, Launch: c.Launch || d.Launch, Turns: c.Turns || d.Turns,
		Locks: c.Locks || d.Locks, GPU: c.GPU || d.GPU, Apart: c.Apart || d.Apart, Cores: c.Cores || d.Cores,
		SpareCapacity: c.SpareCapacity || d.SpareCapacity, Overlap: c.Overlap || d.Overlap, Lines: c.Lines || d.Lines,
		NoExternalUse: c.NoExternalUse || d.NoExternalUse, Fed: c.Fed || d.Fed, Even: c.Even ||
			d.Even, Scale: cmp.Or(c.Scale, d.Scale),
		Added: cmp.Or(c.Added, d.Added), Polls: c.Polls || d.Polls,
	}
}

// An Intervention rewrites a program in place. It must get a copy, because other replays use the original.
type Intervention func(*program.Program)

// Apply returns a copy of the program with the interventions of c. Its hand-offs last as long as they do at density
// d.
func (c Change) Apply(p *program.Program, d *Density) *program.Program {
	return c.ApplyIn(&program.Buffer{}, p, d)
}

// ApplyIn does the same as Apply in the memory of buffer b, which saves allocations when many programs are replayed.
func (c Change) ApplyIn(b *program.Buffer, p *program.Program, d *Density) *program.Program {
	if (c == Change{}) && d.none() {
		return p
	}
	q := p.CopyInto(b)
	for _, rewrite := range c.interventions(d) {
		rewrite(q)
	}
	return q
}

// interventions returns the functions that rewrite the program for this Change, in the order in which they must be
// applied. First come those that move work between threads, then those that change threads' own times, hand-offs and
// the durations of items, and at last those that change processors, GPUs and queues.
func (c Change) interventions(d *Density) (list []Intervention) {
	for _, row := range []struct {
		named   bool
		rewrite Intervention
	}{
		{c.Apart, submitApart},
		{c.Fed, deal},
		{c.Locks, freeLocks},
		{c.CrossThread, waitForOwnOnly},
		{c.Fed, feed},
		{c.Even, shareEvenly},
		{c.Turns, takeNoTurns},
		{c.Allocate, allocateNothing},
		{c.Compile, compileNothing},
		{!d.none(), d.apply},
		{c.Launch, launchFewer},
		{c.NoExternalUse, useGPUAlone},
		{c.Scale != nil, c.Scale.apply},
		{c.Added != nil, c.Added.apply},
		{c.Cores, addProcessors},
		{c.Events && !c.Overlap, keepQueuesSerial},
		{c.Events, ignoreEvents},
		{c.Head, ignoreEnqueues},
		{c.Handlers, emptyHandlers},
		{c.Polls, wakePollers},
		{c.Depth, deepenQueues},
		{c.SpareCapacity, addRoom},
		{c.GPU, widenGPU},
		{c.Lines, splitQueues},
	} {
		if row.named {
			list = append(list, row.rewrite)
		}
	}
	return list
}

// shorten subtracts a time from a step's gap, the time before the step; the gap does not become negative.
func shorten(s *program.Step, by analyze.Nanos) { s.Gap = max(0, s.Gap-by) }

// eachStep calls rewrite for each step of each thread.
func eachStep(p *program.Program, rewrite func(*program.Thread, *program.Step, *program.Detail)) {
	for t := range p.Threads {
		th := &p.Threads[t]
		for i := range th.Steps {
			rewrite(th, &th.Steps[i], &th.Details[i])
		}
	}
}
