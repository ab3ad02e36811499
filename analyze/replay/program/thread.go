package program

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A Thread is one thread of the program with its steps. Its shares tell how it used its own time (outside of waits).
type Thread struct {
	Name    string
	Begin   analyze.Nanos // when its first step begins, relative to the begin of the program
	Early   analyze.Nanos // what Begin would be if the thread did not compile before its first command buffer
	Steps   []Step
	Details []Detail // the details of Steps, by the same index
	Jobs    []int32  // the command buffers that it commits, in order

	InGaps  []Portion                    // calls, as shares of its own time
	InCalls [analyze.PartCount][]Portion // calls by part of a thread's time, as shares of the costs of steps
	Busy    float64                      // share of its own time that it is on a processor
	// Lasts is true if the thread takes part in at least half of the run and commits more than 1% of all command
	// buffers.
	Lasts bool
	// Paces is true if Lasts is true and the thread either is a stage of a pipeline or commits at least
	// policy.LargeShare of what a thread with Lasts commits on average. The replay ends soon after a pacing thread ends.
	Paces bool
	Line  int32 // the pipeline of which it is a stage, from 1 on; 0 for none

	Quiet float64 // share of its own time that would be left if no other process wanted the processors
	Free  float64 // like Quiet, with a processor for every thread
	// Remaining is the share of its recorded own time that was left when removeDelays had subtracted the waits for
	// processors, which the simulated machine adds again.
	Remaining float64
}

// Undelayed returns the share of a thread's own time that remains without its waits for processors. Interventions that
// remove hand-offs between threads multiply the own time by it. The simulated machine then adds such waits where they
// still occur.
func (t *Thread) Undelayed() float64 { return min(1, t.Quiet/t.Remaining) }

// Undisturbed returns the share of a thread's own time that remains if it always has a processor of its own.
func (t *Thread) Undisturbed() float64 { return min(1, t.Free/t.Remaining) }

// Has reports whether the thread has a step of kind k.
func (t *Thread) Has(k Kind) bool {
	return slices.ContainsFunc(t.Steps, func(s Step) bool { return s.Kind == k })
}

// Add appends a step together with its detail; Steps and Details must stay of the same length.
func (t *Thread) Add(s Step, d Detail) { t.Steps, t.Details = append(t.Steps, s), append(t.Details, d) }

// Kind is the kind of a step.
type Kind uint8

// The kinds of steps. Their order matters: for a prediction's confidence interval, the recorded durations before steps
// of the kinds up to Lock are resampled (see resample in package replay), those of later kinds are not.
const (
	Acquire     Kind = iota // creates a command buffer, which takes a slot in its queue
	Enqueue                 // gives a command buffer its position in the queue before it is committed
	Commit                  // commits a command buffer
	Wait                    // waits for a command buffer of the thread itself
	WaitOther               // waits for another thread's command buffer
	Compile                 // compiles a library or a pipeline state
	Lock                    // acquires a lock
	SetEvent                // sets a shared event to a value
	Request                 // sends work to the serving thread and waits for the answer
	Serve                   // the serving thread waits for the next request
	Answer                  // the serving thread answers a request
	Signal                  // gives a signal that other threads wait for
	AwaitSignal             // waits for a signal
	Unlock                  // releases a lock
	Paced                   // waits for input, or for the display, which has a pace of its own
	Nothing                 // takes no time: a step that an intervention removed
	Skip                    // takes no time, and its command buffer counts as done: a commit that an intervention removed
)

// WorksForGPU reports whether a step of this kind belongs to the life of a command buffer: from its creation, or the
// request for it, to the end of the wait for it.
func (k Kind) WorksForGPU() bool {
	switch k {
	case Acquire, Enqueue, Commit, Wait, WaitOther, SetEvent, Request, Serve, Answer:
		return true
	}
	return false
}

// Links reports whether a step of this kind only connects threads and is no recorded call.
func (k Kind) Links() bool { return k == Signal || k == AwaitSignal || k == Unlock }

// Unknown is the Job of a wait step if the trace does not show for which command buffer the thread waited.
const (
	Unknown int32 = -1 // such a wait takes its recorded time
)

// NotRecorded is the Notify of a wait for another thread's command buffer that had completed before the wait began.
const NotRecorded analyze.Nanos = -1

