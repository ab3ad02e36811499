// Package analyze holds the model of a traced run: threads, queues, command buffers, encoders, waits, kernels. Loaders
// fill it from mtrace's own traces (load.go) and from Instruments' exports (analyze/xctrace). The sub-packages answer
// questions from the model and do not know where it came from.
//
// Whatever there may be millions of is stored in one array per kind, sorted by time: command buffers, with their
// encoders, dispatches and rows of GPU work in arrays of their own; waits, locks, signals, allocations. Elements refer
// to command buffers by CommandBufferIndex. Other code that learns something about command buffers also stores it in an
// array indexed by CommandBufferIndex, not in a map. Pointers to command buffers are only for reading, and are valid as
// long as the trace is used.
//
// Threads, processes, queues, devices, pipelines and stacks are objects that are compared by their pointers. There are
// few: a run of ten million calls has nine threads, as many queues, one device and three pipelines. Parts and slices of
// one run share these objects. The arrays hold pointers to these objects, which the garbage collector has to follow;
// that takes 6% of the processor time of a report. Each different string of the file is stored once.
package analyze

import "time"

// Nanos is an instant or a duration in nanoseconds. Instants are on the monotonic clock of the traced machine, which is
// also the clock of Metal's GPU times. Instants of different traces cannot be compared, only durations.
type Nanos int64

// Interval is the time from Begin up to, but not including, End.
type Interval struct{ Begin, End Nanos }

// Length is the interval's duration; 0 if the interval is empty or was not measured.
func (i Interval) Length() Nanos { return max(0, i.End-i.Begin) }

// Known reports whether the interval was measured. Metal returns 0 for times that it does not have.
func (i Interval) Known() bool { return i.Begin > 0 && i.End >= i.Begin }

// holds reports whether an instant is in the interval.
func (i Interval) holds(at Nanos) bool { return at >= i.Begin && at < i.End }

// ThreadID is the number that the operating system gave to a thread.
type ThreadID uint64

// A Trace is one recorded run of one or more processes, or a time range of it. It is complete when a loader returns
// it; nothing may change it afterwards, because many analyses share it.
type Trace struct {
	Source Source
	Run    Run
	// the time from the first call to the end of the run (Process.Ended), limited to the requested range
	Window Interval
	Range  Range

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
	Signals        []Signal // of shared events, by the CPU
	Scopes         []Scope  // by Begin
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
	Device      []DeviceMemory // in ascending order
	Releases    int            // how often memory was released; 0 may also mean that the source does not tell
	Freed       []Freed        // details of each release; only in a range that adds up with others (Options.Adds)
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

	asked Interval // the requested time; only in a range that adds up with others
	held  Interval // the slice's own time: only events that end in it count; only in a slice
	reach Interval // what Window would be if the slice were the whole run; only in a slice
	// command buffers that a call in the range waited for, but that did not exist in the range; their indices follow
	// the indices in Trace.CommandBuffers
	referred []CommandBuffer
}

// Began reports whether an event that began at this instant counts in the trace. With Options.Adds, an event that
// began before the range counts in an earlier range, so it must not be counted here again.
func (t *Trace) Began(at Nanos) bool { return !t.Adds() || t.Range.asked.holds(at) }

// Holds reports whether an event that ended at this instant counts in the trace. A slice (see Slice) also has events
// around its own time; only events that ended in its own time count, so that each counts in one slice.
func (t *Trace) Holds(at Nanos) bool { return !t.isSlice() || t.Range.held.holds(at) }

func (t *Trace) isSlice() bool { return t.Range.held != (Interval{}) }

// Adds reports whether the trace was loaded with Options.Adds, so that its totals and the totals of adjacent ranges
// can be added.
func (t *Trace) Adds() bool { return t.Range.asked != (Interval{}) }

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
	Processors    int  // of the machine; 0 when not known
	SoftwareMetal bool // the device is a software implementation of Metal, so times say nothing about a GPU
	Started       time.Time
	Wall          Nanos      // duration of the run as the tracer measured it
	Truncated     bool       // the recording is incomplete: see Short
	Short         *Shortfall // nil when it is

	Recorded []Recorded // the time ranges that were recorded, if not the whole run was
	Selected []string   // the selected calls, flag by flag, if not all were selected
	LeftOut  int64      // records that were not asked for
	// WaitsUnseen is the number of processes in which waits for locks and signals could not be recorded
	WaitsUnseen int
	// the flags with which the user limited the recording, if the recorded time ranges are empty or not known; else
	// empty
	Asked string

	Unrecorded Unrecorded
	// data that this source lacks, each with a reason, so that a verdict can mention it
	Missing []Missing
}

