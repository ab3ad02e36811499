// Package steps finds the repeated steps of a run, such as the tokens of a language model, and the prompts before them:
// from marks and scopes of the program if it has them, else from the period with which its command buffers repeat.
package steps

import (
	"cmp"
	"slices"

	"mtrace/analyze"
)

// The kinds of phases.
const (
	Prompt = "prompt" // the input of a language model is processed: few steps with much work each
	Decode = "decode" // tokens are generated, one per step
	Loop   = "loop"   // equal steps, without a prompt before them
)

// The sources of phases.
const (
	FromMarks   = "marks"
	FromBuffers = "command buffers"
)

// A Phase is a range of the run in which steps of one kind follow each other.
type Phase struct {
	Kind, From string
	Queue      QueueID // of the command buffers; zero if From is FromMarks
	Label      string  // of the queue, or the name of the marks
	analyze.Interval
	CommandBuffers int // over all steps
	Steps          []Step
}

// A QueueID identifies a command queue in all ranges of a run.
type QueueID struct {
	PID   int
	Queue uint32
}

// A Step is one repetition. It lasts from the end of the previous step to its own end. The first step of a phase has
// no previous one and begins with its own work.
type Step struct {
	analyze.Interval
	First bool          // the first step of a phase: its length does not include the time before its work
	GPU   analyze.Nanos // time in which the GPU worked during the step
	Idle  analyze.Nanos // time in which the GPU was idle during the step
	Wait                // how the first part of Idle divides
}

// A Wait divides the time in which the GPU waits for the first command buffer of a step.
type Wait struct {
	Creation analyze.Nanos // until the program creates it
	Commit   analyze.Nanos // from then until the program commits that command buffer
	Start    analyze.Nanos // from that commit until the GPU begins it
}

// waitFor returns the parts of the time from begin until the GPU begins a command buffer.
func waitFor(begin analyze.Nanos, b *buffer) (w Wait) {
	part := func(until analyze.Nanos) analyze.Nanos {
		at := begin
		begin = min(max(begin, until), max(begin, b.gpu.Begin))
		return begin - at
	}
	w.Creation = part(b.created)
	w.Commit = part(b.committed)
	w.Start = part(b.gpu.Begin)
	return w
}

// Find returns the phases of repeated steps in a trace, sorted by begin; none if nothing repeats.
func Find(t *analyze.Trace) []Phase {
	s := NewSequences()
	s.Add(t)
	return s.Phases()
}

// Phases returns the phases of all ranges that were added, sorted by begin. Steps that the program marks take
// precedence over those found by repetition.
func (s *Sequences) Phases() []Phase {
	phases := s.marks.phases(s)
	if len(phases) == 0 {
		for _, id := range s.order {
			phases = append(phases, s.by[id].phases(id)...)
		}
	}
	slices.SortStableFunc(phases, func(a, b Phase) int { return cmp.Compare(a.Begin, b.Begin) })
	return phases
}

// Generates reports whether the phases show a language model that generates tokens.
func Generates(phases []Phase) bool {
	return slices.ContainsFunc(phases, func(p Phase) bool { return p.Kind == Decode })
}
