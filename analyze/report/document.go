// Package report writes what the analyses found: as text, JSON and HTML. The document is the `mtrace.report/1` of CONTRACT.md.
package report

import "time"

// Schema names the document.
const Schema = "mtrace.report/1"

// A Report is the document. Times are nanoseconds, shares are 0…1; lists are never null.
type Report struct {
	Schema           string            `json:"schema"`
	Source           Source            `json:"source"`
	Events           int64             `json:"events"` // calls that returned
	Lost             Lost              `json:"lost"`
	Overhead         Overhead          `json:"overhead"`
	Coverage         Coverage          `json:"coverage"`
	Warnings         []string          `json:"warnings"`
	Missing          []Missing         `json:"missing"` // what the source cannot tell
	Calls            []Call            `json:"calls"`
	CallSites        []CallSite        `json:"call_sites"`
	Threads          []Thread          `json:"threads"`
	Queues           []Queue           `json:"queues"`
	GPU              GPU               `json:"gpu"`
	GPUTiming        string            `json:"gpu_timing"` // "measured" when the GPU's own clock gave every encoder's time, else "estimated"
	Kernels          []Kernel          `json:"kernels"`
	FusionCandidates []FusionCandidate `json:"fusion_candidates"`
	Memory           Memory            `json:"memory"`
	Compile          Compile           `json:"compile"`
	Scopes           []Scope           `json:"scopes"`
	Serialization    Serialization     `json:"serialization"`
	Insights         []Insight         `json:"insights"`
}

// Source is where the trace comes from.
type Source struct {
	Kind          string    `json:"kind"`
	Path          string    `json:"path"`
	Program       string    `json:"program"`
	Args          []string  `json:"args"`
	PIDs          []int     `json:"pids"` // of the processes that used Metal
	Host          string    `json:"host"`
	OS            string    `json:"os"`
	Device        string    `json:"device"`
	SoftwareMetal bool      `json:"software_metal"`
	Started       time.Time `json:"started"`
	WallNS        int64     `json:"wall_ns"`
	WindowNS      int64     `json:"window_ns"`
	Truncated     bool      `json:"truncated"`
}

// Lost is what happened and is not in the trace.
type Lost struct {
	Total     int64            `json:"total"`
	PerThread map[string]int64 `json:"per_thread"` // by thread id; threads that lost nothing are left out
	Facts     int64            `json:"facts"`
	Unnamed   int64            `json:"unnamed_objects"`
	Rejected  int64            `json:"rejected_calls"`
	Nested    int64            `json:"nested_calls"` // left out on purpose: an outer call stands for them
	Children  int64            `json:"untraced_children"`
}

// Coverage is how much of what happened the tracer saw, by its own count: what passed points of Metal that all command buffers pass,
// against what was recorded above them.
type Coverage struct {
	Share     *float64          `json:"share"` // of all commits, those that were seen; null when there was nothing to count or no place to count it
	Processes []ProcessCoverage `json:"processes"`
}

// ProcessCoverage is that of one process.
type ProcessCoverage struct {
	PID         int              `json:"pid"`
	Classes     []string         `json:"classes_hooked"`
	Unhooked    []UnhookedClass  `json:"classes_not_hooked"`
	Nested      map[string]int64 `json:"nested_calls"` // left out on purpose, by kind of object: an outer call stands for them
	Commits     Audit            `json:"commits"`
	Completions Audit            `json:"completions"`
	SelfCheck   *SelfCheck       `json:"self_check"` // null when none was made
}

// An UnhookedClass is a class whose objects came by and of which nothing, or not all, is recorded.
type UnhookedClass struct {
	Class   string `json:"class"`
	Family  string `json:"family"`
	Methods int    `json:"methods"` // that are not recorded; 0 is all
}

// An Audit is what passed a point that everything passes, and what of it the tracer saw.
type Audit struct {
	Made int64 `json:"made"`
	Seen int64 `json:"seen"`
}