// Unrecorded states which data no trace from this kind of source has, whatever the program did. In the zero value
// nothing is missing.
type Unrecorded struct{ Waits, Locks, Calls, KernelNames bool }

// HasWaits reports whether the source records calls that wait for the GPU. Without such records, their absence does
// not show that threads never wait.
func (s *Source) HasWaits() bool { return !s.Unrecorded.Waits }

// HasLocks reports whether the source records waits for locks and signals. Without such records, their absence proves
// nothing.
func (s *Source) HasLocks() bool { return !s.Unrecorded.Locks }

// HasCalls reports whether the source records single Metal calls.
func (s *Source) HasCalls() bool { return !s.Unrecorded.Calls }

// HasKernelNames reports whether the source records the kernel of each dispatch. Without kernel names, GPU time can
// only be attributed to encoders.
func (s *Source) HasKernelNames() bool { return !s.Unrecorded.KernelNames }

// Overhead is the time that recording cost the threads that made the calls, without the cost of recording stacks. It
// is zero if the source does not report it.
type Overhead struct {
	Took Nanos // by all calls together
	// the traced processes measured the cost themselves; otherwise it is the usual cost for their kind of clock
	Measured bool
}

// A Process is one traced process.
type Process struct {
	ID      int
	Parent  int
	Program string
	Args    []string
	CPU     Nanos // processor time of the process and of the children that it waited for; 0 when not known
	Ended   Nanos // when it ended, or its recording stopped; if the trace does not tell, its last record
	Exit    Exit  // how it ended
	Alive   Alive // its command buffers

	// the delays that mtrace experiment inserted while the process ran; nil when there was no experiment
	Experiment *Experiment

	// processor use of all threads of the process together, ascending; empty when not known. See CPUIn
	CPUSamples []CPUSample
	writes     []uint64 // inodes of the pipes that it can write into
	// processor use of all programs on the machine while the process ran, ascending. See OthersIn
	OfMachine []CPUSample

	place int // its place in the file; process IDs are not unique in traces of several machines, and IDs are reused
}

// Alive counts objects of one class in a process: how many it created and freed, and the most that were alive at
// once. All are 0 if the trace does not have these counts.
type Alive struct{ Made, Freed, Most int }

// A Thread is one thread of a process that made Metal calls. Exclusive[p] is the time that the thread spent in calls
// of part p, without the calls nested in them. Waits for the GPU are not in Exclusive but in Trace.Waits, because a
// wait's time is divided among several parts.
type Thread struct {
	Process   *Process
	ID        ThreadID
	Name      string
	Active    Interval // from its first to its last call
	Exclusive [PartCount]Nanos

	// Working is the interval from the thread's first command buffer or first wait to its last commit or wait: Active
	// without start-up and shutdown. WorkingExclusive is Exclusive within Working. Both are zero when the source does
	// not tell.
	Working          Interval
	WorkingExclusive [PartCount]Nanos

	// OnlyIdle reports that in the whole trace the thread did nothing but wait for signals.
	OnlyIdle bool

	// Submits reports that the thread commits command buffers, or waits for them, somewhere in the trace, perhaps
	// outside of the loaded range. It is only set when a range is loaded.
	Submits bool

	CPU []CPUSample // in ascending order; empty when not known. See CPUIn

	// Notified is the command buffer whose completion handlers the thread ran last; NoCommandBuffer when it never ran
	// any.
	Notified CommandBufferIndex

	late [PartCount]Nanos // of Exclusive, what came after Working

	Events int64
	Lost   int64
}

// A Device is a GPU. Processes of one host that name the same device share one Device. If several devices have the
// same name, all but the first get a number: "GPU #2".
type Device struct {
	Host, Name string
	Software   bool   // a software Metal
	Registry   uint64 // the operating system's number of the device; 0 when not known
	WorkingSet uint64 // the most memory, in bytes, that the device recommends to use; 0 when not known
}

// DeviceWork is a time in which a device executed some work, with nothing known but the time.
type DeviceWork struct {
	Device *Device
	Interval
}

// A Queue is a command queue.
type Queue struct {
	ID      uint32 // number in its process, by creation
	Process *Process
	Device  *Device // nil when not known
	Label   string
	// how many command buffers of the queue may exist uncompleted at the same time; 0 when not known (Metal's default
	// is 64)
	Capacity int
}

// A Call is the time, thread and stack of one call. Thread and Stack are nil when not known. Stacks are recorded only
// on request, and not for every call.
type Call struct {
	Interval
	Thread *Thread
	Stack  *Stack
}

// CommandBufferStatus is MTLCommandBufferStatus.
type CommandBufferStatus uint8

