package wire

import (
	"encoding/json"
	"fmt"
)

// An Experiment describes the delays that `mtrace experiment` injected into a process. The experiment consists of
// blocks of time in random order. In each block one target (such as a call or a lock) was delayed, or none. The
// collector, not the process, writes the experiment to the trace.
type Experiment struct {
	Seed     uint64
	Budget   float64 // share by which the program may be slowed down over the whole experiment
	Progress string  // the unit of progress: ProgressCommands, or ProgressMark and the name of a mark
	Threads  int     // threads that made progress while nothing was delayed; 0 when not known
	Targets  []ExperimentTarget
	Blocks   []ExperimentBlock // in the order of time
}

// The values of Experiment.Progress: what counts as a unit of progress.
const (
	ProgressCommands = "commands" // completed command buffers
	ProgressMark     = "mark:"    // followed by the name of the mark that is a unit of progress
)

// ExperimentKind is the kind of code that a target of `mtrace experiment` delays: a call, a lock, waits, a
// thread's own code or handlers.
type ExperimentKind string

// The kinds of targets of an experiment.
const (
	ExperimentCall    ExperimentKind = "call"    // a call takes longer: the delay comes before its original
	ExperimentLock    ExperimentKind = "lock"    // a lock is held longer: the delay comes before its release
	ExperimentWait    ExperimentKind = "wait"    // a call that waits returns later
	ExperimentOwn     ExperimentKind = "own"     // the thread's own code takes longer, once for each command buffer
	ExperimentHandler ExperimentKind = "handler" // completion handlers of a command buffer take longer
)

// ExperimentMode says which threads an experiment delays when its target (such as a call) occurs: the thread that
// runs the target, or all other threads.
type ExperimentMode string

// The modes of targets of an experiment.
const (
	ExperimentDelay ExperimentMode = "delay" // the thread that runs the target is delayed
	// all other threads are delayed each time that a thread runs the target: relative to them, the target has become
	// faster (a virtual speed-up)
	ExperimentSpeedup ExperimentMode = "speedup"
)

// An ExperimentTarget is something in the program that an experiment delays: calls, a lock, waits, a thread's own
// code or completion handlers.
type ExperimentTarget struct {
	ID      int            `json:"-"` // from 1
	Name    string         `json:"name"`
	Kind    ExperimentKind `json:"kind"`
	Mode    ExperimentMode `json:"mode"`
	Calls   []string       `json:"calls,omitempty"`   // names of the calls, if the target is calls or waits
	Address uint64         `json:"address,omitempty"` // address of the lock, if the target is a lock
	Object  ObjectID       `json:"object,omitempty"`  // number of the lock, as in records; 0 when not known
	Threads []uint64       `json:"threads,omitempty"` // the system's ids of the threads that are delayed; empty is all
	Sleeps  bool           `json:"sleeps,omitempty"`  // threads sleep during delays; in very short ones they spin
	TookNS  int64          `json:"took_ns,omitempty"` // mean length of an occurrence without delays; 0 when not known
}

// An ExperimentBlock is a period of time in which one target was delayed, or nothing as a baseline. All times are
// nanoseconds on the process's monotonic clock.
type ExperimentBlock struct {
	Start  int64 `json:"start_ns"`
	End    int64 `json:"end_ns"`
	Target int   `json:"target"` // ExperimentTarget.ID; 0 is none: a baseline
	// Control marks the baseline of a virtual speed-up: a block in which all threads pause, including the one that
	// runs the target. Compared with a block in which only the other threads pause, it shows the effect of a faster
	// target.
	Control bool `json:"control,omitempty"`
	// DelayNS is the delay that was requested each time the target (such as a call) occurred, in nanoseconds.
	DelayNS int64 `json:"delay_ns"`
	// Occurrences is how often the target (such as a call) occurred in the block and was delayed. InjectedNS is the
	// sum of these delays as measured, in nanoseconds.
	Occurrences uint64 `json:"occurrences"`
	InjectedNS  int64  `json:"injected_ns"`
	Units       uint64 `json:"units"` // units of progress that were completed in the block
	// LastBefore is the completion time of the last unit of progress before the block began, and LastIn that of the
	// last unit inside the block; 0 if there was none. A unit that another thread completes while the times are read
	// may be missed.
	LastBefore int64 `json:"last_before_ns,omitempty"`
	LastIn     int64 `json:"last_in_ns,omitempty"`
}

