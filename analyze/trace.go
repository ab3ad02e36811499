package analyze

import "time"

// A Trace is one recorded run of one or more processes, or a time range of it. It is complete when a loader returns
// it; nothing may change it afterwards, because many analyses share it.
type Trace struct {
	Source Source
	Run    Run
	// the time from the first call to the end of the run (Process.Ended), limited to the requested range
	TimeRange Interval
	Range     Range

	Processes      []*Process
	Threads        []*Thread
	Devices        []*Device
	Queues         []*Queue
	Pipelines      []*Pipeline
	Stacks         []*Stack        // each once; empty if they were not recorded
	CommandBuffers []CommandBuffer // by creation; Buffers iterates over them
	Elsewhere      []DeviceWork    // GPU work of processes that were not requested
	Waits          []Wait          // for the GPU, by Begin
	CPUWaits       CPUWaits
	Signals        []Signal   // the signals of shared events that the CPU sent
	Listeners      []Listener // the blocks that are to run when a shared event reaches a value
	Scopes         []Scope    // by Begin
	Compilations   []Compilation
	Memory         Memory
	Calls          []*CallStat
	Unfinished     []UnfinishedCall
	Events         int64 // calls in the trace that returned: the sum of all counts in Calls

	Recording Recording
	Warnings  []string // for the reader of a report, one line each
}

// A Run is the extent of the whole run, even if only a range of it was loaded.
type Run struct {
	Origin Nanos // the instant that Options.From and To count from
	Length Nanos // from Origin to the end of the run; 0 if not known
}

// CPUWaits are the waits of threads for anything but the GPU. Each list is sorted by Begin.
type CPUWaits struct {
	Locks     []LockWait
	Signals   []SignalWait
	Blocked   []BlockedWait // waits outside of Metal that are in none of the other lists
	Children  []ChildWait
	Drawables []Call // calls that wait for a layer's next drawable
}

// Memory is what was allocated and released.
type Memory struct {
	Allocations []Allocation   // by At
	Device      []DeviceMemory // in order of time
	Releases    int            // how often memory was released; 0 may also mean that the source does not tell
	// the releases of memory and of other objects, each with its time. They are listed only if the range's totals are
	// to be added to others (Options.Adds); otherwise each Allocation and Lifetime has its own Released
	Freed     []Freed
	Residency []Call        // calls that change which memory is resident, by Begin
	Lifetimes []Lifetime    // of objects other than memory, by At
	Counted   []AliveSample // in ascending order; empty if the tracer did not count
}

// Recording describes how the trace was recorded: what recording cost, what is missing from it, and what was checked.
type Recording struct {
	Overhead Overhead
	Stacks   Capture
	Lost     Loss
	Coverage []Coverage // one for each process that used Metal; empty if the source does not tell
	// GPU times of encoders were requested. That changes how the program's encoders are created, so a report mentions
	// it
	EncoderTiming bool

	doubts doubts
}

// A Range describes which time range of its run a trace covers. For a trace of the whole run all fields but
// RequestObjects are zero.
type Range struct {
	// RequestObjects are the addresses of condition variables and semaphores through which threads send requests to
	// other threads, as found in the whole run. A range alone may not show them: while requests are always pending,
	// the serving thread never waits for one.
	RequestObjects map[uint64]bool

	requested Interval // the requested time; only with Options.Adds
	counted   Interval // the slice's own time: only events that end in it count; only in a slice
	reach     Interval // from the first to the last event of the slice, not limited to its own time; see reachOf
	// command buffers that a call in the range waited for, but that did not exist in the range; their indices follow
	// the indices in Trace.CommandBuffers
	referred []CommandBuffer
}

// Began reports whether an event that began at this instant counts in the trace. With Options.Adds, an event that
// began before the loaded range is counted in an earlier range, and must not count again.
func (t *Trace) Began(at Nanos) bool { return !t.Adds() || t.Range.requested.contains(at) }

// Includes reports whether an event that ended at this instant counts in the trace. A slice (see Slice) also loads
// events around its own time. These count in the neighbouring slice.
func (t *Trace) Includes(at Nanos) bool { return !t.isSlice() || t.Range.counted.contains(at) }

func (t *Trace) isSlice() bool { return t.Range.counted != (Interval{}) }

// Adds reports whether the trace was loaded with Options.Adds, so that its totals and the totals of adjacent ranges
// can be added.
func (t *Trace) Adds() bool { return t.Range.requested != (Interval{}) }

// Empty reports whether nothing happened: no call, no command buffer and no scope.
func (t *Trace) Empty() bool {
	return t.Events == 0 && len(t.Unfinished) == 0 && len(t.CommandBuffers) == 0 && len(t.Scopes) == 0
}