// SelfCheck is what `mtrace run --self-check` found.
type SelfCheck struct {
	Made  int           `json:"made"`
	Seen  int           `json:"seen"`
	Calls []CheckedCall `json:"calls"`
}

// A CheckedCall is a call that the self-check made, and how often it was seen.
type CheckedCall struct {
	Selector string `json:"selector"`
	Made     int    `json:"made"`
	Seen     int    `json:"seen"`
}

// Overhead is what the tracer itself cost the threads that made the calls. Stacks are timed one by one in the trace.
type Overhead struct {
	NSPerEvent  float64 `json:"ns_per_event"` // without stacks
	Share       float64 `json:"share"`        // of the threads' time, with stacks
	Source      string  `json:"source"`       // of ns_per_event: "measured" in the process, "estimated" from its clock, or "unknown"
	RecordingNS int64   `json:"recording_ns"`
	Stacks      int64   `json:"stacks"`
	StacksNS    int64   `json:"stacks_ns"`
	NSPerStack  float64 `json:"ns_per_stack"`
}

// Missing is something the source cannot tell.
type Missing struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

// A Call sums the calls of one selector on one class.
type Call struct {
	Selector    string `json:"selector"`
	Class       string `json:"class"`
	Count       int64  `json:"count"`
	TotalNS     int64  `json:"total_ns"`
	ExclusiveNS int64  `json:"exclusive_ns"` // without calls nested in it
	MeanNS      int64  `json:"mean_ns"`
	MinNS       int64  `json:"min_ns"`
	P50NS       int64  `json:"p50_ns"`
	P95NS       int64  `json:"p95_ns"`
	P99NS       int64  `json:"p99_ns"`
	MaxNS       int64  `json:"max_ns"`
	Threads     int    `json:"threads"`
}

// A CallSite sums the calls of one selector from one place of the program. There are some when stacks were recorded (--stacks): those that
// took the most time, at most 50.
type CallSite struct {
	At          string   `json:"at"`       // "train.py:42 step()"
	Function    string   `json:"function"` // the innermost of the program's own, Python's where there is one
	File        string   `json:"file"`     // source file; empty for machine code
	Line        int      `json:"line"`     // 0 for machine code
	Image       string   `json:"image"`    // file of machine code; empty for Python
	Selector    string   `json:"selector"`
	Count       int64    `json:"count"`
	ExclusiveNS int64    `json:"exclusive_ns"`
	Threads     int      `json:"threads"`
	ThreadIDs   []uint64 `json:"thread_ids"`
}

// A Thread is how a thread spent its part of the window; the values of Time add up to WindowNS.
type Thread struct {
	TID            uint64           `json:"tid"`
	PID            int              `json:"pid"`
	Name           string           `json:"name"`
	WindowNS       int64            `json:"window_ns"`
	CommandBuffers int              `json:"command_buffers"`
	Encoders       int              `json:"encoders"`
	Dispatches     int              `json:"dispatches"`
	Waits          int              `json:"waits"`
	Events         int64            `json:"events"`
	Time           map[string]int64 `json:"time"`
	GPUNS          int64            `json:"gpu_ns"`
	LostToOthers   float64          `json:"lost_to_others_share"`
	SignalWaitNS   int64            `json:"signal_wait_ns"`    // of outside_ns, waiting for a signal of another thread: for work, as a rule
	HandsOver      bool             `json:"hands_over"`        // another thread submits its work, and it waits for that one's signal
	CPUNS          *int64           `json:"cpu_ns"`            // on a processor; null when not known
	RunnableNS     *int64           `json:"runnable_ns"`       // waiting for a processor; null when not known
	CPUCovered     float64          `json:"cpu_covered_share"` // of WindowNS, the part that the two tell of
}

// A Queue is how a command queue was used.
type Queue struct {
	ID             uint32   `json:"id"`
	PID            int      `json:"pid"`
	Label          string   `json:"label"`
	Threads        int      `json:"threads"` // that committed to it
	ThreadIDs      []uint64 `json:"thread_ids"`
	CommandBuffers int      `json:"command_buffers"`
	InFlightMean   float64  `json:"in_flight_mean"`
	InFlightMax    int      `json:"in_flight_max"`
	Capacity       int      `json:"capacity"`
	AtCapacityNS   int64    `json:"at_capacity_ns"` // thread time lost because it was full
}

