package tracefile

import "mtrace/collector/wire"

// ProcessIndex is the number of a process in its trace, from 0, in the order in which processes connected.
type ProcessIndex uint32

// A Process has everything that a trace contains about one traced process except its records.
type Process struct {
	wire.Hello
	Clock                        wire.ClockKind
	TimebaseNumer, TimebaseDenom uint32 // nanoseconds per tick of ClockMach, as a fraction
	// how far the process's monotonic clock is ahead of the collector's, in nanoseconds; 0 unless the process runs
	// in another time namespace. See Writer.Ahead
	Ahead       int64
	Samples     []wire.ClockSample // in ascending order of ticks and of nanoseconds
	Strings     map[wire.StringID]string
	Classes     map[uint8]Class // by the index in wire.Flags.Class
	Devices     map[wire.ObjectID]Device
	ThreadNames map[uint64]string // by the system's thread id
	ThreadTimes []wire.ThreadTime // sorted by thread, then by time
	Unhooked    []Unhooked        // classes whose objects appeared without hooks, in the order of arrival
	Canary      map[wire.Call]int // how often the self-check made each call; nil without a self-check
	// how long the recording of one call takes, in picoseconds, as measured in the process; 0 when not known
	Cost     int64
	Warnings []string // lines for the user, in the order of arrival
	// the reason why the process's waits for locks and signals are not recorded; empty if they are
	WaitsUnseen string
	// the reason why nothing is recorded of the process although it uses Metal; empty if it is recorded
	NotTraced string
	// the delays that `mtrace experiment` injected into the process; nil if there were none
	Experiment *wire.Experiment
	Code       Code
	End        *End // nil when the trace was cut before the process ended
	// the last counters that the collector wrote while the process ran; nil if there are none
	SoFar *End
	// the reason, in one line, why the process's records cannot be used, for example because its clock is lost; empty
	// if they can
	Unusable string

	known bool // Hello was read
	rings ringOwners
}

// Code describes the machine code of a process: its loaded files, the call stacks of recorded calls, and the
// functions in them.
type Code struct {
	Stacks  map[wire.StackID]wire.Stack
	Images  []wire.Image      // files of machine code in its memory, in the order in which they were seen
	Symbols map[uint64]Symbol // by return address
}

// A Class is an Objective-C class whose methods were hooked.
type Class struct {
	Name   string
	Family wire.Family
}

// An Unhooked is an Objective-C class with objects in the process whose methods the tracer could not hook. Calls of
// these methods are not recorded.
type Unhooked struct {
	Class
	Methods int // number of methods without a hook; 0 means that none has a hook
}

// A Symbol is what is known about one return address.
type Symbol struct {
	Name   string // the function that contains the address; empty if only the line is known
	File   string // source file; empty when not known
	Line   uint32 // line in File; 0 when not known
	NoCall bool   // no call precedes the address: this frame, and its callers, are invalid
}

// A Device is a Metal device that the process used.
type Device struct {
	Name       string
	Software   bool   // a software device: its GPU times are simulated
	Registry   uint64 // its registryID, the same in all processes of the machine; 0 when not known
	WorkingSet uint64 // its recommendedMaxWorkingSetSize, in bytes; 0 when not known
}

// An End describes how the recording of a process ended, and counts what is not in the trace.
type End struct {
	// false if nobody reported how the process ended; ExitStatus and Signal then mean nothing
	ExitKnown  bool `json:"exit_known"`
	ExitStatus int  `json:"exit_status"` // the exit status, when Signal is 0
	Signal     int  `json:"signal"`      // the number of the signal that killed it, or 0
	// processor time of the process and of the children for which it waited, in nanoseconds; 0 when not known
	CPU  int64 `json:"cpu_ns,omitempty"`
	Unix int64 `json:"unix_ns"` // when the collector saw the end, Unix time in nanoseconds
	// when the process, or its recording, ended, on the collector's monotonic clock in nanoseconds; 0 if not known
	At int64 `json:"at_ns,omitempty"`
	// the reason, in one line, why the recording of the process ended early; empty if it did not
	Note string `json:"note,omitempty"`
	// the process used Metal and still ran when its recording ended: its later calls are not in the trace
	Running    bool      `json:"running,omitempty"`
	Rings      []RingEnd `json:"rings,omitempty"`
	Unringed   uint64    `json:"unringed"`   // records lost because every ring was in use
	Unnumbered uint64    `json:"unnumbered"` // objects that got no number because the table of objects was full
	Nested     uint64    `json:"nested"`     // calls not recorded because they were made inside a recorded call
	Forks      uint64    `json:"forks"`      // children by fork that did not call exec; they are not traced
	// calls that were not recorded because their thread was exiting or inside the tracer, and marks that a thread
	// without Metal calls set before the process's first Metal call
	Rejected uint64 `json:"rejected"`
	// records that the collector read from the shared memory after the process had ended; they are in the trace
	Salvaged uint64        `json:"salvaged"`
	Current  []CurrentCall `json:"current,omitempty"`
	Blocked  []BlockedCall `json:"blocked,omitempty"`
	Polls    []PolledCall  `json:"polls,omitempty"`
	Lives

	LeftOut  uint64     `json:"left_out,omitempty"` // records that were not selected: see Info
	Recorded []Recorded `json:"recorded,omitempty"` // as in Result, as far as it was known when this End was written

	// lines about impossible counters, which are set to 0 here; the number of lost records is then not known
	Distrusted []string `json:"distrusted,omitempty"`

	NestedBy map[string]uint64 `json:"nested_by,omitempty"` // Nested, by the name of the family
	// command buffers that queues accepted; zero if Metal has no internal function at which they can be counted, or
	// if no command buffer was committed
	Commits wire.Audit `json:"commits,omitzero"`
	// command buffers whose completion Metal reported to their queue
	Completions wire.Audit `json:"completions,omitzero"`
}