// The values of MTLCommandBufferStatus.
const (
	StatusNotEnqueued CommandBufferStatus = iota
	StatusEnqueued
	StatusCommitted
	StatusScheduled
	StatusCompleted
	StatusError
)

// A CommandBufferIndex identifies a command buffer in its trace; Trace.Buffer returns it. Trace.CommandBuffers[0] has
// index 1, because 0 is NoCommandBuffer.
type CommandBufferIndex int32

// NoCommandBuffer is the index of none.
const NoCommandBuffer CommandBufferIndex = 0

// A CommandBuffer is one command buffer from creation to completion. Fields of events that did not happen, or are not
// known, are zero.
type CommandBuffer struct {
	ID        uint32 // number in its process, by creation
	Index     CommandBufferIndex
	Process   *Process // nil when not known
	Queue     *Queue   // nil when not known
	Label     string
	Created   Call
	Enqueued  Call
	Committed Call
	// from GPUStartTime to GPUEndTime: from when its first work began to when its last work ended. The GPU may have
	// run other work in between; the time it worked on this command buffer is Took
	GPU       Interval
	Rows      []GPUWork // its GPU work, sorted by begin, if the source lists it row by row; use GPUWork to read it
	Kernel    Interval  // from kernelStartTime to kernelEndTime: the driver schedules it, on the CPU
	Scheduled Nanos     // the tracer's scheduled handler
	Completed Interval  // the tracer's completion handler
	Handlers  int       // completion handlers that the program added
	HandledBy *Thread   // the thread that runs the completion handlers
	Status    CommandBufferStatus
	ErrorCode int
	Error     string // Metal's error message; empty when not recorded
	Encoders  []Encoder
	Layer     *Layer       // the framework that made it; nil when the program itself did
	Signals   []EventValue // shared events it signals
	WaitsFor  []EventValue // shared events it waits for

	withOptions bool // the program passed options of its own to the commit
}

// Empty reports whether nothing was encoded into the command buffer; the program can then use it only to wait for
// earlier ones. If the trace has no encoders at all (Trace.Encoded is false), every command buffer seems empty.
func (b *CommandBuffer) Empty() bool {
	return len(b.Encoders) == 0 && len(b.Signals) == 0 && len(b.WaitsFor) == 0 &&
		(b.Committed.Thread == nil || b.Committed.Thread.Lost == 0)
}

// Encoded reports whether the trace has any encoder. Without one, CommandBuffer.Empty means nothing.
func (t *Trace) Encoded() bool {
	for b := range t.Buffers() {
		if len(b.Encoders) > 0 {
			return true
		}
	}
	return false
}

// EventValue is a value of an event.
type EventValue struct {
	Event uint32
	Value uint64
}

// EncoderKind is the kind of an encoder.
type EncoderKind uint8

// The kinds of encoders.
const (
	EncoderCompute EncoderKind = iota
	EncoderBlit
	EncoderRender
	EncoderOther
)

// An Encoder is one command encoder. Thread Created.Thread created it, and it was open until Ended.
type Encoder struct {
	ID         uint32
	Kind       EncoderKind
	Label      string
	Created    Call
	Ended      Call
	GPU        Interval // measured by counter samples; zero otherwise
	Unmeasured string   // why GPU is not known although encoder times were asked for; "" otherwise
	Dispatches []Dispatch
	Empty      int    // dispatches of no threads, which run nothing
	Layer      *Layer // the framework that made it; nil when the program itself did
	Names      *Names // names of its copies and fills; nil when there are none
	CopyBytes  uint64
	Copies     int    // and fills
	Copied     []Copy // what was copied, without fills
	Chain      Chain
	Users      []EncoderUse // nil when only one thread encoded
}

// An EncoderUse is the interval from the first to the last call by which one thread encoded into an encoder. The
// calls that create and end the encoder do not count.
type EncoderUse struct {
	Interval
	Thread *Thread
}

// A Chain tells how far the dispatches of a serial compute encoder depend on each other. Two dispatches count as
// dependent if they bind the same buffer or texture.
type Chain struct {
	Dispatches int // 0 when it is not known
	Longest    int // of them, the longest chain in which each may depend on the one before
}

// A Copy stands for consecutive equal copies that were made from one place in the program.
type Copy struct {
	From, To uint32 // numbers of the buffers or textures in their process; 0 when not known
	Count    int
	Bytes    uint64 // of all of them together
	Stack    *Stack // where all of them were made; nil when not known
}

