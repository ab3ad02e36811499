package analyze

import "mtrace/collector/wire"

// An Experiment describes the delays that mtrace experiment inserted into a process while the process ran.
// wire.Experiment is its recorded form.
type Experiment struct {
	Seed uint64
	// the largest share of its time by which the delays may slow the program down over the whole experiment (0.1 is
	// 10%)
	Budget   float64
	Progress string // what counts as progress: wire.ProgressCommands, or wire.ProgressMark and the name of a mark
	Threads  int    // threads that made progress while nothing was delayed; 0 when not known
	Targets  []ExperimentTarget
	Blocks   []ExperimentBlock // in the order of time
}

// An ExperimentTarget is a set of calls, or a lock, that the experiment delayed.
type ExperimentTarget struct {
	ID      int // from 1
	Name    string
	Kind    wire.ExperimentKind
	Mode    wire.ExperimentMode
	Calls   []string      // the selectors of the delayed calls or waits; empty for a lock
	Lock    uint64        // address of the delayed lock; 0 for calls
	Object  wire.ObjectID // the number by which records refer to the lock; 0 when not known
	Threads []ThreadID    // the threads that are delayed; empty means all
	Sleeps  bool          // threads sleep for delays of wire.ShortestSleep or longer, and spin for shorter ones
	Took    Nanos         // mean duration of an occurrence of the target without delays; 0 when not known
}

// An ExperimentBlock is a time range of the experiment in which one target was delayed, or in which no target was (a
// baseline).
type ExperimentBlock struct {
	Interval
	Target      int   // ExperimentTarget.ID; 0 is none: a baseline
	Control     bool  // only in a virtual speed-up: the thread that runs the target is delayed like all other threads
	Delay       Nanos // the requested delay for each occurrence of the target
	Occurrences int64 // number of occurrences of the target that were delayed
	Injected    Nanos // the sum of the delays, as measured
	Units       int64 // how many units of progress were completed in the block
	// LastBefore is when the last unit of progress before the block was completed, LastIn when the last unit in the
	// block was completed; 0 if there was none. The speed in the block is Units divided by the time between these two
	// instants, not by the block's length
	LastBefore, LastIn Nanos
}
