// Package program describes a recorded program in the form in which a machine can run it again: threads with their
// steps, command buffers, queues, GPUs, locks and signals. A program is complete when it is built and constant
// afterwards. Interventions change copies of it.
package program

import (
	"iter"
	"slices"

	"mtrace/analyze"
)

// A Program is the input of a replay: everything that the simulated machine runs, with those properties of the recorded
// computer on which the run depends. Threads, jobs, queues and devices refer to each other by their index in these
// lists.
type Program struct {
	Threads []Thread
	Jobs    []Job // command buffers
	Queues  []Queue
	Devices []Device
	// The number of locks whose waits depend on the lock's holder, plus one for lock 0: a wait for lock 0 takes its
	// recorded time.
	Locks   int
	Events  int   // number of times that threads set shared events; each setting has a number
	Signals []int // by signal: the number of threads that must give it before the waiting threads continue
	Service Service
	Newest  Newest
	Barrier Barrier

	Processors Processors
	Framework  Framework
	HandOffs   HandOffs

	Recorded []Progress // by thread, in the recorded run
	Lasted   analyze.Nanos
	Names    Names
	// costs of Names.Kernels, by the same index
	KernelCosts []KernelCost
	Pools       [][]int32 // groups of threads that take their work from the same object
	FedByStages bool      // most of the time that threads wait for items, they wait for stages of their pipeline
	// threads wait for command buffers without a recorded call, for example by polling; only their next steps show the
	// wait
	Polls bool
	Tied  bool // waits for other threads' signals end when the signal is given, not after the recorded time
	// The share of a thread's own time (without encoding) that is spent per command buffer, whatever number of kernels
	// the command buffer has.
	LaunchShare float64
}

// A Queue is a command queue.
type Queue struct {
	Capacity int // number of uncompleted command buffers that it allows
	Device   int
	AtOnce   int  // number of its command buffers that the GPU runs at the same time
	Limited  bool // AtOnce is known to be the maximum, and not only the observed number
}

// Unlimited stands for "any number" of command buffers in a queue or at once on a GPU; no program reaches it.
const Unlimited = 1 << 30

// A Device is a GPU.
type Device struct {
	Engines  int     // number of command buffers that it runs at the same time
	Limited  bool    // Engines is known to be the maximum, and not only the observed number
	Crowding float64 // how much longer a command buffer takes for each concurrent one, as a share of its time alone
}

// A Service describes a program in which one thread, or a pool of threads, receives requests from other threads,
// submits their work, and answers.
type Service struct {
	Servers  []int32 // the threads that submit for others
	Requests int     // 0: no thread submits for others
	Batched  bool    // most answers are given together
}

// A Barrier is the group of threads that pass a barrier again and again.
type Barrier struct {
	Threads []int32 // empty if there is no barrier
	Rotates bool    // the threads arrive last in turn, in a recurring order
}

// Newest is a rule for waits for another thread's work: the thread waits for the last command buffer that the other
// thread has committed, or for an earlier one (Before). Known is true if the recorded waits follow such a rule. In a
// changed program the last command buffer may be another one than in the recording. The replay therefore applies the
// rule and does not wait for the recorded command buffer.
type Newest struct {
	Known      bool
	AsOfCommit bool          // the newest at the time of the waiting thread's own commit, not at the begin of its wait
	Before     int           // 0 for the newest command buffer, 1 for the one before it, and so on
	Notify     analyze.Nanos // from the GPU's end to the end of the wait, for waits that have no recorded one
}

// Processors describes the processors that the threads, Metal's own threads and perhaps the GPU's work share. If
// Count is 0, their use is not recorded, and nothing waits for a processor.
type Processors struct {
	Count        int
	Used         float64 // number of them that the program used on average
	Scattered    float64 // share of the bursts of work that the system does not give to the least busy processor
	RunGPU       bool    // the GPU's work is done on them
	Waking       float64 // share of a burst's work that is saved if the thread is already awake
	Interrupting float64 // part of Waking that is saved if no processor needs to be woken
}