// Quantiles are those of a distribution of durations.
type Quantiles struct {
	Count  int64 `json:"count"`
	MeanNS int64 `json:"mean_ns"`
	MinNS  int64 `json:"min_ns"`
	P50NS  int64 `json:"p50_ns"`
	P95NS  int64 `json:"p95_ns"`
	P99NS  int64 `json:"p99_ns"`
	MaxNS  int64 `json:"max_ns"`
}

// GPU is what the GPUs did.
type GPU struct {
	BusyNS       int64     `json:"busy_ns"` // union of the command buffers' times
	BusyShare    float64   `json:"busy_share"`
	SumNS        int64     `json:"sum_ns"`
	Overlap      float64   `json:"overlap"` // sum / busy
	StartLatency Quantiles `json:"start_latency"`
	Encoders     Encoders  `json:"encoders"`
	IdleNS       int64     `json:"idle_ns"` // between command buffers
	IdleGaps     []IdleGap `json:"idle_gaps"`
	IdleBy       []IdleBy  `json:"idle_by"`
	Devices      []Device  `json:"devices"`
}

// Encoders says how the times of encoders came about; report's gpu_timing is "measured" when all were measured.
type Encoders struct {
	Asked     bool         `json:"asked"`     // --gpu-timing encoder
	Measured  int          `json:"measured"`  // by the GPU's own clock
	Estimated int          `json:"estimated"` // from their command buffer's time and the threads they dispatched
	Because   []Unmeasured `json:"because"`
}

// Unmeasured is why encoders that should have been measured are not.
type Unmeasured struct {
	Why   string `json:"why"`
	Count int    `json:"count"`
}

// An IdleGap is a time in which a GPU had nothing to do.
type IdleGap struct {
	BeginNS int64  `json:"begin_ns"` // after the window's beginning
	NS      int64  `json:"ns"`
	TID     uint64 `json:"tid"` // of the thread that ended it
	Doing   string `json:"doing"`
}

// IdleBy sums idle gaps by who ended them.
type IdleBy struct {
	TID   uint64 `json:"tid"`
	Doing string `json:"doing"`
	NS    int64  `json:"ns"`
	Gaps  int    `json:"gaps"`
}

// A Device is what one GPU did between the first commit to it and the last completion.
type Device struct {
	Name         string  `json:"name"`
	ActiveNS     int64   `json:"active_ns"`
	BusyNS       int64   `json:"busy_ns"`
	BusyShare    float64 `json:"busy_share"` // of active_ns
	BacklogShare float64 `json:"backlog_share"`
	Capacity     int     `json:"concurrent_max"`
}

// A Kernel is what one kernel did.
type Kernel struct {
	Name           string  `json:"name"`
	Layer          string  `json:"layer"` // who dispatched it: "app", or classes of Metal Performance Shaders; several with commas
	Dispatches     int     `json:"dispatches"`
	GPUNS          int64   `json:"gpu_ns"`
	MeanNS         int64   `json:"mean_ns"` // per dispatch
	Share          float64 `json:"share"`
	Source         string  `json:"source"` // "measured" or "estimated"
	MeanThreads    float64 `json:"mean_threads"`
	CommandBuffers int     `json:"command_buffers"`
}

// A FusionCandidate is two kernels or more that nearly always come back to back.
type FusionCandidate struct {
	Kernels []string `json:"kernels"`
	Count   int      `json:"count"`
	Share   float64  `json:"share"`
	Across  int      `json:"across_command_buffers"`
	GPUNS   int64    `json:"gpu_ns"`
	SavedNS int64    `json:"saved_ns"`
}

