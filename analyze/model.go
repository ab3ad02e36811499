// Package analyze holds the model of a traced run: threads, queues, command buffers, encoders, waits, kernels. Loaders
// fill it from our own traces (load.go) and from Instruments' exports (analyze/xctrace); the sub-packages ask their
// questions of it and do not know where it came from.
//
// What there may be millions of is an array a kind, in the order of time: command buffers, with their encoders,
// dispatches and rows of GPU work side by side; waits, locks, signals, allocations. They refer to command buffers by
// CommandBufferIndex, and so does what is learned of these: a column alongside them, not a map. A pointer to one is a
// place to read from, for as long as the trace is looked at.
//
// Threads, processes, queues, devices, pipelines and stacks are objects, and pointers to them are their identity: a run
// of ten million calls has nine threads, as many queues, one device and three pipelines, of which parts and slices of a
// run share the very values, though each numbers its own anew. That pointers to them are in the arrays costs what the
// collector of garbage looks at: it takes 6% of a report's processor time in all. Strings are those of the file's own
// table, each once.
package analyze

import "time"

// Nanos is an instant or a duration in nanoseconds. Instants are on the monotonic clock of the traced machine, the
// clock of Metal's GPU times; only differences mean something across traces.
type Nanos int64

// Interval is the half-open time from Begin to End.
type Interval struct{ Begin, End Nanos }

// Length is the interval's duration; 0 when it is empty or not known.
func (i Interval) Length() Nanos { return max(0, i.End-i.Begin) }

// Known says whether the interval was measured: Metal gives 0 for times it does not have.
func (i Interval) Known() bool { return i.Begin > 0 && i.End >= i.Begin }

// holds says whether an instant is in the interval, whose end is not.
func (i Interval) holds(at Nanos) bool { return at >= i.Begin && at < i.End }

// ThreadID is the system's number of a thread.
type ThreadID uint64

// A Trace is one run, of one process or several, or a Range of it. It is complete when a loader returns it, and is
// read-only from then on.
type Trace struct {
	Source Source
	Run    Run
	Window Interval // from the first call to the end of the run (Process.Ended), within the range that was asked for
	Range  Range

	Processes      []*Process
	Threads        []*Thread
	Devices        []*Device
	Queues         []*Queue
	Pipelines      []*Pipeline
	Stacks         []*Stack        // each once; empty if they were not recorded
	CommandBuffers []CommandBuffer // by creation; Buffers iterates over them
	Elsewhere      []DeviceWork    // GPU work of processes that were not asked for
	Waits          []Wait          // for the GPU, by Begin
	CPUWaits       CPUWaits
	Signals        []Signal // of shared events, by the CPU
	Scopes         []Scope  // by Begin
	Compilations   []Compilation
	Memory         Memory
	Calls          []*CallStat
	Unfinished     []UnfinishedCall
	Events         int64 // calls in the trace that returned: the sum of the counts of Calls

	Recording Recording
	Warnings  []string // for the reader of a report, one line each
}

// A Run is the extent of the whole run, whatever range of it was loaded.
type Run struct {
	Origin Nanos // the instant that Options.From and To count from
	Length Nanos // from Origin to the end of the run; 0 if not known
}

// CPUWaits are the waits of threads for something other than the GPU, each list by Begin.
type CPUWaits struct {
	Locks     []LockWait
	Signals   []SignalWait
	Blocked   []BlockedWait // waits outside of Metal that are neither of the above
	Children  []ChildWait
	Drawables []Call // calls that wait for a layer's next drawable
}

// Memory is what was allocated and released.
type Memory struct {
	Allocations []Allocation   // by At
	Device      []DeviceMemory // in ascending order
	Releases    int            // memory released; 0 may mean that the source does not tell
	Freed       []Freed        // each of Releases, of a range that adds up with others (Options.Adds)
}

// Recording states how the trace was recorded: what that cost, what is missing, and what was checked.
type Recording struct {
	Overhead      Overhead
	Stacks        Capture
	Lost          Loss
	Coverage      []Coverage // of the processes that used Metal; empty if the source does not tell
	EncoderTiming bool       // encoders' GPU times were asked for, which changes how the program's encoders are made

	doubts doubts
}