// experimentHead is the text, as JSON, of the fact that describes an experiment without its targets and blocks.
type experimentHead struct {
	Budget   float64 `json:"budget_share"`
	Progress string  `json:"progress"`
	Threads  int     `json:"threads,omitempty"`
}

func experimentFact(kind FactKind, key uint64, value any) Fact {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // only plain structs come here
	}
	return Fact{Kind: kind, Key: key, Text: string(text)}
}

// Head returns the experiment without its targets and blocks as a fact (variable-size data in the trace). If
// there are several such facts, a reader uses the last one.
func (e *Experiment) Head() Fact {
	return experimentFact(FactExperiment, e.Seed, experimentHead{e.Budget, e.Progress, e.Threads})
}

// mostExperimentThreads is how many threads the fact of a target lists at most. With more, the text could exceed
// the maximum length of a fact and be cut.
const mostExperimentThreads = 64

// Fact returns the target as a fact (variable-size data in the trace). A later fact with the same ID replaces an
// earlier one.
func (t ExperimentTarget) Fact() Fact {
	t.Threads = t.Threads[:min(len(t.Threads), mostExperimentThreads)]
	return experimentFact(FactExperimentTarget, uint64(t.ID), t)
}

// Fact returns the block as a fact (variable-size data in the trace).
func (b ExperimentBlock) Fact() Fact { return experimentFact(FactExperimentBlock, uint64(b.Start), b) }

// Facts returns the whole experiment as facts (variable-size data), in the order in which they are written to the
// trace.
func (e *Experiment) Facts() []Fact {
	facts := []Fact{e.Head()}
	for _, t := range e.Targets {
		facts = append(facts, t.Fact())
	}
	for _, b := range e.Blocks {
		facts = append(facts, b.Fact())
	}
	return facts
}

// Take adds the content of a fact (variable-size data in the trace) to the experiment. It ignores facts that are not
// about experiments. It returns an error if the content is impossible, for example a block that ends before it
// begins.
func (e *Experiment) Take(f Fact) error {
	switch f.Kind {
	case FactExperiment:
		var h experimentHead
		if err := decodeExperiment(f, &h); err != nil {
			return err
		}
		if h.Budget < 0 || h.Budget > 1 || h.Threads < 0 {
			return fmt.Errorf("experiment: a budget of %v (a share, 0 to 1) with %d threads is impossible", h.Budget,
				h.Threads)
		}
		e.Seed, e.Budget, e.Progress, e.Threads = f.Key, h.Budget, h.Progress, h.Threads
	case FactExperimentTarget:
		t := ExperimentTarget{ID: int(min(f.Key, 1<<16))}
		if err := decodeExperiment(f, &t); err != nil {
			return err
		}
		if t.ID < 1 || t.TookNS < 0 {
			return fmt.Errorf("experiment: target %d, with occurrences of %d ns, is impossible", f.Key, t.TookNS)
		}
		for i := range e.Targets {
			if e.Targets[i].ID == t.ID {
				e.Targets[i] = t
				return nil
			}
		}
		e.Targets = append(e.Targets, t)
	case FactExperimentBlock:
		var b ExperimentBlock
		if err := decodeExperiment(f, &b); err != nil {
			return err
		}
		if b.Start < 0 || b.End < b.Start || b.Target < 0 || b.DelayNS < 0 || b.InjectedNS < 0 {
			return fmt.Errorf("experiment: a block from %d to %d ns with delays of %d ns each, %d ns in total, is impossible",
				b.Start, b.End, b.DelayNS, b.InjectedNS)
		}
		e.Blocks = append(e.Blocks, b)
	}
	return nil
}

func decodeExperiment(f Fact, into any) error {
	if err := json.Unmarshal([]byte(f.Text), into); err != nil {
		return fmt.Errorf("experiment: %q: %w", f.Text, err)
	}
	return nil
}

// checkExperiment returns an error if a fact (variable-size data in the trace) of an experiment has an impossible
// content.
func checkExperiment(f Fact) error { return new(Experiment).Take(f) }