// Framework is the processor time that Metal's own threads spend on a command buffer.
type Framework struct {
	Time  analyze.Nanos // for a command buffer that is not queued behind other work; a queued one takes half of it
	After analyze.Nanos // part of Time between the GPU's end and the completion
}

// Names has the names of kernels, calls and locks; portions and steps refer to them by index.
type Names struct{ Kernels, Calls, Locks []string }

// A KernelCost tells how well the cost of a kernel is known if the kernel shares command buffers with others.
type KernelCost struct {
	Low, High  float64 // bounds, as multiples of its assigned share
	Identified bool    // the trace determines the cost; if false, nothing is predicted for the kernel
	// Polls is true if the kernel, while it runs, waits for work of another queue, or if another queue's kernel waits
	// for it. The replay does not model such waits, so nothing is predicted for the kernel.
	Polls bool
}

// A Buffer has the memory for a copy of a program, which saves allocations if many copies are made one after the
// other. A new copy in the buffer overwrites the previous one.
type Buffer struct {
	jobs    []Job
	threads []Thread
	steps   []Step
	queues  []Queue
	devices []Device
}

// CopyInto returns a copy in the memory of the buffer. Its threads, steps, command buffers, queues and devices may be
// changed, but not the steps' Details, which it shares with the original.
func (p *Program) CopyInto(b *Buffer) *Program {
	q := *p
	q.Jobs, q.Threads = refill(&b.jobs, p.Jobs), refill(&b.threads, p.Threads)
	q.Queues, q.Devices = refill(&b.queues, p.Queues), refill(&b.devices, p.Devices)
	steps := 0
	for t := range p.Threads {
		steps += len(p.Threads[t].Steps)
	}
	b.steps = slices.Grow(b.steps[:0], steps)
	for t := range p.Threads {
		b.steps = append(b.steps, p.Threads[t].Steps...)
	}
	begin := 0
	for t := range q.Threads {
		end := begin + len(p.Threads[t].Steps)
		q.Threads[t].Steps = b.steps[begin:end:end]
		begin = end
	}
	return &q
}

// refill copies a list into a buffer and returns the copy. Its capacity is clipped, so that appending to the copy
// allocates instead of writing into memory that the buffer uses again.
func refill[T any](buffer *[]T, with []T) []T {
	*buffer = append((*buffer)[:0], with...)
	return slices.Clip(*buffer)
}

// Copy returns a copy of the program in memory of its own, which no later copy overwrites. The steps' Details are
// shared with the original and must not be changed.
func (p *Program) Copy() *Program { return p.CopyInto(&Buffer{}) }

// Clone returns a copy of the program in which everything may be changed, the steps' Details too.
func (p *Program) Clone() *Program {
	q := p.Copy()
	for t := range q.Threads {
		q.Threads[t].Details = slices.Clone(q.Threads[t].Details)
	}
	return q
}

// Steps yields the steps of all threads, each with its thread.
func (p *Program) Steps() iter.Seq2[*Thread, *Step] {
	return func(yield func(*Thread, *Step) bool) {
		for t := range p.Threads {
			th := &p.Threads[t]
			for i := range th.Steps {
				if !yield(th, &th.Steps[i]) {
					return
				}
			}
		}
	}
}

// ShareFramework divides Metal's processor time for a command buffer into a half before and a half after the GPU's
// work. Neither half may be longer than the hand-off that contains it, so ShareFramework must be called again
// whenever hand-offs change.
func (p *Program) ShareFramework() {
	half := p.Framework.Time / 2
	p.Framework.After = min(half, p.HandOffs.UsualNotify)
	for i := range p.Jobs {
		j := &p.Jobs[i]
		j.Submit = min(half, j.Latency+j.ExternalDelay)
	}
}
