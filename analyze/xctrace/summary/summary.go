// Package summary summarises an Instruments recording of Metal in numbers: the threads that submitted work and how
// often, how long the work waited and ran, how busy the GPU was and with which processes' work, and the data that the
// exports lack.
package summary

import (
	"encoding/json"
	"time"

	"mtrace/analyze"
)

// Nanos is a time since the recording began, or a duration, in nanoseconds.
type Nanos = analyze.Nanos

// Summary has all results, and is their JSON form. Times are in nanoseconds from the begin of the recording, shares
// are 0 to 1.
type Summary struct {
	Schema    string    `json:"schema"` // mtrace.xctrace/1
	Source    Source    `json:"source"`
	Subject   Subject   `json:"subject"`
	Window    Window    `json:"window"`
	Processes []Process `json:"processes"`
	Threads   []Thread  `json:"threads"` // the subject's threads that committed command buffers
	GPU       *GPU      `json:"gpu"`     // null when the table is missing
	Latency   Latency   `json:"latency"`
	InFlight  *InFlight `json:"in_flight"` // null when it cannot be told
	Cycle     *Cycle    `json:"cycle,omitempty"`
	Verdict   Verdict   `json:"serialization"`
	TimeByLabel
	Compiler  *Timing   `json:"compiler,omitempty"`
	States    []State   `json:"performance_states"`
	Counters  []Counter `json:"counters"`
	Memory    *Memory   `json:"memory,omitempty"`
	Signposts []Phase   `json:"signposts"`
	Errors    int       `json:"command_buffer_errors"`
	Samples   int       `json:"cpu_samples"`
	CPU       *CPU      `json:"cpu"`    // null without CPU samples
	Others    []Other   `json:"others"` // tables that are known only by their columns
	Missing   []Missing `json:"missing"`
	Warnings  []string  `json:"warnings"`
	Tables    []Table   `json:"tables"`
}

// TimeByLabel has the time of work by its label, on the GPU and on the CPU.
type TimeByLabel struct {
	Labels   []Label `json:"labels"`   // labels of the subject's GPU work
	Encoders []Label `json:"encoders"` // CPU time of encoding, not GPU time
	Shaders  []Label `json:"shaders"`
	Driver   []Label `json:"driver"`   // CPU time in the driver
	Handlers []Label `json:"handlers"` // CPU time of handlers and debug groups, by kind
}

// Source describes the recording: its target, the device, and the tool that made it.
type Source struct {
	Kind        string     `json:"kind"` // xctrace
	Files       []string   `json:"files"`
	Bytes       int64      `json:"bytes"`
	Device      string     `json:"device,omitempty"`
	GPU         string     `json:"gpu,omitempty"`
	OS          string     `json:"os,omitempty"`
	Instruments string     `json:"instruments,omitempty"`
	Template    string     `json:"template,omitempty"`
	Started     *time.Time `json:"started,omitempty"`
	DurationNS  Nanos      `json:"duration_ns,omitempty"`
	Target      string     `json:"target,omitempty"`
	TargetType  string     `json:"target_type,omitempty"` // launched, attached, all
	EndReason   string     `json:"end_reason,omitempty"`
	Settings    []Setting  `json:"settings,omitempty"`
	Truncated   []string   `json:"truncated,omitempty"` // files that were cut
}

// Setting is one setting with which the recording was made.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Subject names the processes whose work the summary covers.
type Subject struct {
	PIDs []uint64 `json:"pids"` // empty: every process
	Why  string   `json:"why"`
}

// Window is the time range of the recording that is summarised.
type Window struct {
	FromNS   Nanos `json:"from_ns"`
	ToNS     Nanos `json:"to_ns"`
	LengthNS Nanos `json:"length_ns"`
}

// Process has the submissions and the GPU time of one process.
type Process struct {
	PID                  uint64  `json:"pid"` // 0 without a name: not attributed to any process
	Name                 string  `json:"name"`
	Subject              bool    `json:"subject"`
	Submissions          int     `json:"submissions"`
	SubmissionsPerSecond float64 `json:"submissions_per_s"`
	Encoders             uint64  `json:"encoders"`
	EncodeNS             Nanos   `json:"encode_ns"`
	GPUIntervals         int     `json:"gpu_intervals"`
	GPUBusyNS            Nanos   `json:"gpu_busy_ns"` // time covered by GPU intervals; overlaps count once
	GPUSumNS             Nanos   `json:"gpu_sum_ns"`  // sum of the lengths of the GPU intervals
	GPUShare             float64 `json:"gpu_share"`   // share of gpu_sum_ns in that of all processes

	told told
}

