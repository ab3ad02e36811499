package analyze

// ThreadID is the number that the operating system gave to a thread.
type ThreadID uint64

// A Process is one traced process.
type Process struct {
	ID      int
	Parent  int
	Program string
	Args    []string
	CPU     Nanos // processor time of the process and of the children that it waited for; 0 when not known
	Ended   Nanos // when the process or its recording ended; if neither is known, the time of its last record
	Exit    Exit  // how it ended
	Forked  int   // children by fork that did not call exec; they are not traced
	Alive   Alive // the process's command buffers
	Encoder Alive // the process's encoders

	// the delays that mtrace experiment inserted while the process ran; nil when there was no experiment
	Experiment *Experiment

	// processor use of all threads of the process together, ascending; empty when not known. See CPUIn
	CPUSamples []CPUSample
	writes     []uint64 // inodes of the pipes that it can write into
	// processor use of all programs on the machine while the process ran, ascending. See OthersIn
	OfMachine []CPUSample

	// for each object that Metal compiled in the background, the time from the request until Metal passed it to the
	// completion handler, and the thread that ran the handler; by end, ascending
	compiled []Call

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
	// not provide them.
	Working          Interval
	WorkingExclusive [PartCount]Nanos

	// OnlyIdle reports that in the whole trace the thread did nothing but wait for signals.
	OnlyIdle bool

	// Submits reports that the thread commits command buffers, or waits for them, somewhere in the trace, perhaps
	// outside of the loaded range. It is only set when a range is loaded.
	Submits bool

	CPU []CPUSample // in ascending order; empty when not known. See CPUIn

	// Exited reports that the thread ended before its process, or before the process's recording. It is false when that
	// is not known.
	Exited bool

	// Notified is the command buffer whose completion handlers the thread ran last; NoCommandBuffer when it never ran
	// any.
	Notified CommandBufferIndex

	late [PartCount]Nanos // the part of Exclusive after Working ended; see add

	Events int64
	Lost   int64
}

// An Exit tells how a process ended.
type Exit struct {
	Known   bool // Status and Signal are known
	Status  int  // exit status, when Signal is 0
	Signal  int  // number of the signal that killed the process, or 0
	Running bool // the process had not ended when its recording stopped
}

// A CPUSample holds a thread's processor time counters at an instant. The counters only grow from an arbitrary start,
// so only the difference of two samples is meaningful.
type CPUSample struct {
	At     Nanos
	Ran    Nanos // time on a processor
	Waited Nanos // time in which the thread was runnable and had no processor; NotKnown where the system does not tell
}

// NotKnown marks a duration that the source does not provide, where 0 would be a valid duration.
const NotKnown Nanos = -1

// number returns the process's ID; 0 for nil.
func (p *Process) number() int {
	if p == nil {
		return 0
	}
	return p.ID
}

// placed returns the process's position in its file; -1 for nil.
func (p *Process) placed() int {
	if p == nil {
		return -1
	}
	return p.place
}
