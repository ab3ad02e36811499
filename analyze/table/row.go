package table

// The row structs define the tables for all formats and for the published schema: names, types and meaning of the
// columns. Times are nanoseconds on the clock of the traced machine; IDs are the traced process's.

type processRow struct {
	PID     int64  `parquet:"pid" doc:"process id"`
	Parent  int64  `parquet:"ppid,optional" doc:"process id of the parent"`
	Program string `parquet:"program" doc:"path of the program"`
	Args    string `parquet:"args,optional" doc:"its arguments, separated by spaces"`
	CPU     int64  `parquet:"cpu_ns,optional" doc:"processor time of the process and of the children that it waited for"`
}

type threadRow struct {
	PID    int64  `parquet:"pid" doc:"process id"`
	TID    int64  `parquet:"tid" doc:"the system's thread id"`
	Name   string `parquet:"name,optional" doc:"name of the thread"`
	Begin  int64  `parquet:"begin_ns" doc:"begin of its first call"`
	End    int64  `parquet:"end_ns" doc:"end of its last call"`
	Events int64  `parquet:"events" doc:"number of its calls that returned"`
	Lost   int64  `parquet:"lost" doc:"the thread's calls that are not in the trace"`
	timeSplitColumns
	SignalWait int64 `parquet:"signal_wait_ns,optional"`
	HandsOver  bool  `parquet:"hands_over,optional"`
	CPUKnown   int64 `parquet:"cpu_known_ns,optional"`
	CPU        int64 `parquet:"cpu_ns,optional" doc:"the part of cpu_known_ns on a processor"`
	Runnable   int64 `parquet:"runnable_ns,optional"`
}

// timeSplitColumns divide a thread's time from begin_ns to end_ns; their sum is exactly that time.
type timeSplitColumns struct {
	Encode      int64 `parquet:"encode_ns"`
	Commit      int64 `parquet:"commit_ns" doc:"in commit and enqueue"`
	Acquire     int64 `parquet:"acquire_ns" doc:"in calls that make command buffers"`
	Compile     int64 `parquet:"compile_ns" doc:"in calls that make libraries, functions and pipeline states"`
	Allocate    int64 `parquet:"allocate_ns" doc:"in calls that allocate"`
	Lock        int64 `parquet:"lock_ns" doc:"waiting for locks"`
	Drawable    int64 `parquet:"drawable_ns" doc:"waiting for a layer's next drawable"`
	Executing   int64 `parquet:"wait_executing_ns" doc:"waiting while the GPU ran the awaited work"`
	QueuedOwn   int64 `parquet:"wait_queued_own_ns" doc:"waiting while the GPU ran other work of the thread"`
	QueuedOther int64 `parquet:"wait_queued_other_ns" doc:"waiting while the GPU ran work of other threads"`
	Scheduling  int64 `parquet:"wait_scheduling_ns" doc:"waiting while the GPU ran nothing"`
	Notify      int64 `parquet:"wait_notify_ns" doc:"waiting after the GPU had ended"`
	Foreign     int64 `parquet:"wait_foreign_ns" doc:"waiting for work that another thread committed"`
	OtherAPI    int64 `parquet:"other_api_ns" doc:"in other calls"`
	Outside     int64 `parquet:"outside_ns" doc:"outside of all traced calls"`
}

type queueRow struct {
	PID      int64  `parquet:"pid" doc:"process id"`
	ID       int64  `parquet:"queue" doc:"number of the queue in its process"`
	Label    string `parquet:"label,optional" doc:"label of the queue"`
	Capacity int64  `parquet:"capacity,optional" doc:"maximum number of uncompleted command buffers"`
	Device   string `parquet:"device,optional" doc:"name of the device"`
	Software bool   `parquet:"software_metal" doc:"the device is a software Metal"`
}