// A told says whether the tables of submissions and of GPU work have rows. Values from a missing table are null in JSON
// and not 0.
type told struct{ submissions, gpu bool }

// processJSON is a Process as it is written to JSON, where values that no table provides are null.
type processJSON struct {
	PID                  uint64   `json:"pid"` // 0 without a name: not attributed to any process
	Name                 string   `json:"name"`
	Subject              bool     `json:"subject"`
	Submissions          *int     `json:"submissions"` // null without the table of submissions, as the next three
	SubmissionsPerSecond *float64 `json:"submissions_per_s"`
	Encoders             *uint64  `json:"encoders"`
	EncodeNS             *Nanos   `json:"encode_ns"`
	GPUIntervals         *int     `json:"gpu_intervals"` // null without the table of GPU work, as the next three
	GPUBusyNS            *Nanos   `json:"gpu_busy_ns"`   // time covered by GPU intervals; overlaps count once
	GPUSumNS             *Nanos   `json:"gpu_sum_ns"`    // sum of the lengths of the GPU intervals
	GPUShare             *float64 `json:"gpu_share"`     // share of gpu_sum_ns in that of all processes
}

// JSONSchemaAlias returns the type that describes a Process in JSON, for the schema.
func (Process) JSONSchemaAlias() any { return processJSON{} }

// MarshalJSON writes null for values whose table is missing.
func (p Process) MarshalJSON() ([]byte, error) {
	s, g := p.told.submissions, p.told.gpu
	return json.Marshal(processJSON{p.PID, p.Name, p.Subject, known(s, p.Submissions), known(s, p.SubmissionsPerSecond),
		known(s, p.Encoders), known(s, p.EncodeNS),
		known(g, p.GPUIntervals), known(g, p.GPUBusyNS), known(g, p.GPUSumNS), known(g, p.GPUShare)})
}

// known returns a pointer to v, or nil (null in JSON) if `there` is false, because the table with the value is missing.
func known[T any](there bool, v T) *T {
	if !there {
		return nil
	}
	return &v
}

// Thread has the submissions of one thread that committed command buffers.
type Thread struct {
	TID                  uint64  `json:"tid"`
	PID                  uint64  `json:"pid"`
	Name                 string  `json:"name"`
	Submissions          int     `json:"submissions"`
	SubmissionsPerSecond float64 `json:"submissions_per_s"`
	EncodeNS             Nanos   `json:"encode_ns"`  // CPU time in encoders
	PrepareNS            Nanos   `json:"prepare_ns"` // creation to commit
	FirstNS              Nanos   `json:"first_ns"`
	LastNS               Nanos   `json:"last_ns"`
	// GPU time of the work that the thread committed; null if the export has no table of GPU work
	GPUSumNS *Nanos `json:"gpu_sum_ns"`
}

// Busy says how long work ran. Where N intervals of work overlap, BusyNS counts the time once, SumNS N times.
type Busy struct {
	Intervals int     `json:"intervals"`
	BusyNS    Nanos   `json:"busy_ns"`
	BusyShare float64 `json:"busy_share"` // busy_ns as a share of the window
	SumNS     Nanos   `json:"sum_ns"`
	OverlapNS Nanos   `json:"overlap_ns"` // time in which two or more intervals overlap
}

// GPU has the GPU's work: All is the work of every process, Own that of the processes that the summary is about.
type GPU struct {
	All               Busy      `json:"all"`
	Own               Busy      `json:"own"`
	Channels          []Channel `json:"channels"`
	OwnShare          float64   `json:"own_share"` // the subject's share of all.sum_ns
	OtherProcessShare float64   `json:"foreign_share"`
	UnattributedShare float64   `json:"unattributed_share"`
	CommandBuffers    int       `json:"command_buffers"` // number of the subject's command buffers
	Encoders          int       `json:"encoders"`        // number of the subject's encoders; one may have several rows
	Idle              Idle      `json:"idle"`
}

// Channel has the work of one channel of the GPU (compute, vertex, fragment and so on).
type Channel struct {
	Name string `json:"name"`
	All  Busy   `json:"all"`
	Own  Busy   `json:"own"`
}

// Idle has the gaps within the window (the summarised time range) in which the GPU had no work of any process.
type Idle struct {
	TotalNS  Nanos   `json:"total_ns"`
	Share    float64 `json:"share"`
	Gaps     int     `json:"gaps"`
	Over100u int     `json:"over_100us"`
	Over1m   int     `json:"over_1ms"`
	Over10m  int     `json:"over_10ms"`
	Length   Timing  `json:"length"`
	Longest  []Gap   `json:"longest"`
	// Between has the gaps by the labels of the work before and after the gap, the largest total first.
	Between []Transition `json:"between"`
}

