package xctrace

import "mtrace/analyze"

// BufferID is the number that Metal gives a command buffer or an encoder. It is the same in all tables of a
// recording. 0 means none.
type BufferID uint64

// SubmissionID is the number of one item of work on the GPU. 0 means none.
type SubmissionID uint64

// GPUInterval is a row of metal-gpu-intervals: the time in which a channel of the GPU worked on one stage of an
// encoder.
type GPUInterval struct {
	Start, Duration analyze.Nanos
	StartLatency    analyze.Nanos // from the commit to the start on the GPU, queueing included
	HasLatency      bool
	Channel         TextIndex
	Label           TextIndex    // "command buffer label:encoder label", or surfaces
	Process         ProcessIndex // 0: not attributed
	LabelProcess    ProcessIndex // the process the label names; 0: none
	GPU             TextIndex
	CommandBuffer   BufferID
	Encoder         BufferID
	Submission      SubmissionID
}

// Submission is a row of metal-application-command-buffer-submissions: one committed command buffer. The program
// created it at Start and committed it at Start+Duration.
type Submission struct {
	Start, Duration analyze.Nanos
	EncoderTime     analyze.Nanos // CPU time spent encoding
	Encoders        uint64
	Label           TextIndex
	GPU             TextIndex
	Process         ProcessIndex
	Thread          ThreadIndex // the thread that committed
	CommandBuffer   BufferID
	Frame           uint64
}

// Completion is a row of metal-command-buffer-completed.
type Completion struct {
	Time          analyze.Nanos
	CommandBuffer BufferID
}

// CommandBufferError is a row of metal-command-buffer-error.
type CommandBufferError struct {
	Time          analyze.Nanos
	CommandBuffer BufferID
	Code          uint64
}

// EncoderInterval is a row of metal-application-encoders-list: the CPU time from an encoder's creation to its end. It
// says nothing about the GPU.
type EncoderInterval struct {
	Start, Duration    analyze.Nanos
	Thread             ThreadIndex
	Process            ProcessIndex
	CommandBufferLabel TextIndex
	Label              TextIndex
	CommandBuffer      BufferID
	Encoder            BufferID
}

// ApplicationInterval is a row of metal-application-intervals: on the CPU, a command buffer (Encoder is 0) or an
// encoder in it.
type ApplicationInterval struct {
	Start, Duration analyze.Nanos
	Process         ProcessIndex
	Thread          ThreadIndex
	Depth           uint64
	Label           TextIndex
	CommandBuffer   BufferID
	Encoder         BufferID // 0: the row is a command buffer
}

// ApplicationEvent is a row of metal-application-event-interval: a completion or scheduled handler, or a debug group.
type ApplicationEvent struct {
	Start, Duration analyze.Nanos
	Type, Label     TextIndex
	Process         ProcessIndex
	Thread          ThreadIndex
}

// DriverInterval is a row of metal-driver-intervals: processing in the driver. It has no id, so it can be matched
// with other rows only by process and time.
type DriverInterval struct {
	Start, Duration analyze.Nanos
	Driver, Type    TextIndex
	Label           TextIndex
	Process         ProcessIndex
	Thread          ThreadIndex
}

// GPUState is a row of metal-gpu-state-intervals: whether the GPU was active, for any process.
type GPUState struct {
	Start, Duration analyze.Nanos
	State           TextIndex // Active or Idle
}

// PerformanceState is a row of gpu-performance-state-intervals.
type PerformanceState struct {
	Start, Duration analyze.Nanos
	State           TextIndex
	GPU             TextIndex
	Induced         bool // true if the recording forced the state, false if the GPU chose it by its load
}

// ShaderInterval is a row of metal-shader-profiler-intervals.
type ShaderInterval struct {
	Start, Duration analyze.Nanos
	Name, Label     TextIndex
	Type            TextIndex
	Percent         float64 // the shader's share, in percent, of the GPU work that ran it
	Process         ProcessIndex
	Channel         TextIndex
}

// ExecutionPoint is a row of metal-gpu-execution-points.
type ExecutionPoint struct {
	Time       analyze.Nanos
	Function   uint64 // 1 start, 2 end
	Submission SubmissionID
}

// SubmissionMap is a row of metal-gpu-submission-to-command-buffer-id.
type SubmissionMap struct {
	Time          analyze.Nanos
	CommandBuffer BufferID
	Encoder       BufferID
	Submission    SubmissionID
	Process       ProcessIndex
	Coalesced     uint64 // number of encoders merged into one
}

// ObjectLabel is a row of metal-object-label.
type ObjectLabel struct {
	Object BufferID
	Label  TextIndex
	PID    uint64
}

// CompilerActivity is a row of graphics-compiler-activity-intervals.
type CompilerActivity struct {
	Start, Duration analyze.Nanos
	Compiler        TextIndex
	Label           TextIndex
	Process         ProcessIndex
}

// AllocatedSize is a row of metal-current-allocated-size: how much memory a process had allocated from Start on.
type AllocatedSize struct {
	Start, Duration analyze.Nanos
	Process         ProcessIndex
	Bytes           uint64
}

// ResourceAllocation is a row of metal-resource-allocations.
type ResourceAllocation struct {
	Time    analyze.Nanos
	Process ProcessIndex
	Thread  ThreadIndex
	Label   TextIndex
	Type    TextIndex // Buffer, Texture …
	Event   TextIndex // Allocation, Deallocation
	Bytes   uint64
	Stack   StackIndex
}

// CounterInfo is a row of gpu-counter-info.
type CounterInfo struct {
	ID                uint64
	Name, Description TextIndex
	Max               uint64
}

// CounterValue is a row of gpu-counter-value.
type CounterValue struct {
	Time    analyze.Nanos
	Counter uint64
	Value   float64
}

// CounterInterval is a row of metal-gpu-counter-intervals.
type CounterInterval struct {
	Start, Duration analyze.Nanos
	Counter         uint64
	Name            TextIndex
	Value           float64
	Known           bool // Value is known; some counters have only a label
}

// SignpostInterval is a row of OSSignpostIntervals.
type SignpostInterval struct {
	Start, Duration           analyze.Nanos
	Name, Category, Subsystem TextIndex
	Message                   TextIndex
	Process                   ProcessIndex
	Thread                    ThreadIndex
}

// SignpostEvent is a row of os-signpost. Its Type is Begin, End or Event; the Begin and the End of an interval have
// the same Identifier.
type SignpostEvent struct {
	Time                      analyze.Nanos
	Name, Category, Subsystem TextIndex
	Type, Message, Identifier TextIndex
	Process                   ProcessIndex
	Thread                    ThreadIndex
}

// CPUSample is a row of time-profile, cpu-profile, counters-profile or time-sample. Weight is the time in ns that the
// sample stands for, or the cycles; in time-sample it is 0.
type CPUSample struct {
	Schema  string
	Cycles  bool // Weight is in cycles
	Time    analyze.Nanos
	Thread  ThreadIndex
	Process ProcessIndex
	State   TextIndex
	Kind    uint64 // time-sample: 0 timer, 3 stackshot
	Weight  uint64
	Stack   StackIndex
}

// TimeInfo is a row of time-info: the machine's clock in ticks when the recording began.
type TimeInfo struct{ Epoch uint64 }

// GPUInfo is a row of metal-gpu-info or device-gpu-info.
type GPUInfo struct {
	Name TextIndex
}
