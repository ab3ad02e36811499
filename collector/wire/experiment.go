package wire

import (
	"encoding/json"
	"fmt"
)

// An Experiment is what `mtrace experiment` did to a process while it ran: in random blocks of time it added a delay to
// one target. The facts that hold it come from the collector, not from the process.
type Experiment struct {
	Seed     uint64
	Budget   float64 // share by which the program may be slowed down over the whole experiment
	Progress string  // what a unit of progress is: ProgressCommands, or ProgressMark and the name of a mark
	Threads  int     // threads that made progress while nothing was delayed; 0 when not known
	Targets  []ExperimentTarget
	Blocks   []ExperimentBlock // in the order of time
}

// What Experiment.Progress counts.
const (
	ProgressCommands = "commands" // completed command buffers
	ProgressMark     = "mark:"    // moments that the program named, by the name that follows
)

// ExperimentKind is the kind of code that a target delays.
type ExperimentKind string

// The kinds of targets.
const (
	ExperimentCall    ExperimentKind = "call"    // a call takes longer: the delay comes before its original
	ExperimentLock    ExperimentKind = "lock"    // a lock is held longer: the delay comes before its release
	ExperimentWait    ExperimentKind = "wait"    // a call that waits returns later
	ExperimentOwn     ExperimentKind = "own"     // the thread's own code takes longer, once for each command buffer
	ExperimentHandler ExperimentKind = "handler" // completion handlers of a command buffer take longer
)

// ExperimentMode says who is delayed.
type ExperimentMode string

// The modes of targets.
const (
	ExperimentDelay   ExperimentMode = "delay"   // the target itself
	ExperimentSpeedup ExperimentMode = "speedup" // all other threads, each time that the target ran: a virtual speed-up
)

// An ExperimentTarget is one thing that an experiment changes.
type ExperimentTarget struct {
	ID      int            `json:"-"` // from 1
	Name    string         `json:"name"`
	Kind    ExperimentKind `json:"kind"`
	Mode    ExperimentMode `json:"mode"`
	Calls   []string       `json:"calls,omitempty"`   // their names: of calls and waits
	Address uint64         `json:"address,omitempty"` // of a lock
	Object  ObjectID       `json:"object,omitempty"`  // of a lock, as in records; 0 when not known
	Threads []uint64       `json:"threads,omitempty"` // the system's ids of the threads that are delayed; empty is all
	Sleeps  bool           `json:"sleeps,omitempty"`  // threads sleep for their delay, if it is long enough, and spin otherwise
	TookNS  int64          `json:"took_ns,omitempty"` // mean length of an occurrence without delays; 0 when not known
}

// An ExperimentBlock is a time in which one target was delayed, or none. Times are nanoseconds on the process's
// monotonic clock.
type ExperimentBlock struct {
	Start  int64 `json:"start_ns"`
	End    int64 `json:"end_ns"`
	Target int   `json:"target"` // ExperimentTarget.ID; 0 is none: a baseline
	// Control marks a block of a target in mode speedup in which the thread that comes to the target pauses, too. The
	// difference from a block in which only all others pause is what a faster target brings.
	Control bool `json:"control,omitempty"`
	// DelayNS is the delay that was asked for at each occurrence of the target.
	DelayNS int64 `json:"delay_ns"`
	// Occurrences is how often the target was delayed, and InjectedNS how long these delays really took together.
	Occurrences uint64 `json:"occurrences"`
	InjectedNS  int64  `json:"injected_ns"`
	Units       uint64 `json:"units"` // of progress, that were completed in the block
	// LastBefore and LastIn are when the last unit before the block and the last one in it were completed, to within a
	// unit that ended on another thread at that moment; 0 when there was none.
	LastBefore int64 `json:"last_before_ns,omitempty"`
	LastIn     int64 `json:"last_in_ns,omitempty"`
}

// experimentHead is the text of a FactExperiment.
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

// Head is the experiment without its targets and blocks, as a fact. A later one replaces an earlier one.
func (e *Experiment) Head() Fact {
	return experimentFact(FactExperiment, e.Seed, experimentHead{e.Budget, e.Progress, e.Threads})
}

// mostExperimentThreads bounds the threads that a target names, so that its fact is never cut.
const mostExperimentThreads = 64

// Fact is the target as a fact. A later one replaces an earlier one with the same ID.
func (t ExperimentTarget) Fact() Fact {
	t.Threads = t.Threads[:min(len(t.Threads), mostExperimentThreads)]
	return experimentFact(FactExperimentTarget, uint64(t.ID), t)
}

// Fact is the block as a fact.
func (b ExperimentBlock) Fact() Fact { return experimentFact(FactExperimentBlock, uint64(b.Start), b) }

// Facts are the experiment's facts, in the order in which they are written.
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

// Take adds what a fact says to the experiment. The error is of a fact that cannot be true; one of another kind adds
// nothing.
func (e *Experiment) Take(f Fact) error {
	switch f.Kind {
	case FactExperiment:
		var h experimentHead
		if err := decodeExperiment(f, &h); err != nil {
			return err
		}
		if h.Budget < 0 || h.Budget > 1 || h.Threads < 0 {
			return fmt.Errorf("experiment: a budget of %v and %d threads cannot be", h.Budget, h.Threads)
		}
		e.Seed, e.Budget, e.Progress, e.Threads = f.Key, h.Budget, h.Progress, h.Threads
	case FactExperimentTarget:
		t := ExperimentTarget{ID: int(min(f.Key, 1<<16))}
		if err := decodeExperiment(f, &t); err != nil {
			return err
		}
		if t.ID < 1 || t.TookNS < 0 {
			return fmt.Errorf("experiment: target %d, whose occurrences took %d ns, cannot be", f.Key, t.TookNS)
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
			return fmt.Errorf("experiment: a block from %d to %d ns with delays of %d ns, %d ns in all, cannot be", b.Start,
				b.End, b.DelayNS, b.InjectedNS)
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

// checkExperiment is the check of an experiment's facts.
func checkExperiment(f Fact) error { return new(Experiment).Take(f) }
