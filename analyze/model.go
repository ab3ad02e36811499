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
	Kernel    Interval  // from kernelStartTime to kernelEndTime: the driver schedules the command buffer on the CPU
	Scheduled Nanos     // when the tracer's scheduled handler ran
	Completed Interval  // begin and end of the tracer's completion handler
	Handlers  int       // number of completion handlers that the program added
	HandledBy *Thread   // the thread that runs the completion handlers
	Status    CommandBufferStatus
	ErrorCode int
	Error     string // Metal's error message; empty when not recorded
	Encoders  []Encoder
	Layer     *Layer       // the framework that created the command buffer; nil when the program itself did
	Signals   []EventValue // the shared events that the GPU signals in this command buffer
	WaitsFor  []EventValue // the shared events that the GPU waits for in this command buffer

	withOptions bool // committed with an options object of the program, see commitMany
}

// Empty reports whether nothing was encoded into the command buffer. Programs commit empty command buffers to wait
// for earlier ones. If the trace has no encoders at all (Trace.Encoded is false), every command buffer seems empty.
func (b *CommandBuffer) Empty() bool {
	return len(b.Encoders) == 0 && len(b.Signals) == 0 && len(b.WaitsFor) == 0 &&
		(b.Committed.Thread == nil || b.Committed.Thread.Lost == 0)
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

// An EncoderUse is the interval in which one thread encoded into an encoder: from the thread's first call to its
// last, not counting the calls that create and end the encoder.
type EncoderUse struct {
	Interval
	Thread *Thread
}

// A Chain tells how far the dispatches of a serial compute encoder depend on each other. Two dispatches count as
// dependent if they bind the same buffer or texture. If the longest chain is short, the dispatches could run
// concurrently.
type Chain struct {
	Dispatches int // 0 when it is not known
	Longest    int // number of dispatches in the longest chain in which each may depend on the one before
}

// A Copy stands for consecutive equal copies that were made from one place in the program.
type Copy struct {
	From, To uint32 // numbers of the buffers or textures in their process; 0 when not known
	Count    int
	Bytes    uint64 // number of bytes of all Count copies together
	Stack    *Stack // where all of them were made; nil when not known
}

// A Dispatch stands for consecutive equal dispatches of one pipeline state that were made from one place in the
// program.
type Dispatch struct {
	Pipeline *Pipeline // nil when none was set while tracing
	// the commands of the indirect command buffer that this dispatch executes; nil when it executes none, or when the
	// commands are not known
	Executes *Commands
	Count    int
	Threads  uint64 // number of GPU threads of all Count dispatches together
	Unsized  bool   // the number of threads is not known, because the GPU reads it from memory
	// it executes an indirect command buffer, whose commands the GPU may have written itself. Pipeline, Count and Threads
	// then do not describe the work; Executes does if it is not nil
	Opaque bool
	At     Nanos  // time of the first of the equal dispatches
	Layer  *Layer // the framework layer that dispatched; nil means the program itself
	Names  *Names // the names of the dispatches; nil when not known
	Stack  *Stack // where all of them were made; nil when not known
}

// joins reports whether the single dispatch next equals the dispatches that d stands for, so that d can count next
// instead of storing it. It does not compare the places in the program that made the dispatches; the caller must.
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
	// distinguishes kernel functions of the same name: the hash of the library's source and, if the function is
	// specialised with constants, a number; "" if not known
	Variant string

	// Kernel and Variant as one text, if enough command buffers run this variant to treat its work as different from
	// that of other variants; otherwise ""
	work string
	// the number of command buffers that dispatched it, and the ID of the last one
	uses     int
	lastUser uint32

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
	Selector      string
	Kind          string // "library", "function", "pipeline", "archive", KindChildren or KindBackground
	Name          string // name of the function, or hash of the source
	SourceSize    int64
	Failed        bool
	CreatedObject uint32 // the created object's number in its process; 0 when not known
	// for a function, the number of its library; for a pipeline state, the number of its function; 0 when not known
	From   uint32
	Device *Device // the device that the library or pipeline state is for; nil when not known

	// when Metal passed the object to the call's completion handler; 0 if the call returned the object, or if not known
	Ready Nanos

	// the function was specialised by constants. The trace does not have the constants, so functions of equal name and
	// source may still differ
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
	Address  uint64 // address of the memory's contents; 0 when not known
	Object   uint32 // its number in its process; 0 when not known
	// the memory is part of another Allocation: of the heap that it comes from or, for a view, of the viewed resource.
	// Totals must skip it, or it counts twice
	OnHeap   bool
	View     bool  // OnHeap, and the memory is that of a viewed resource
	Released Nanos // when it was released; 0 if it was not, or if that is not known (Memory.Releases)
	Copied   bool  // the call copied its initial content into it
}

// Freed is one release of memory. If only a range was loaded (Options.Adds), its Allocation, with the same Object,
// may be in an earlier range.
type Freed struct {
	At      Nanos
	Process *Process
	Object  uint32
}

// A Lifetime states when a queue, an event, a fence, a library, a pipeline state or a residency set was created and
// released. Memory, command buffers and encoders have no Lifetimes.
type Lifetime struct {
	At       Nanos // when it was created
	Released Nanos // 0 if the object was not released, or if that is not known, as always with Options.Adds
	Thread   *Thread
	Stack    *Stack // nil when not known
	Selector string // selector of the call that created the object
	Class    string // "event"
	Object   uint32 // its number in its process
}

// An AliveSample is how many command buffers and encoders of a process were created and not freed at an instant.
type AliveSample struct {
	At                       Nanos
	Process                  *Process
	CommandBuffers, Encoders int
}

// DeviceMemory is one sample of the total memory that a device reports as allocated by a process.
type DeviceMemory struct {
	At      Nanos
	Device  *Device // nil when not known
	Process *Process
	Bytes   uint64
}

// Commands are the commands that one execution of an indirect command buffer runs. Executions that run the same
// commands share one Commands value, which must not be changed.
type Commands struct {
	// the dispatches in order, without dispatches of zero threads; a single dispatch marked Opaque when no command is
	// known
	Runs []Dispatch
}

// Names are the debug groups, labels and scope that applied to some GPU work when it was encoded. Equal Names share
// one pointer.
type Names struct {
	Group       string // the encoder's innermost debug group
	BufferGroup string // the command buffer's innermost debug group
	Scope       string // the innermost scope that the thread was in
	Label       string // the command buffer's label at that time; empty if it had none, or if another thread set it
	Added       string // the part that was last appended to Label
	Grows       bool   // the program encodes work between additions to Label, so Label names several operations

	thread *Thread
}

// GPUWork is a row of GPU work: a time in which one channel of the GPU ran something of a command buffer. Rows of a
// command buffer may overlap, have gaps between them, and interleave with rows of other command buffers. So GPU time
// must be computed as the union of rows (see Took); their plain sum counts twice what ran at the same time.
type GPUWork struct {
	Interval
	// the channel's name in Instruments: "Vertex", "Fragment", "Compute" or "Blit"; "" when not known, as always in
	// mtrace's own traces
	Channel string
	Encoder int // index into the command buffer's Encoders; NoEncoder when the row is for the whole command buffer
	Label   string
}