// Lives counts the objects that were created and freed, for command buffers and encoders: the trace has no record of
// each time that one is freed. A count is zero if the tracer could not see when the objects are freed.
type Lives struct {
	// how many command buffers were created and freed; zero if not known
	CommandBuffers wire.Alive `json:"command_buffers,omitzero"`
	// how many encoders were created and freed; zero if not known
	Encoders wire.Alive `json:"encoders,omitzero"`
}

// Lost returns how many records of the process are not in the trace because they were dropped.
func (e *End) Lost() uint64 {
	n := e.Unringed
	for _, r := range e.Rings {
		n += r.Dropped
	}
	return n
}

// DroppedByThread returns how many records were dropped because ring buffers were full, by the system's thread id.
func (e *End) DroppedByThread() map[uint64]uint64 {
	m := map[uint64]uint64{}
	for _, r := range e.Rings {
		for _, l := range r.Losses {
			m[l.Thread] += l.Records
		}
	}
	return m
}

// A RingEnd is the final state of one ring (a buffer of records in shared memory).
type RingEnd struct {
	Ring         uint16 `json:"ring"`
	Thread       uint64 `json:"thread"`           // the system's id of the thread that had the ring last
	Head         uint64 `json:"head"`             // records ever published
	Dropped      uint64 `json:"dropped"`          // records dropped because the ring was full
	FactsHead    uint64 `json:"facts_head"`       // bytes of facts ever published
	FactsDropped uint64 `json:"facts_dropped"`    // facts dropped because there was no room
	Losses       []Loss `json:"losses,omitempty"` // Dropped, split by thread
	Exited       bool   `json:"exited,omitempty"` // Thread has exited
}

// A Loss is how many records of one thread were dropped.
type Loss struct {
	Thread  uint64 `json:"thread"` // the system's thread id
	Records uint64 `json:"records"`
}

// A CurrentCall is a call that a thread was executing when its process, or its recording, ended. The call has no
// record, because records are written at the end of a call.
type CurrentCall struct {
	Thread uint64        `json:"thread"` // the system's thread id
	Ring   uint16        `json:"ring"`
	Begin  wire.Ticks    `json:"begin"`
	Object wire.ObjectID `json:"object"`
	Call   wire.Call     `json:"call"`
	Value  uint64        `json:"value,omitempty"` // the event's value, if the call waits for one
	Flags  wire.Flags    `json:"flags,omitempty"` // the flags of its record, if the call is a wait
}

// A BlockedCall is a wait for a lock, a signal or a process that had not ended when the process, or its recording,
// ended. It may be inside a CurrentCall of the same thread.
type BlockedCall struct {
	Thread uint64     `json:"thread"` // the system's thread id
	Ring   uint16     `json:"ring"`
	Begin  wire.Ticks `json:"begin"`
	Call   wire.Call  `json:"call"`
	// the address of the lock, condition variable or semaphore, or the id of the process that is waited for
	Address uint64 `json:"address"`
	// the system's id of the thread that held the lock when the wait began; 0 when not known
	Holder      uint64     `json:"holder,omitempty"`
	Interpreter bool       `json:"interpreter,omitempty"`
	Flags       wire.Flags `json:"flags,omitempty"`
}

// A PolledCall is a loop in which a thread repeatedly asked for a status or a value and got the same answer until the
// process, or its recording, ended. The thread may have left the loop after Last.
type PolledCall struct {
	Thread    uint64        `json:"thread"` // the system's thread id
	Ring      uint16        `json:"ring"`
	Begin     wire.Ticks    `json:"begin"` // time of the first question
	Last      wire.Ticks    `json:"last"`  // time of the last question
	Questions uint64        `json:"questions"`
	Answer    uint64        `json:"answer"` // the answer to all questions
	Object    wire.ObjectID `json:"object"`
	Call      wire.Call     `json:"call"`
}
