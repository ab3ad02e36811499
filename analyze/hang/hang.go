// Package hang determines whether the programs of a run stopped making progress before they ended: which threads are
// stuck in which calls, since when, and what would have to happen for them to continue. It uses only the model, so the
// answer is available before any verdict.
package hang

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A Kind is the reason why a program hangs. Its values are part of the JSON output.
type Kind string

// The kinds.
const (
	Deadlock     Kind = "deadlock"      // threads wait for each other, or command buffers do: nobody can act
	GPUUnended   Kind = "gpu"           // the GPU received the work and has not finished it
	NotSignalled Kind = "not-signalled" // a thread waits for an event's value that nothing in the trace sets
	NotCommitted Kind = "not-committed" // a command buffer that was never committed is awaited, or occupies a queue
	InCall       Kind = "in-call"       // a Metal call has not returned, and the trace does not show why
	Idle         Kind = "idle"          // no hang: threads sleep or wait for input or for work
	unknown      Kind = ""              // the trace does not show who would have to act
)

// Options control how Find decides whether a process hangs.
type Options struct {
	Quiet analyze.Nanos // the minimum time without progress; 0 means policy.QuietBeforeHang
	Now   bool          // the program is still running, so its end is not known
}

// A Report is the result of Find. It must not be changed.
type Report struct {
	Hangs []Hang // one per process, the longest first
	Idle  []Pause
}

// Hung reports whether any process hangs. r may be nil.
func (r *Report) Hung() bool { return r != nil && len(r.Hangs) > 0 }

// A Pause is a time without progress at the end of a process that does not hang.
type Pause struct {
	Process *analyze.Process
	For     analyze.Nanos
	Likely  string  // why it probably hangs nevertheless; empty if nothing suggests that
	Inside  []Stuck // threads that wait for a signal, a lock or a process; may be empty
}

// A Hang is a process that stopped making progress.
type Hang struct {
	Process *analyze.Process
	Kind    Kind
	Since   analyze.Nanos // the last progress
	For     analyze.Nanos // from Since to the end of the process or of the recording
	Last    string        // description of the last progress
	Why     string        // what would have to happen, in one or two sentences
	Stuck   []Stuck       // threads whose chain of waits shows the cause come first
	Queues  []Queue
	// how many of the process's command buffers had completed, and how many of these failed
	Completed, Failed int
}

// A Stuck is a thread inside a call that has not returned, with the chain of what it waits for.
type Stuck struct {
	Thread *analyze.Thread
	Call   string        // the selector or function
	Since  analyze.Nanos // when the call began
	For    analyze.Nanos
	Polls  int    // how often the thread called, if it polls in a loop; else 0
	Kind   Kind   // the end of its chain of waits
	Chain  []Step // the thread waits for the first element; each element waits for the next
	Input  bool   // it waits for input: a file, pipe, socket or terminal
	Stack  *analyze.Stack
}

// A Step is one object in a chain of waits, and what is known about it.
type Step struct{ What, Text string }

// A Queue tells how far the command buffers of a queue got.
type Queue struct {
	Queue       *analyze.Queue
	Completed   *analyze.CommandBuffer // the last completed one; nil if none
	Started     *analyze.CommandBuffer // the one with the latest known start on the GPU; nil if no start is known
	Outstanding int                    // committed, and not completed
	Uncommitted int                    // created, and neither committed nor known to be released
}

// Find looks for processes that made no progress for a while at the end of the trace. If the trace lacks the end of
// the run, Find reports no hang.
func Find(t *analyze.Trace, o Options) *Report {
	r := &Report{}
	for _, s := range quietProcesses(t, o) {
		if h := s.hang(); h != nil {
			r.Hangs = append(r.Hangs, *h)
		} else if pause := s.pause(); pause != nil {
			r.Idle = append(r.Idle, *pause)
		}
	}
	slices.SortStableFunc(r.Hangs, func(a, b Hang) int { return cmp.Compare(b.For, a.For) })
	return r
}

// quietProcesses returns the states of the processes that made no progress for a while at the end of the trace and did
// not exit with status 0. A trace that lacks the end of the run has none.
func quietProcesses(t *analyze.Trace, o Options) (list []*surveyed) {
	if t.Adds() {
		return nil
	}
	quiet := cmp.Or(o.Quiet, policy.QuietBeforeHang)
	for _, p := range t.Processes {
		if p.Ended == 0 || p.Ended > t.TimeRange.End || endedItself(p, o) {
			continue
		}
		if s := survey(t, p); s.end-s.last >= quiet {
			list = append(list, s)
		}
	}
	return list
}

// endedItself reports whether the process exited with status 0. Such a process did not hang, even if it made no
// progress at the end.
func endedItself(p *analyze.Process, o Options) bool {
	return !o.Now && p.Exit.Known && p.Exit.Status == 0 && p.Exit.Signal == 0
}

// hang returns the process's hang; nil if it does not hang. The stuck thread whose chain of waits the trace shows
// most clearly explains the hang.
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
	h.Completed, h.Failed = s.counts()
	return h
}

// pause describes how long a process that does not hang made no progress at its end; nil if a thread is compiling,
// because that is progress.
func (s *surveyed) pause() *Pause {
	p := &Pause{Process: s.process, For: s.end - s.last}
	for _, u := range s.inside {
		if compiles(u) {
			return nil // it works
		}
		w := s.walk(u)
		p.Inside = append(p.Inside, w.stuck)
		if g := s.unsignalled[u.Thread]; g != nil && g.isRoot() && p.Likely == "" {
			p.Likely = w.noSignal(u, g)
		}
	}
	return p
}

func (k Kind) hangs() bool { return k != Idle && k != unknown }

// rank orders kinds by how clearly the trace shows them; the smallest explains the hang.
func rank(k Kind) int {
	return slices.Index([]Kind{Deadlock, NotCommitted, NotSignalled, GPUUnended, InCall, Idle, unknown}, k)
}