// A Dispatch stands for consecutive equal dispatches of one pipeline state that were made from one place in the
// program.
type Dispatch struct {
	Pipeline *Pipeline // nil when none was set while tracing
	// the commands of the indirect command buffer that this dispatch executes; nil when it executes none, or when
	// they are not known
	Executes *Commands
	Count    int
	Threads  uint64 // of all of them together
	Unsized  bool   // the number of threads is not known, because the GPU reads it from memory
	Opaque   bool   // it executes an indirect command buffer, and is not known beyond what Executes tells
	At       Nanos  // the first
	Layer    *Layer // who dispatched; nil is the program itself
	Names    *Names // names of all of them; nil when not known
	Stack    *Stack // where all of them were made; nil when not known
}

// joins reports whether the single dispatch next equals the dispatches that d stands for, so that d can count it
// instead of storing it. The caller must compare where the dispatches come from.
func (d *Dispatch) joins(next *Dispatch) bool {
	return d.Pipeline == next.Pipeline && d.Threads == uint64(d.Count)*next.Threads && d.Unsized == next.Unsized &&
		!d.Opaque && !next.Opaque
}

// A Pipeline is a compute pipeline state. Kernel is the name of its kernel function.
type Pipeline struct {
	ID      uint32
	Process *Process
	Kernel  string
	Label   string
	// distinguishes kernel functions of the same name: the source of the library and, if the function is specialised
	// with constants, a number; "" if not known
	Variant string

	// the framework operation that the kernel's name shows, for instance "Matmul"; see nameOperations
	primitive string
}

// A Scope is a time range that the program named with mtrace's marker functions. A mark is a scope without a length.
type Scope struct {
	Call
	Name string
	Mark bool

	shared     bool // another thread than Thread ended it
	Unfinished bool // it was still open when the process or thread ended, so it ends then
}

// A Signal records that the CPU set a shared event to a value.
type Signal struct {
	EventValue
	Process *Process
	At      Nanos
	Thread  *Thread
}

// A Compilation is one call that created a library, a function or a pipeline state, or a time in which a thread
// waited for child processes that compiled.
type Compilation struct {
	Call
	Selector   string
	Kind       string // "library", "function", "pipeline", "archive" or KindChildren
	Name       string // name of the function, or hash of the source
	SourceSize int64
	Failed     bool
	Made       uint32 // the created object's number in its process; 0 when not known
	// for a function, the number of its library; for a pipeline state, the number of its function; 0 when not known
	From   uint32
	Device *Device // the device that the library or pipeline state is for; nil when not known

	// the function was specialised by constants, which the trace does not have, so functions with equal names and
	// sources may still differ
	Specialised bool
}

// An Allocation is one buffer, texture or heap that was created.
type Allocation struct {
	At       Nanos
	Thread   *Thread
	Stack    *Stack // nil when not known
	Selector string
	Took     Nanos // length of the call; 0 when not known
	Bytes    uint64
	Storage  string // "shared", "managed", "private" or "memoryless"
	Address  uint64 // of its contents; 0 when not known
	Object   uint32 // its number in its process; 0 when not known
	// the memory is already counted by another Allocation: the heap that it comes from or, for a view, the viewed
	// resource. Totals must skip it
	OnHeap   bool
	Released Nanos // when it was released; 0 if it was not, or if that is not known (Memory.Releases)
	Copied   bool  // the call copied its initial content into it
}

// Freed is one release of memory. With Options.Adds, the Allocation with the same Object may be in an earlier range.
type Freed struct {
	At      Nanos
	Process *Process
	Object  uint32
}

// DeviceMemory is one sample of the total memory that a device reports as allocated by a process.
type DeviceMemory struct {
	At      Nanos
	Device  *Device // nil when not known
	Process *Process
	Bytes   uint64
}

// Loss counts events that happened but are not in the trace, by reason.
type Loss struct {
	Records   int64 // dropped because a ring was full or no ring was free
	Ringless  int64 // the part of Records from threads for which no ring was free
	Facts     int64 // names and labels dropped
	Unnamed   int64 // objects that got no number
	Nested    int64 // nested calls that are omitted on purpose, because the outer call represents them
	Children  int64 // forked children that passed through untraced
	Untimed   int64 // Metal 4 command buffers without GPU times: it is not known which feedback belongs to them
	Rejected  int64 // calls on exiting threads, or made by the tracer itself
	Processes int64 // processes that could not be traced: the number of their calls is not known
	// processes that used Metal and were still running when the recording ended: their later calls are not in the
	// trace
	Running int64
	Unused  int64 // processes that were still running when the recording ended and had not used Metal
	AtLeast bool  // Records is a lower bound
}

// Missing is something the source cannot tell.
type Missing struct{ What, Why string }