// Transition is the total idle time between work with one label and following work with another.
type Transition struct {
	Before string `json:"before"`
	After  string `json:"after"`
	Gaps   int    `json:"gaps"`
	SumNS  Nanos  `json:"sum_ns"`
	MaxNS  Nanos  `json:"max_ns"`
}

// Gap is one time without GPU work, with the labels of the work before and after it.
type Gap struct {
	FromNS   Nanos  `json:"from_ns"`
	LengthNS Nanos  `json:"length_ns"`
	Before   string `json:"before"`
	After    string `json:"after"`
}

// Timing describes a distribution of times. Its percentiles are exact.
type Timing struct {
	Count  int   `json:"count"`
	SumNS  Nanos `json:"sum_ns"`
	MeanNS Nanos `json:"mean_ns"`
	MinNS  Nanos `json:"min_ns"`
	P50NS  Nanos `json:"p50_ns"`
	P95NS  Nanos `json:"p95_ns"`
	P99NS  Nanos `json:"p99_ns"`
	MaxNS  Nanos `json:"max_ns"`
}

// Latency has the times that command buffers took from one stage to the next.
type Latency struct {
	// CommitToGPU includes queueing behind earlier work on the GPU.
	CommitToGPU         *Timing   `json:"commit_to_gpu"`
	GPUToCompletion     *Timing   `json:"gpu_to_completion"`
	CommitToCompletion  *Timing   `json:"commit_to_completion"`
	StartLatencyChecked *Identity `json:"start_latency_check"`
}

// Identity is the result of a check: in each row of the table of GPU work, the column start-latency must be exactly the
// start on the GPU minus the commit. If it differs, tables are incomplete, or come from different recordings.
type Identity struct {
	Checked    int   `json:"checked"`
	Violations int   `json:"violations"`
	MaxErrorNS Nanos `json:"max_error_ns"`
}

// InFlight counts command buffers between commit and completion.
type InFlight struct {
	Mean  float64 `json:"mean"`
	Max   int     `json:"max"`
	Until string  `json:"until"` // "completion" or "GPU end"
}

// Label has the time of all work with one label.
type Label struct {
	Name      string  `json:"name"`
	Channel   string  `json:"channel,omitempty"`
	Process   string  `json:"process,omitempty"` // empty if the summary is about one process
	Share     float64 `json:"share"`
	Coalesced bool    `json:"coalesced,omitempty"` // several encoders run as one
	Default   bool    `json:"default,omitempty"`   // the name is Instruments', not the program's
	Timing
}

// State tells how long the GPU was in one performance state.
type State struct {
	GPU     string  `json:"gpu,omitempty"`
	Name    string  `json:"name"`
	TimeNS  Nanos   `json:"time_ns"`
	Share   float64 `json:"share"`
	Induced bool    `json:"induced"`
}

// Counter has the mean and the maximum of one GPU counter.
type Counter struct {
	Name    string  `json:"name"`
	Samples int64   `json:"samples"`
	Mean    float64 `json:"mean"` // weighted by time
	Max     float64 `json:"max"`
}

// Memory tells how much memory the summary's processes had allocated.
type Memory struct {
	PeakBytes   uint64 `json:"peak_bytes"`
	LastBytes   uint64 `json:"last_bytes"`
	Allocations int    `json:"allocations"`
	Bytes       uint64 `json:"bytes"`
}

// Phase has the GPU's work during the signpost intervals with one name.
type Phase struct {
	Name      string `json:"name"`
	Intervals int    `json:"intervals"`
	TimeNS    Nanos  `json:"time_ns"`
	GPUBusyNS *Nanos `json:"gpu_busy_ns"` // the subject's GPU time in these intervals; null if not recorded
}

// Missing is something that the summary cannot tell, with the reason.
type Missing struct {
	What  string `json:"what"`
	Why   string `json:"why"`
	Table string `json:"table,omitempty"` // the table that would have the missing data
	// notExported is true if the recording has the table, but the inputs lack it.
	notExported bool
}

// Table describes a table that was among the inputs, and whether it was read.
type Table struct {
	Schema   string   `json:"schema"`
	XPath    string   `json:"xpath"`
	File     string   `json:"file"`
	Rows     int64    `json:"rows"`
	Rejected int64    `json:"rejected"`
	Dangling int64    `json:"dangling"`
	Read     bool     `json:"read"`
	Note     string   `json:"note,omitempty"`
	Problems []string `json:"problems,omitempty"`
}