// A Range states which time range of its run a trace has. It is zero for a whole run, except for RequestObjects.
type Range struct {
	// RequestObjects are the addresses of condition variables and semaphores by which threads request something from
	// another thread, as other ranges of the run show. A thread that always finds the next request there never waits
	// for one, so few ranges show them.
	RequestObjects map[uint64]bool

	asked    Interval        // of a range that adds up with others, the time that was asked for
	held     Interval        // of a slice, the time in which everything ends that counts in it
	reach    Interval        // of a slice, what Window would be if the slice were the whole run
	referred []CommandBuffer // command buffers that were waited for, and not alive in the time that was asked for
}

// Began says whether something that began at an instant counts in the trace. In a range that adds up with others
// (Options.Adds) only what began in the range counts.
func (t *Trace) Began(at Nanos) bool { return !t.Adds() || t.Range.asked.holds(at) }

// Holds says whether something that ended at an instant counts in the trace. In a slice only what ended in the slice's
// own time counts.
func (t *Trace) Holds(at Nanos) bool { return !t.isSlice() || t.Range.held.holds(at) }

func (t *Trace) isSlice() bool { return t.Range.held != (Interval{}) }

// Adds says whether the trace is of a range that adds up with others (Options.Adds).
func (t *Trace) Adds() bool { return t.Range.asked != (Interval{}) }

// Empty says that nothing happened: no call, no command buffer, no scope.
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
	SoftwareMetal bool // the device is a software Metal: its times say nothing about a GPU
	Started       time.Time
	Wall          Nanos      // duration of the run as the tracer saw it
	Truncated     bool       // the trace is not all of its recording: see Short
	Short         *Shortfall // nil when it is

	Recorded []Recorded // the times that were recorded, where that is not all of the run
	Selected []string   // which calls were asked for, flag by flag, where that is not all of them
	LeftOut  int64      // records that were not asked for
	// WaitsUnseen is in how many processes no wait for a lock or a signal could be recorded.
	WaitsUnseen int
	Asked       string // how less than all was asked for, where there are no times, or they are not known; else empty

	Unrecorded Unrecorded
	Missing    []Missing // what the source cannot tell, so that a verdict can say so
}

// Unrecorded states what no trace of a source has, whatever the program did. Of the zero value everything is recorded.
type Unrecorded struct{ Waits, Locks, Calls, KernelNames bool }

// HasWaits says whether the source records calls that wait for the GPU.
func (s *Source) HasWaits() bool { return !s.Unrecorded.Waits }

// HasLocks says whether the source records waits for locks and signals.
func (s *Source) HasLocks() bool { return !s.Unrecorded.Locks }

// HasCalls says whether the source records the calls of Metal one by one.
func (s *Source) HasCalls() bool { return !s.Unrecorded.Calls }

// HasKernelNames says whether the source records which kernel a dispatch is of.
func (s *Source) HasKernelNames() bool { return !s.Unrecorded.KernelNames }

// Overhead is what recording cost the threads that made the calls, without their stacks. It is zero if the source does
// not tell.
type Overhead struct {
	Took     Nanos // by all calls together
	Measured bool  // by the tracer, in the processes themselves; otherwise what is usual with the clock that they used
}

// A Process is one traced process.
type Process struct {
	ID      int
	Parent  int
	Program string
	Args    []string
	CPU     Nanos // processor time that it, and the children it waited for, used; 0 when not known
	Ended   Nanos // when it ended, or its recording stopped; of a trace that does not say, its last record
	Exit    Exit  // how it ended

	Experiment *Experiment // what mtrace changed in it while it ran; nil when it did not

	CPUSamples []CPUSample // of all its threads together, in ascending order; empty when not known. See CPUIn
	writes     []uint64    // inodes of pipes that it can write into
	OfMachine  []CPUSample // of all programs of the machine, while the process was there. See OthersIn

	place int // in its file: processes of several machines, and one after another, may have one ID
}