type callRow struct {
	PID        int64  `parquet:"pid" doc:"process id"`
	TID        int64  `parquet:"tid" doc:"the system's thread id"`
	Selector   string `parquet:"selector" doc:"Objective-C selector or C symbol"`
	Class      string `parquet:"class,optional" doc:"class of the receiver"`
	Group      string `parquet:"group"`
	Begin      int64  `parquet:"begin_ns" doc:"when it was entered"`
	End        int64  `parquet:"end_ns" doc:"when it returned"`
	Duration   int64  `parquet:"duration_ns" doc:"duration, including nested calls"`
	Object     int64  `parquet:"object,optional" doc:"number of the receiver, or of the object that the call is about"`
	Arg        uint64 `parquet:"arg,optional" doc:"the call's argument or result; docs/wire.md defines it for each call"`
	ArgText    string `parquet:"arg_text,optional" doc:"the argument, if it is a text"`
	X0         uint64 `parquet:"x0,optional"`
	X0Text     string `parquet:"x0_text,optional" doc:"the first additional value of the call, if it is a text"`
	X1         uint64 `parquet:"x1,optional" doc:"the second additional value; docs/wire.md defines it"`
	X1Text     string `parquet:"x1_text,optional" doc:"the second additional value of the call, if it is a text"`
	X2         uint64 `parquet:"x2,optional" doc:"the third additional value; docs/wire.md defines it"`
	X3         uint64 `parquet:"x3,optional" doc:"the fourth additional value; docs/wire.md defines it"`
	Failed     bool   `parquet:"failed,optional" doc:"the call returned nil, NO or an error"`
	Unfinished bool   `parquet:"unfinished,optional"`
}

type commandBufferRow struct {
	PID         int64  `parquet:"pid" doc:"process id"`
	ID          int64  `parquet:"command_buffer" doc:"number of the command buffer in its process"`
	Queue       int64  `parquet:"queue,optional" doc:"number of its queue"`
	Label       string `parquet:"label,optional" doc:"its label"`
	Status      string `parquet:"status" doc:"its last known MTLCommandBufferStatus"`
	ErrorCode   int64  `parquet:"error_code,optional" doc:"its error code"`
	Error       string `parquet:"error,optional" doc:"Metal's error message"`
	CreatedBy   int64  `parquet:"created_by,optional" doc:"thread that made it"`
	CreateBegin int64  `parquet:"create_begin_ns,optional" doc:"its creation was entered"`
	CreateEnd   int64  `parquet:"create_end_ns,optional" doc:"its creation returned"`
	Enqueued    int64  `parquet:"enqueue_begin_ns,optional" doc:"enqueue was entered"`
	CommittedBy int64  `parquet:"committed_by,optional" doc:"thread that committed it"`
	CommitBegin int64  `parquet:"commit_begin_ns,optional" doc:"commit was entered"`
	CommitEnd   int64  `parquet:"commit_end_ns,optional" doc:"commit returned"`
	Scheduled   int64  `parquet:"scheduled_ns,optional" doc:"it was scheduled"`
	KernelBegin int64  `parquet:"kernel_begin_ns,optional"`
	KernelEnd   int64  `parquet:"kernel_end_ns,optional" doc:"kernelEndTime"`
	GPUBegin    int64  `parquet:"gpu_begin_ns,optional" doc:"GPUStartTime"`
	GPUEnd      int64  `parquet:"gpu_end_ns,optional" doc:"GPUEndTime"`
	GPU         int64  `parquet:"gpu_ns,optional"`
	Completed   int64  `parquet:"completed_ns,optional" doc:"its completion handlers began to run"`
	Handlers    int64  `parquet:"handlers,optional" doc:"completion handlers that the program added"`
	Encoders    int64  `parquet:"encoders" doc:"number of its encoders"`
	Dispatches  int64  `parquet:"dispatches" doc:"number of its dispatches"`
}

type gpuWorkRow struct {
	PID           int64  `parquet:"pid" doc:"process id"`
	CommandBuffer int64  `parquet:"command_buffer" doc:"number of the command buffer that it ran"`
	Encoder       int64  `parquet:"encoder,optional"`
	Device        string `parquet:"device,optional" doc:"name of the GPU"`
	Channel       string `parquet:"channel,optional"`
	Label         string `parquet:"label,optional" doc:"its label"`
	Begin         int64  `parquet:"begin_ns" doc:"when it began"`
	End           int64  `parquet:"end_ns" doc:"when it ended"`
	GPU           int64  `parquet:"gpu_ns"`
}

