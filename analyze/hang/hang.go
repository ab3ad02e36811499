// Package hang says of a run whether its programs stopped making progress before they ended: which threads are stuck
// in which calls, since when, and what would have to happen for them to continue. It asks only the model, so the answer
// is there before any verdict.
package hang

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A Kind is why a program hangs.
type Kind string

// The kinds.
const (
	Deadlock     Kind = "deadlock"      // threads wait for each other, or command buffers do: nobody can act
	GPUUnended   Kind = "gpu"           // the GPU was given the work and has not finished it
	NotSignalled Kind = "not-signalled" // an event's value is waited for, and nothing in the trace gives it
	NotCommitted Kind = "not-committed" // a command buffer is waited for, or fills a queue, that was never committed
	InCall       Kind = "in-call"       // a call of Metal's has not returned, and the trace does not show why
	Idle         Kind = "idle"          // no hang: threads sleep, wait for input or for work
	unknown      Kind = ""              // it is not known who would have to act
)

// Options steer the search.
type Options struct {
	Quiet analyze.Nanos // the least time without progress; 0 is policy.QuietBeforeHang
	Now   bool          // the program is still running: how it ends is not known yet
}

// A Report is what Find says of a run. It is complete, and is only read.
type Report struct {
	Hangs []Hang // a process each, the longest first
	Idle  []Pause
}

// Hung says whether a process hangs.
func (r *Report) Hung() bool { return r != nil && len(r.Hangs) > 0 }

// A Pause is a time at the end of a process's run in which it made no progress and did not hang.
type Pause struct {
	Process *analyze.Process
	For     analyze.Nanos
	Inside  []Stuck // threads that wait for a signal, a lock or a process; may be empty
}

// A Hang is a process that stopped making progress.
type Hang struct {
	Process *analyze.Process
	Kind    Kind
	Since   analyze.Nanos // the last progress
	For     analyze.Nanos // from then to the end
	Last    string        // what the last progress was
	Why     string        // what would have to happen, in one or two sentences
	Stuck   []Stuck       // those whose chain of waits shows the cause come first
	Queues  []Queue
}

// A Stuck is a thread inside a call that has not returned.
type Stuck struct {
	Thread *analyze.Thread
	Call   string        // the selector or function
	Since  analyze.Nanos // when the call began
	For    analyze.Nanos
	Kind   Kind   // what its chain of waits ends in
	Chain  []Step // the first is what the thread waits for; each waits for the next
	Stack  *analyze.Stack
}

// A Step is a thing in a chain of waits, and what is known of it.
type Step struct{ What, Text string }

// A Queue is how far a queue came.
type Queue struct {
	Queue       *analyze.Queue
	Completed   *analyze.CommandBuffer // the last that completed; nil when none did
	Started     *analyze.CommandBuffer // the last that the GPU is known to have begun; nil when none is
	Outstanding int                    // committed, and not completed
	Uncommitted int                    // created, and neither committed nor known to be released
}

// Find looks for processes that hang at the end of the trace. It wants a whole trace: of a range that ends before the
// run, nobody hangs.
func Find(t *analyze.Trace, o Options) *Report {
	r := &Report{}
	if t.Adds() {
		return r
	}
	quiet := cmp.Or(o.Quiet, policy.QuietBeforeHang)
	for _, p := range t.Processes {
		s := survey(t, p)
		if s.end == 0 || s.end > t.Window.End || s.end-s.last < quiet || endedItself(p, o) {
			continue
		}
		if h := s.hang(); h != nil {
			r.Hangs = append(r.Hangs, *h)
		} else if pause := s.pause(); pause != nil {
			r.Idle = append(r.Idle, *pause)
		}
	}
	slices.SortStableFunc(r.Hangs, func(a, b Hang) int { return cmp.Compare(b.For, a.For) })
	return r
}

// endedItself says whether the process came to its end without being stopped, and without saying that something went
// wrong: it did not hang.
func endedItself(p *analyze.Process, o Options) bool {
	return !o.Now && p.Exit.Known && p.Exit.Status == 0 && p.Exit.Signal == 0
}

// hang is the process's hang; nil when it does not hang.
func (s *surveyed) hang() *Hang {
	h := &Hang{Process: s.process, Since: s.last, For: s.end - s.last, Last: s.lastText}
	var root *walk
	for _, u := range s.inside {
		w := s.walk(u)
		h.Stuck = append(h.Stuck, w.stuck)
		if w.stuck.Kind.hangs() && (root == nil || rank(w.stuck.Kind) < rank(root.stuck.Kind)) {
			root = w
		}
	}
	if root == nil {
		return nil
	}
	h.Kind, h.Why = root.stuck.Kind, root.why
	slices.SortStableFunc(h.Stuck, func(a, b Stuck) int { return cmp.Compare(rank(a.Kind), rank(b.Kind)) })
	h.Queues = s.queues()
	return h
}

// pause is the time without progress of a process that does not hang.
func (s *surveyed) pause() *Pause {
	p := &Pause{Process: s.process, For: s.end - s.last}
	for _, u := range s.inside {
		if compiles(u) {
			return nil // it works
		}
		p.Inside = append(p.Inside, s.walk(u).stuck)
	}
	return p
}

func (k Kind) hangs() bool { return k != Idle && k != unknown }

// rank orders kinds by how certainly the trace shows them.
func rank(k Kind) int {
	return slices.Index([]Kind{Deadlock, NotCommitted, NotSignalled, GPUUnended, InCall, Idle, unknown}, k)
}
