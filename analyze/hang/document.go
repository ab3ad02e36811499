package hang

import (
	"mtrace/analyze"
)

// A Document is a Report in its output form, which is written as JSON and text and has no references to the trace.
type Document struct {
	Hangs  []HungProcess `json:"hangs"`  // processes that stopped making progress; empty if none did
	Pauses []Waiting     `json:"pauses"` // processes without progress at the end that do not hang
}

// A HungProcess is a process that hangs, with its stuck threads and the state of its queues.
type HungProcess struct {
	PID     int    `json:"pid"`
	Program string `json:"program"`
	Kind    Kind   `json:"kind"`
	SinceNS int64  `json:"since_ns"` // the last progress, relative to the begin of the trace
	ForNS   int64  `json:"for_ns"`   // from since_ns to the end of the process, or of the recording
	Last    string `json:"last_progress"`
	// how many of the process's command buffers had completed, and how many of these failed
	Completed int           `json:"completed"`
	Failed    int           `json:"failed"`
	Why       string        `json:"why"`
	Threads   []StuckThread `json:"threads"`
	Queues    []HungQueue   `json:"queues"`
}

// A StuckThread is a thread inside a call that has not returned.
type StuckThread struct {
	TID     uint64      `json:"tid"`
	Name    string      `json:"name"`
	Call    string      `json:"call"`
	SinceNS int64       `json:"since_ns"`
	ForNS   int64       `json:"for_ns"`
	Polls   int         `json:"polls,omitempty"` // how often the thread called, if it polls in a loop
	Kind    Kind        `json:"kind"`            // the end of its chain of waits; empty if that is not known
	Chain   []ChainStep `json:"chain"`           // the thread waits for the first element; each element waits for the next
	Stack   []string    `json:"stack"`           // innermost first; empty when stacks were not recorded

	input bool // it waits for input
}

// A ChainStep is one object in a chain of waits (a lock, a thread, a command buffer) and what is known about it.
type ChainStep struct {
	What string `json:"what"`
	Text string `json:"text"`
}

// A HungQueue tells how far the command buffers of a queue got. They are numbered within their process; 0 means none.
type HungQueue struct {
	Name        string `json:"name"`
	Completed   uint32 `json:"last_completed"`
	CompletedNS int64  `json:"last_completed_ns"` // relative to the begin of the trace
	// The command buffer with the latest known start on the GPU. The trace gets GPU times at completion, so a command
	// buffer that still runs is never listed here.
	Started     uint32 `json:"last_started"`
	Outstanding int    `json:"outstanding"` // committed and not completed
	Uncommitted int    `json:"uncommitted"` // created and not committed
}

// Waiting is a process that made no progress at the end of the trace but does not hang: its threads wait for work.
type Waiting struct {
	PID     int           `json:"pid"`
	Program string        `json:"program"`
	ForNS   int64         `json:"for_ns"`
	Threads []StuckThread `json:"threads"` // threads that wait for a signal, a lock or a process
	// why the process probably hangs, although the trace does not show it for certain
	Likely string `json:"likely_stuck,omitempty"`
	// children by fork without exec, which are not traced: a thread that waits for input may wait for one of them
	Forked int `json:"untraced_children,omitempty"`
}

// Document converts the report to its output form. Times become relative to the begin of the trace.
func (r *Report) Document(t *analyze.Trace) *Document {
	d := &Document{Hangs: []HungProcess{}, Pauses: []Waiting{}}
	for _, h := range r.Hangs {
		x := HungProcess{PID: h.Process.ID, Program: h.Process.Program, Kind: h.Kind,
			SinceNS: int64(h.Since - t.Run.Origin), ForNS: int64(h.For),
			Last: h.Last, Completed: h.Completed, Failed: h.Failed, Why: h.Why,
			Threads: stuckThreads(t, h.Stuck), Queues: []HungQueue{}}
		for _, q := range h.Queues {
			y := HungQueue{Name: queue(q.Queue), Outstanding: q.Outstanding, Uncommitted: q.Uncommitted}
			if q.Completed != nil {
				y.Completed, y.CompletedNS = q.Completed.ID, int64(q.Completed.Completed.End-t.Run.Origin)
			}
			if q.Started != nil {
				y.Started = q.Started.ID
			}
			x.Queues = append(x.Queues, y)
		}
		d.Hangs = append(d.Hangs, x)
	}
	for _, p := range r.Idle {
		d.Pauses = append(d.Pauses, Waiting{PID: p.Process.ID, Program: p.Process.Program, ForNS: int64(p.For),
			Threads: stuckThreads(t, p.Inside), Likely: p.Likely, Forked: p.Process.Forked})
	}
	return d
}

func stuckThreads(t *analyze.Trace, list []Stuck) []StuckThread {
	out := []StuckThread{}
	for _, s := range list {
		x := StuckThread{TID: uint64(s.Thread.ID), Name: s.Thread.Name, Call: s.Call,
			SinceNS: int64(s.Since - t.Run.Origin), ForNS: int64(s.For),
			Polls: s.Polls, Kind: s.Kind, input: s.Input, Chain: []ChainStep{}, Stack: []string{}}
		for _, c := range s.Chain {
			x.Chain = append(x.Chain, ChainStep(c))
		}
		if s.Stack != nil {
			for _, f := range s.Stack.Frames {
				x.Stack = append(x.Stack, f.String())
			}
		}
		out = append(out, x)
	}
	return out
}