// A Step is a stretch of the thread's own time (Gap), followed by a call that takes Cost and may block. It must fit
// into one cache line, because runs read millions of steps.
type Step struct {
	Kind     Kind
	Barrier  bool  // Wait: for an empty command buffer, in fact for other threads' work before it in the queue
	Contends bool  // Commit: other threads' commits to the same GPU wait for it
	Unlocks  bool  // Lock: an Unlock step of the thread releases the lock; if false, it is released after Hold
	Job      int32 // index of the command buffer, or Unknown
	Lock     int32 // Lock, Unlock, and Commit that contends: the lock's number; 0 is none
	Number   int32 // SetEvent: the value; Request, Serve, Answer: the request; Signal, AwaitSignal: the signal

	Gap    analyze.Nanos
	Asleep analyze.Nanos // first part of Gap, in which the thread waits for work from other threads
	// Time that the call takes. For a Paced step, whose source delivers input or frames at its own pace, it is the time
	// from the source's previous delivery to this one. For the first delivery, it is the time from the step's begin.
	Cost analyze.Nanos
	// Lock, and Commit that contends: how long the lock is held. Paced: how far the thread may lag behind the source and
	// still catch up, because a display does not show a missed frame later; 0 means no limit, as for input in a pipe.
	Hold     analyze.Nanos
	Notify   analyze.Nanos // waits: from the completion to the end of the wait, or NotRecorded
	Handlers analyze.Nanos // waits: the part of Notify due to completion handlers
}

// A Detail has recorded data of a step that only interventions need, not the simulated machine.
type Detail struct {
	Solo     analyze.Nanos // Commit: its cost if no other thread delays it
	Unlocked analyze.Nanos // what Gap would be if there were no locks to wait for
	Encode   analyze.Nanos // part of Gap that is encoding, or that is between a commit and the wait for it
	Turn     analyze.Nanos // part of Gap in which another thread waited for the GPU
	Nested   analyze.Nanos // part of the cost that was spent waiting for locks
	Waited   analyze.Nanos // waits: the time until the completion
	HeldUp   analyze.Nanos // Lock: part of its wait that is attributed to the lock
	// share of Gap, and of a wait for a lock, that is a consequence of needless waits for other threads' work
	Needless  float64
	Allocates float64 // share of Gap in which the thread allocates or frees memory
	NamedLock int32   // Lock: the number of the named lock, from 1 on; 0 is none
	// Number of a named lock, from 1 on; 0 is none. It is set if the thread waited for this lock and for no other lock
	// between the last call before the step and the next call after it, not counting waits for locks.
	OnlyLock     int32
	Polls        bool // waits: the thread polled instead of being woken
	InHandler    bool // the step's Gap is spent in a completion handler of the program
	GuardsServer bool // Lock: the lock protects the requests to the serving thread
	Turns        bool // Lock: a wait for the thread's turn to use the GPU, in which the thread may have spun
}

// OwnWork returns the time of a step in which the thread itself works. It leaves out waits whose length the replay
// computes.
func (s *Step) OwnWork(d *Detail) analyze.Nanos {
	awake := s.Gap - s.Asleep
	switch s.Kind {
	case Acquire, Enqueue:
		return awake + s.Cost
	case Commit:
		return awake + d.Solo
	}
	return awake
}

// Blocked returns the recorded time of a step in which the thread waits for events whose time the replay computes.
func (s *Step) Blocked(d *Detail) analyze.Nanos {
	switch s.Kind {
	case Wait, WaitOther, Request, Serve, AwaitSignal, Paced:
		return s.Asleep + d.Waited
	case Lock, Compile:
		return s.Asleep + s.Cost
	case Commit:
		return s.Asleep + d.Nested
	}
	return s.Asleep
}

// OwnTime returns the thread's own time in its first n steps.
func (t *Thread) OwnTime(n int) (sum analyze.Nanos) {
	for i := range t.Steps[:n] {
		sum += t.Steps[i].OwnWork(&t.Details[i])
	}
	return sum
}

// RoundTrips reports whether the thread nearly always waits for its last commit and so has nothing in flight after
// the wait. A thread that signals another thread after the wait does not count: with more rounds in flight, it would
// signal too early.
func (t *Thread) RoundTrips() bool {
	last, waits, rounds, told := Unknown, 0, 0, 0
	waited := false
	for i := range t.Steps {
		switch s := &t.Steps[i]; {
		case s.Kind == Commit:
			last = s.Job
		case s.Kind == Wait:
			if waits++; s.Job == last && last != Unknown {
				rounds++
				waited = true
			}
			continue
		case waited && (s.Kind == Signal || s.Kind == Answer):
			told++
		}
		waited = false
	}
	return rounds >= policy.FewestSamples.Count() && policy.NearlyAll(rounds, waits) &&
		!policy.AtLeast(policy.Majority, told,
			rounds)
}