type encoderRow struct {
	PID           int64  `parquet:"pid" doc:"process id"`
	ID            int64  `parquet:"encoder" doc:"number of the encoder in its process"`
	CommandBuffer int64  `parquet:"command_buffer" doc:"its command buffer"`
	Kind          string `parquet:"kind" doc:"compute, blit, render or other"`
	Label         string `parquet:"label,optional" doc:"its label"`
	TID           int64  `parquet:"tid,optional" doc:"thread that made it"`
	Begin         int64  `parquet:"begin_ns,optional" doc:"its creation was entered"`
	End           int64  `parquet:"end_ns,optional" doc:"endEncoding returned"`
	GPUBegin      int64  `parquet:"gpu_begin_ns,optional" doc:"when the encoder began on the GPU, if that was measured"`
	GPUEnd        int64  `parquet:"gpu_end_ns,optional" doc:"when the encoder ended on the GPU, if that was measured"`
	GPU           int64  `parquet:"gpu_ns,optional" doc:"its time on the GPU"`
	GPUTiming     string `parquet:"gpu_timing,optional"`
	Unmeasured    string `parquet:"gpu_unmeasured,optional"`
	Dispatches    int64  `parquet:"dispatches" doc:"number of its dispatches"`
	Copies        int64  `parquet:"copies" doc:"number of its copies and fills"`
	CopyBytes     uint64 `parquet:"copy_bytes" doc:"bytes that its copies and fills wrote"`
	Operation     string `parquet:"operation,optional"`
	OperationFrom string `parquet:"operation_from,optional" doc:"source of the operation's name, as in dispatches"`
}

type dispatchRow struct {
	PID      int64  `parquet:"pid" doc:"process id"`
	Encoder  int64  `parquet:"encoder" doc:"its encoder"`
	At       int64  `parquet:"begin_ns" doc:"when the first dispatch of the run was called"`
	Pipeline int64  `parquet:"pipeline,optional" doc:"number of the pipeline state"`
	Kernel   string `parquet:"kernel,optional" doc:"name of its function"`
	Count    int64  `parquet:"count" doc:"number of equal consecutive dispatches in this row"`
	Threads  uint64 `parquet:"threads,optional" doc:"number of GPU threads of these dispatches together"`

	Operation     string `parquet:"operation,optional" doc:"the program's name for this work"`
	OperationFrom string `parquet:"operation_from,optional"`
}

type waitRow struct {
	PID           int64  `parquet:"pid" doc:"process id"`
	TID           int64  `parquet:"tid" doc:"thread that waited"`
	Selector      string `parquet:"selector" doc:"the call"`
	Begin         int64  `parquet:"begin_ns" doc:"it was entered"`
	End           int64  `parquet:"end_ns" doc:"it returned"`
	Duration      int64  `parquet:"duration_ns" doc:"how long it took"`
	CommandBuffer int64  `parquet:"command_buffer,optional"`
	CommittedBy   int64  `parquet:"committed_by,optional" doc:"thread that committed that command buffer"`
	Event         int64  `parquet:"event,optional" doc:"the event it waited for"`
	Value         uint64 `parquet:"value,optional" doc:"the event's value"`
	SignaledBy    int64  `parquet:"signaled_by,optional" doc:"thread that set the event to the value"`
	Executing     int64  `parquet:"executing_ns,optional"`
	QueuedOwn     int64  `parquet:"queued_own_ns,optional"`
	QueuedOther   int64  `parquet:"queued_other_ns,optional"`
	Scheduling    int64  `parquet:"scheduling_ns,optional" doc:"while the GPU ran nothing"`
	Notify        int64  `parquet:"notify_ns,optional" doc:"after the GPU had ended"`
	Foreign       int64  `parquet:"foreign_ns,optional"`
	Interpreter   string `parquet:"interpreter_lock,optional" doc:"CPython's GIL when the wait began: held or not held"`
	Unfinished    bool   `parquet:"unfinished,optional" doc:"the process ended inside the wait"`
}

type lockRow struct {
	PID         int64  `parquet:"pid" doc:"process id"`
	TID         int64  `parquet:"tid" doc:"thread that waited"`
	Selector    string `parquet:"selector" doc:"the call"`
	Begin       int64  `parquet:"begin_ns" doc:"it was entered"`
	End         int64  `parquet:"end_ns" doc:"it returned"`
	Own         int64  `parquet:"own_ns" doc:"the call's time without calls nested in it"`
	Lock        int64  `parquet:"lock" doc:"number of the lock"`
	Name        string `parquet:"name,optional" doc:"label or symbol of the lock"`
	Holder      int64  `parquet:"holder,optional" doc:"thread that held it"`
	Kept        int64  `parquet:"kept_ns,optional"`
	Interpreter string `parquet:"interpreter_lock,optional" doc:"CPython's GIL when the wait began: held or not held"`
}