// A Thread is one thread of a process that made Metal calls. Exclusive holds, per part of the partition, the time spent
// inside calls of that part and not inside calls nested in them; waits are in Trace.Waits and not in Exclusive.
type Thread struct {
	Process   *Process
	ID        ThreadID
	Name      string
	Active    Interval // from its first to its last call
	Exclusive [PartCount]Nanos

	// Working is the part of Active from making its first command buffer, or its first wait, to its last commit or wait:
	// without start-up and tear-down. WorkingExclusive is Exclusive in it. Both are zero when the loader does not tell.
	Working          Interval
	WorkingExclusive [PartCount]Nanos

	// OnlyIdle says that all that is known of the thread, in the whole trace, is that it waited for signals.
	OnlyIdle bool

	// Submits says of a part of a trace that the thread commits command buffers, or waits for them, somewhere in the
	// trace.
	Submits bool

	CPU []CPUSample // in ascending order; empty when not known. See CPUIn

	// Notified is the command buffer whose completed handlers the thread ran last; NoCommandBuffer when it ran none.
	Notified CommandBufferIndex

	late [PartCount]Nanos // of Exclusive, what came after Working

	Events int64
	Lost   int64
}

// Part is a part of a thread's time. The parts a wait splits into come from the model, the others straight from calls.
type Part uint8

// The parts, in the order of the report. Their JSON keys are Part.Key.
const (
	PartEncode Part = iota
	PartCommit
	PartAcquire
	PartCompile
	PartAllocate
	PartLock
	PartDrawable
	PartWaitExecuting
	PartWaitQueuedOwn
	PartWaitQueuedOther
	PartWaitScheduling
	PartWaitNotify
	PartWaitForeign
	PartOtherAPI
	PartOutside
	PartCount = iota
)

var partKeys = [PartCount]string{"encode_ns", "commit_ns", "acquire_ns", "compile_ns", "allocate_ns", "lock_ns",
	"drawable_ns", "wait_executing_ns", "wait_queued_own_ns",
	"wait_queued_other_ns", "wait_scheduling_ns", "wait_notify_ns", "wait_foreign_ns", "other_api_ns", "outside_ns"}

// Key is the part's key in JSON reports.
func (p Part) Key() string { return partKeys[p] }

// A Device is a GPU. Processes that name the same device of the same host share it. Of several with one name all but
// the first have their number in it: "GPU #2".
type Device struct {
	Host, Name string
	Software   bool   // a software Metal
	Registry   uint64 // the system's number of it; 0 when not known
	WorkingSet uint64 // bytes of memory that it recommends to use at most; 0 when not known
}

// DeviceWork is a time in which a device ran something.
type DeviceWork struct {
	Device *Device
	Interval
}

// A Queue is a command queue.
type Queue struct {
	ID       uint32 // number in its process, by creation
	Process  *Process
	Device   *Device // nil when not known
	Label    string
	Capacity int // most command buffers that may be uncompleted at the same time; 0 when not known (Metal's default is 64)
}

// A Call is one call of a thread: when, by whom, from where. Thread and Stack are nil when they are not known: stacks
// are recorded when they are asked for, and not of every call.
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

// A CommandBufferIndex is the place of a command buffer in its trace: the first of Trace.CommandBuffers is 1.
// Trace.Buffer finds it.
type CommandBufferIndex int32

// NoCommandBuffer is the index of none.
const NoCommandBuffer CommandBufferIndex = 0

// A CommandBuffer is one command buffer from creation to completion. What did not happen, or is not known, is zero.
type CommandBuffer struct {
	ID        uint32 // number in its process, by creation
	Index     CommandBufferIndex
	Process   *Process // nil when not known
	Queue     *Queue   // nil when not known
	Label     string
	Created   Call
	Enqueued  Call
	Committed Call
	// GPUStartTime to GPUEndTime: from the begin of its first work to the end of its last; how long it worked is Took
	GPU       Interval
	Rows      []GPUWork // what the GPU did of it, by begin, where the source has that apart; read them with GPUWork
	Kernel    Interval  // kernelStartTime to kernelEndTime: scheduling by the driver on the CPU
	Scheduled Nanos     // the tracer's scheduled handler
	Completed Interval  // the tracer's completion handler
	Handlers  int       // completion handlers that the program added
	Status    CommandBufferStatus
	ErrorCode int
	Error     string // what Metal says of it; empty when it is not recorded
	Encoders  []Encoder
	Layer     *Layer       // who made it; nil is the program itself
	Signals   []EventValue // shared events it signals
	WaitsFor  []EventValue // shared events it waits for

	withOptions bool // its commit had options of the program's own
}