// Source says where a trace comes from.
type Source struct {
	Kind          string // "mtrace" or "xctrace"
	Path          string
	Program       string
	Args          []string
	Host, OS      string
	Device        string
	Processors    int  // number of the machine's processors; 0 when not known
	SoftwareMetal bool // the device is a software implementation of Metal, so times say nothing about a GPU
	Started       time.Time
	Wall          Nanos      // duration of the run as the tracer measured it
	Truncated     bool       // the recording is incomplete: see Short
	Short         *Shortfall // nil when the recording is complete

	Recorded []Recorded // the time ranges that were recorded, if not the whole run was
	Selected []string   // the selected calls, flag by flag, if not all were selected
	LeftOut  int64      // records that were not asked for
	// WaitsUnseen is the number of processes in which waits for locks and signals could not be recorded
	WaitsUnseen int
	// the flags with which the user limited the recording. Set only if the recorded time ranges are empty or not known
	Asked string

	Unrecorded Unrecorded
	// data that this source lacks, each with a reason, so that a verdict can mention it
	Missing []Missing
}

// Unrecorded states which kinds of data traces from this source never have, whatever the program did. All false
// means that none is missing.
type Unrecorded struct{ Waits, Locks, Calls, KernelNames bool }

// HasWaits reports whether the source records calls that wait for the GPU. If it does not, the absence of waits in
// the trace proves nothing.
func (s *Source) HasWaits() bool { return !s.Unrecorded.Waits }

// HasLocks reports whether the source records waits for locks and signals. If it does not, their absence in the trace
// proves nothing.
func (s *Source) HasLocks() bool { return !s.Unrecorded.Locks }

// HasCalls reports whether the source records single Metal calls.
func (s *Source) HasCalls() bool { return !s.Unrecorded.Calls }

// HasKernelNames reports whether the source records the kernel of each dispatch. If it does not, GPU time can only
// be attributed to encoders.
func (s *Source) HasKernelNames() bool { return !s.Unrecorded.KernelNames }

// Overhead is the time that recording cost the traced threads, without the cost of recording stacks. It is zero if
// the source does not report it.
type Overhead struct {
	Took Nanos // time that recording all calls together took
	// the traced processes measured what recording a call costs; otherwise the usual cost for their kind of clock is
	// used
	Measured bool
}

// Loss counts events that happened but are not in the trace, by reason.
type Loss struct {
	Records   int64 // dropped because a ring was full or no ring was free
	Ringless  int64 // the part of Records from threads for which no ring was free
	Facts     int64 // names and labels dropped
	Unnamed   int64 // objects that got no number
	Nested    int64 // nested calls that are omitted on purpose, because the outer call represents them
	Children  int64 // forked children that passed through untraced
	Untimed   int64 // Metal 4 command buffers without GPU times, because it is unknown which of Metal's reports is theirs
	Rejected  int64 // calls on exiting threads, or made by the tracer itself
	Processes int64 // processes that could not be traced: the number of their calls is not known
	// processes that used Metal and were still running when the recording ended. The trace lacks their later calls
	Running int64
	Unused  int64 // processes that were still running when the recording ended and had not used Metal
	AtLeast bool  // Records is a lower bound
}

// Missing is something the source cannot tell.
type Missing struct{ What, Why string }

// doubts counts calls and objects whose records contradict each other. The counts of all ranges of a run are summed,
// so that a report has one warning of each kind.
type doubts struct {
	untimed              int64 // Metal 4 command buffers without GPU times
	stray                int64 // records that do not belong to any call
	skewed               int64 // calls that overlap a neighbouring call
	checked, early, late int   // command buffers that were checked, and those with contradicting clocks
	endedBeforeCommit    int   // command buffers whose GPU work ended before their commit
	waits, before        int   // waits that were checked, and those that returned before the GPU work ended
}

// CommitAudit returns the sum of all processes' counts of commits: how many were made, and how many of them were
// recorded.
func CommitAudit(t *Trace) (sum Audit) {
	for _, c := range t.Recording.Coverage {
		sum.Made, sum.Seen = sum.Made+c.Commits.Made, sum.Seen+c.Commits.Seen
	}
	return sum
}

// A Recorded is a time range of the run that was recorded because the user requested only some ranges. Calls outside
// of the ranges were omitted on purpose and do not count as lost.
type Recorded struct {
	From, To     Nanos  // after the start of the trace
	Began, Ended string // what began and ended the range: "the start", "mark:NAME", "SIGUSR1", a flag, "the end"
	Shown        bool   // the trace was loaded from this range
}

// A Shortfall describes why a trace lacks a part of its recording. Findings from such a trace may not hold for the
// whole run.
type Shortfall struct {
	Kind string // one of the constants below
	Why  string // one line
	// for a file that is cut: from the start of the recording to the last known event; 0 if not known
	After Nanos
	Parts int // parts of the file that could not be read
}