type signalWaitRow struct {
	PID       int64  `parquet:"pid" doc:"process id"`
	TID       int64  `parquet:"tid" doc:"thread that waited"`
	Selector  string `parquet:"selector" doc:"the call"`
	Begin     int64  `parquet:"begin_ns" doc:"it was entered"`
	End       int64  `parquet:"end_ns" doc:"it returned"`
	Duration  int64  `parquet:"duration_ns" doc:"duration of the wait, which is part of the thread's outside_ns"`
	Object    uint64 `parquet:"object,optional" doc:"address of the condition variable or semaphore"`
	Name      string `parquet:"name,optional" doc:"symbol of the object, or the function that waited"`
	Signaller int64  `parquet:"signaller,optional" doc:"thread that gave the signal"`
	Signalled int64  `parquet:"signalled_ns,optional" doc:"when it gave the signal"`
	Gave      uint64 `parquet:"gave,optional"`
	GivenBack bool   `parquet:"given_back,optional"`
	TimedOut  bool   `parquet:"timed_out,optional" doc:"no signal came in time"`
}

type allocationRow struct {
	PID      int64  `parquet:"pid" doc:"process id"`
	TID      int64  `parquet:"tid" doc:"the system's thread id"`
	At       int64  `parquet:"begin_ns" doc:"the call was entered"`
	Selector string `parquet:"selector" doc:"the call"`
	Bytes    uint64 `parquet:"bytes" doc:"size"`
	Storage  string `parquet:"storage" doc:"shared, managed, private or memoryless"`
	Address  uint64 `parquet:"address,optional" doc:"address of its contents"`
	Object   int64  `parquet:"object,optional" doc:"its number in its process"`
	OnHeap   bool   `parquet:"on_heap,optional" doc:"the memory comes from a heap, which has a row of its own"`
	Released int64  `parquet:"released_ns,optional" doc:"when it was released"`
}

type compilationRow struct {
	PID        int64  `parquet:"pid" doc:"process id"`
	TID        int64  `parquet:"tid" doc:"the system's thread id"`
	Selector   string `parquet:"selector" doc:"the call"`
	Kind       string `parquet:"kind"`
	Name       string `parquet:"name,optional" doc:"name of the function, or hash of the source"`
	SourceSize int64  `parquet:"source_bytes,optional" doc:"size of the source"`
	Begin      int64  `parquet:"begin_ns" doc:"the call was entered"`
	End        int64  `parquet:"end_ns" doc:"it returned"`
	Duration   int64  `parquet:"duration_ns" doc:"how long it took"`
	Failed     bool   `parquet:"failed,optional" doc:"it returned nil or an error"`
}

type scopeRow struct {
	PID   int64  `parquet:"pid" doc:"process id"`
	TID   int64  `parquet:"tid" doc:"the system's thread id"`
	Name  string `parquet:"name" doc:"the name that the program gave to the time range"`
	Begin int64  `parquet:"begin_ns" doc:"its begin"`
	End   int64  `parquet:"end_ns" doc:"its end"`
	Mark  bool   `parquet:"mark,optional" doc:"it is a mark: an instant without a length"`

	Unfinished bool `parquet:"unfinished,optional" doc:"the scope was still open when the process, or the thread, ended"`
}

type memoryRow struct {
	PID    int64  `parquet:"pid" doc:"process id"`
	Device string `parquet:"device,optional" doc:"name of the device"`
	At     int64  `parquet:"at_ns" doc:"when the device was asked"`
	Bytes  uint64 `parquet:"bytes" doc:"memory allocated for the process on the device, as the device reports it"`
}

type processorRow struct {
	PID    int64 `parquet:"pid" doc:"process id"`
	TID    int64 `parquet:"tid" doc:"the system's thread id"`
	At     int64 `parquet:"at_ns" doc:"when it was read"`
	Ran    int64 `parquet:"ran_ns" doc:"how long the thread had run up to this instant"`
	Waited int64 `parquet:"waited_ns"`
}