// Memory is what was allocated. ReuseShare is null when addresses are not known.
type Memory struct {
	Allocations   int                `json:"allocations"`
	Bytes         uint64             `json:"bytes"`
	PeakBytes     uint64             `json:"peak_bytes"`
	PeakSource    string             `json:"peak_source"` // "measured", or "upper bound" when releases are not in the trace
	Releases      int                `json:"releases"`
	DeviceBytes   *uint64            `json:"device_peak_bytes"` // the most that currentAllocatedSize was, when it was asked; null when it was not
	DeviceSamples int                `json:"device_samples"`
	ReuseShare    *float64           `json:"reuse_share"`
	ByStorageMode map[string]Storage `json:"by_storage_mode"`
}

// Storage is what was allocated in one storage mode.
type Storage struct {
	Count int    `json:"count"`
	Bytes uint64 `json:"bytes"`
}

// Compile is what was compiled. HitShare is null when nothing was compiled twice.
type Compile struct {
	Libraries int           `json:"libraries"`
	Functions int           `json:"functions"`
	Pipelines int           `json:"pipelines"`
	Archives  int           `json:"archives"`
	Unique    int           `json:"unique"`
	Repeated  int           `json:"repeated"`
	HitShare  *float64      `json:"hit_share"`
	Late      int           `json:"late"`
	Failed    int           `json:"failed"`
	TotalNS   int64         `json:"total_ns"`
	LostNS    int64         `json:"lost_ns"`
	Items     []CompileItem `json:"items"`
}

// A CompileItem is one thing that was compiled.
type CompileItem struct {
	Kind        string `json:"kind"`
	Name        string `json:"name"`
	Count       int    `json:"count"`
	TotalNS     int64  `json:"total_ns"`
	FirstNS     int64  `json:"first_ns"`
	SourceBytes int64  `json:"source_bytes"`
}

// A Scope sums the times to which the program gave a name.
type Scope struct {
	Name    string `json:"name"`
	Count   int    `json:"count"`
	TotalNS int64  `json:"total_ns"`
	MeanNS  int64  `json:"mean_ns"`
	MinNS   int64  `json:"min_ns"`
	MaxNS   int64  `json:"max_ns"`
	GPUNS   int64  `json:"gpu_ns"` // of command buffers committed in it
}

// Serialization is the verdict.
type Serialization struct {
	Verdict         string         `json:"verdict"`
	Share           float64        `json:"share"`
	Confidence      float64        `json:"confidence"`
	Summary         string         `json:"summary"`
	Phases          []Phase        `json:"phases"` // parts of the run with verdicts that differ; empty when they do not
	Causes          []Cause        `json:"causes"`
	RuledOut        []RuledOut     `json:"ruled_out"`
	Together        *Together      `json:"together"` // what removing the two largest causes would bring; null when that was not replayed
	WaitMatrix      Matrix         `json:"wait_matrix"`
	QueuedMatrix    Matrix         `json:"queued_matrix"`
	LockMatrix      Matrix         `json:"lock_matrix"`
	MutualExclusion []Exclusion    `json:"mutual_exclusion"`
	Interference    []Interference `json:"interference"`
	CriticalPath    CriticalPath   `json:"critical_path"`
	Chains          []Chain        `json:"chains"`
	ReplayError     float64        `json:"replay_error"` // of the replay that speedup_if_removed comes from, unchanged, against the run
}

// A Cause is one that was found at work, the largest first.
type Cause struct {
	Cause            string   `json:"cause"`
	LostNS           int64    `json:"lost_ns"`
	Share            float64  `json:"share"`
	Confidence       float64  `json:"confidence"`
	Evidence         []string `json:"evidence"`
	Advice           string   `json:"advice"`
	SpeedupIfRemoved *float64 `json:"speedup_if_removed"` // 2 is twice as fast; null when it was not replayed
	SpeedupInterval  *Speedup `json:"speedup_interval"`   // around it
	NotPredicted     string   `json:"not_predicted"`      // why speedup_if_removed is null
}

// A Speedup is the interval of a prediction.
type Speedup struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Together is what removing two causes would bring.
type Together struct {
	Causes           [2]string  `json:"causes"`
	SpeedupIfRemoved float64    `json:"speedup_if_removed"`
	SpeedupInterval  [2]float64 `json:"speedup_interval"`
}