// Empty says that nothing was encoded into the command buffer, so that it can only be there to be waited for. It means
// something only where encoders are recorded: see Trace.Encoded.
func (b *CommandBuffer) Empty() bool {
	return len(b.Encoders) == 0 && len(b.Signals) == 0 && len(b.WaitsFor) == 0 &&
		(b.Committed.Thread == nil || b.Committed.Thread.Lost == 0)
}

// Encoded says whether the trace has encoders at all.
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

// An Encoder is one command encoder: created by Created.Thread, open until Ended.
type Encoder struct {
	ID         uint32
	Kind       EncoderKind
	Label      string
	Created    Call
	Ended      Call
	GPU        Interval // measured by counter samples; zero otherwise
	Unmeasured string   // why GPU is not known though it was asked for; "" otherwise
	Dispatches []Dispatch
	Empty      int    // dispatches of no threads, which run nothing
	Layer      *Layer // who made it; nil is the program itself
	Names      *Names // of its copies and fills; nil when there is none
	CopyBytes  uint64
	Copies     int    // and fills
	Copied     []Copy // what was copied, without fills
}

// A Copy is a run of equal copies, one after another, from one place of the program.
type Copy struct {
	From, To uint32 // numbers of the buffers or textures in their process; 0 when not known
	Count    int
	Bytes    uint64 // of all of them together
	Stack    *Stack // of all of them; nil when not known
}

// A Dispatch is a run of equal dispatches, one after another, of one pipeline state, from one place of the program.
type Dispatch struct {
	Pipeline *Pipeline // nil when none was set while tracing
	// of an indirect command buffer; nil when it is a dispatch of its own, or when it is not known which
	Executes *Commands
	Count    int
	Threads  uint64 // of all of them together
	Unsized  bool   // how many threads is not known: the GPU reads it from memory
	Opaque   bool   // it executes commands of an indirect command buffer, and what Executes does not say is not known
	At       Nanos  // the first
	Layer    *Layer // who dispatched; nil is the program itself
	Names    *Names // of all of them; nil when not known
	Stack    *Stack // of all of them; nil when not known
}

// joins says whether a dispatch is one more of the run, but for where it came from.
func (d *Dispatch) joins(next *Dispatch) bool {
	return d.Pipeline == next.Pipeline && d.Threads == uint64(d.Count)*next.Threads && d.Unsized == next.Unsized &&
		!d.Opaque && !next.Opaque
}

// A Pipeline is a compute pipeline state; its Kernel is the name of its function.
type Pipeline struct {
	ID      uint32
	Process *Process
	Kernel  string
	Label   string
	// which function of that name: the source of its library and, if constants specialise it, which of them; "" if not
	// known
	Variant string

	primitive string // of a framework, for which the kernel's name stands; see nameOperations
}

// A Wait is one call in which a thread waited for a command buffer or an event.
type Wait struct {
	Call
	Selector string
	// what waitUntilCompleted, waitUntilScheduled and polling status wait for; none for events or when not known
	Buffer CommandBufferIndex
	// what waitUntilSignaledValue:timeoutMS: or polling signaledValue waits for; Buffer is then the one that signalled it
	Event    EventValue
	Signaled *Thread // who gave the event its value, when the CPU did; otherwise nil

	// Of a thread that polled status or signaledValue: how often it asked, from the wait's begin to its end, and the time
	// between its last two questions. 0 of a wait in a call.
	Polls   int
	PollGap Nanos

	Interpreter InterpreterLock // when the wait began

	Scheduled  bool // it waited until Buffer was scheduled, not until it had completed
	Unfinished bool // the thread was still waiting when its process ended
	Earlier    bool // it began in an earlier part, and counts there (Options.Adds)
}

// A LockWait is one call in which a thread waited for a lock, a semaphore or a serial dispatch queue.
type LockWait struct {
	Call
	Selector string
	Lock     uint64  // its address in its process; 0 when not known
	Name     string  // label or symbol of the lock
	Holder   *Thread // who held it; nil when not known
	Own      Nanos   // the call's time without that of calls nested in it; what counts as PartLock
	Kept     Nanos   // of Own, when the lock is an interpreter's: while threads that waited for something else kept it
	Earlier  bool    // it began in an earlier part, and counts there (Options.Adds)

	Interpreter InterpreterLock // when the wait began
}

// A SignalWait is one call in which a thread waited for another thread's signal, on a condition variable or a
// semaphore, for work as often as for a result, or for a child process. It is a part of what the thread did outside of
// Metal; one inside a Metal call is that call's own affair and not here.
type SignalWait struct {
	Call
	Selector  string
	Object    uint64  // address of the condition variable or semaphore in its process
	Name      string  // its symbol, or the function that waited
	Signaller *Thread // who gave the signal; nil when not known
	Signalled Nanos   // when; 0 when not known
	Gave      uint64  // address of what the waiting thread itself had signalled last, since its wait before; 0 for nothing
	GivenBack bool    // the semaphore was released by the thread that had taken it, as a lock is
	// who signalled had fetched, since its signal before and before it committed, from where the waiting thread had put
	// something
	Fetched  bool
	TimedOut bool
	Earlier  bool // it began in an earlier part, and counts there (Options.Adds)

	// it waited for a child process, whose program, or command, is Name; the rest of the above is not known then
	ForProcess bool
	Child      int // the ID of the process that ended; 0 when not known
}

// A Scope is a time to which the program gave a name; a mark is a scope without a length.
type Scope struct {
	Call
	Name string
	Mark bool

	shared     bool // another thread than Thread ended it
	Unfinished bool // the process, or the thread, ended inside it: it ends where that did
}

// A Signal is a value given to a shared event by the CPU.
type Signal struct {
	EventValue
	Process *Process
	At      Nanos
	Thread  *Thread
}

// A Compilation is one call that made a library, a function or a pipeline state, or a time in which a thread waited for
// children that did.
type Compilation struct {
	Call
	Selector   string
	Kind       string // "library", "function", "pipeline", "archive" or KindChildren
	Name       string // of the function, or the hash of the source
	SourceSize int64
	Failed     bool
	Made       uint32 // the new object's number in its process; 0 when not known
	// number of the library that a function is from, and of the function of a pipeline state; 0 when not known
	From   uint32
	Device *Device // that the library or pipeline state is for; nil when not known

	Specialised bool // a function with constants, which make functions of one name and source different
}

// An Allocation is one buffer (or other memory) made.
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
	OnHeap   bool   // it takes memory of a heap or, a view, of another resource, which is an Allocation of its own
	Released Nanos  // when it was released; 0 when it was not, or that is not known (Memory.Releases)
	Copied   bool   // the call copied what it holds into it
}

// Freed is memory that was released: the Allocation of that Object may be in an earlier part.
type Freed struct {
	At      Nanos
	Process *Process
	Object  uint32
}

// DeviceMemory is a device's own account of what is allocated, at an instant: for the process, by all of it.
type DeviceMemory struct {
	At      Nanos
	Device  *Device // nil when not known
	Process *Process
	Bytes   uint64
}

// Loss counts what is not in the trace though it happened.
type Loss struct {
	Records   int64 // dropped because a ring was full or no ring was free
	Ringless  int64 // of Records: those of threads that found no ring free
	Facts     int64 // names and labels dropped
	Unnamed   int64 // objects that got no number
	Nested    int64 // inner calls left out on purpose, because an outer one stands for them
	Children  int64 // forked children that passed through untraced
	Untimed   int64 // Metal 4 command buffers without GPU times: it is not known which feedback was theirs
	Rejected  int64 // calls on threads that were going away, or made by the tracer itself
	Processes int64 // processes that could not be traced: how much they called is not known
	// processes that used Metal and lived on when the recording ended: what they called after that is not in it
	Running int64
	Unused  int64 // processes that had not used Metal and lived on then
	AtLeast bool  // Records is what is known to be missing, and there may be more
}

// Missing is something the source cannot tell.
type Missing struct{ What, Why string }