// RuledOut is a cause that is not at work.
type RuledOut struct {
	Cause string `json:"cause"`
	Why   string `json:"why"`
}

// A Matrix is thread against thread: NS[i][j] is how long TIDs[i] waited for TIDs[j].
type Matrix struct {
	TIDs []uint64  `json:"tids"`
	NS   [][]int64 `json:"ns"`
}

// Exclusion is the mutual exclusion index of a kind of intervals.
type Exclusion struct {
	What      string  `json:"what"`
	Index     float64 `json:"index"`
	PValue    float64 `json:"p_value"`
	QValue    float64 `json:"q_value"`          // p_value, adjusted for the number of tests (Benjamini–Hochberg)
	NullLow   float64 `json:"independent_low"`  // 95 % of independent threads would show an index
	NullHigh  float64 `json:"independent_high"` // between these two
	Threads   int     `json:"threads"`
	Intervals int     `json:"intervals"`
}

// Interference says whether calls take longer when other threads are inside the same call.
type Interference struct {
	What      string  `json:"what"`
	Calls     int     `json:"calls"`
	Rho       float64 `json:"rho"` // rank correlation of a call's duration with the calls in flight at its entry
	RhoLow    float64 `json:"rho_low"`
	RhoHigh   float64 `json:"rho_high"`
	PValue    float64 `json:"p_value"`
	QValue    float64 `json:"q_value"`
	OneServer float64 `json:"one_server"` // 0.8 to 0.9 behind one lock, 0.3 to 0.6 without; 0 when not known
	HandOff   bool    `json:"hand_off"`   // calls end one after the other with a regular time between
	Kind      string  `json:"kind"`       // "none", "one at a time" or "unknown"
	SoloNS    int64   `json:"solo_ns"`
	LostNS    int64   `json:"lost_ns"`
}

// CriticalPath is the chain of what waited for what, from the end of the run to its beginning. Its parts add up to LengthNS.
type CriticalPath struct {
	LengthNS int64      `json:"length_ns"`
	Parts    []PathPart `json:"parts"` // the longest first
}

// A PathPart is the time that one kind of thing of one thread takes of the critical path.
type PathPart struct {
	What  string  `json:"what"`
	TID   uint64  `json:"tid"` // whose work it is; 0 when not known
	NS    int64   `json:"ns"`
	Share float64 `json:"share"`
}

// A Chain is threads each of which waited for the next, and what the last waited for.
type Chain struct {
	TIDs  []uint64 `json:"tids"`
	Root  string   `json:"root"` // "gpu", "running" or "unknown"
	NS    int64    `json:"ns"`   // that the first waited
	Waits int      `json:"waits"`
}

// An Insight is a habit that costs time, or one that could not be looked for.
type Insight struct {
	ID       string `json:"id"`
	Severity string `json:"severity"`
	Title    string `json:"title"`
	Evidence string `json:"evidence"`
	Advice   string `json:"advice"`
	CostNS   int64  `json:"cost_ns"` // of the threads' time, or of the GPU's where it is about that; 0 when it cannot be told
	Where    []Site `json:"where"`   // the places that have most of it
}

// A Site is a place in the program.
type Site struct {
	At       string   `json:"at"` // the innermost function of the program; "" when stacks were not recorded
	Function string   `json:"function"`
	File     string   `json:"file"`
	Line     int      `json:"line"`
	From     string   `json:"from"` // what called that function; "" when it is not known
	Call     string   `json:"call"`
	Of       string   `json:"of"` // what it is about: a kernel, a label, a size; "" when that differs
	TIDs     []uint64 `json:"tids"`
	Count    int      `json:"count"`
	NS       int64    `json:"ns"`
	Bytes    uint64   `json:"bytes"`
	Share    float64  `json:"share"` // of what all places have: time, where there is any, else bytes, else count
	Text     string   `json:"text"`
}
