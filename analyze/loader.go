package analyze

import (
	"slices"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

type loader struct {
	trace     *Trace
	window    Interval // the requested range
	onCall    func(*VisitedCall)
	only      []int // the processes to look at; empty means all
	adds      bool  // Options.Adds
	slice     *slicing
	stats     map[statKey]*CallStat
	devices   map[Device]*Device
	processes []*processLoader
	threads   []*threadLoader
	buffers   []*CommandBuffer       // the command buffers that the trace will have
	roles     map[threadOfFile]roles // the threads' roles in the whole trace, for when only a part of it is read
	skewed    int64                  // calls whose times cannot be right
	stray     int64
}

// clip returns the part of an interval that is in the requested range; false if there is none. An instant on the
// border of two ranges belongs to the later range, so that events without a duration are never counted twice.
func (l *loader) clip(i Interval) (Interval, bool) {
	c, visible := i.in(l.window)
	if l.slice != nil {
		c, _ = i.in(l.slice.whole)
	}
	return c, visible
}

// device returns the model's device for a process's device number; nil when not known. Processes of one host that
// name the same device share one Device. If the number is not known and the process has only one device, device
// returns that device.
func (l *loader) device(p *processLoader, id wire.ObjectID) *Device {
	d, known := p.file.Devices[id]
	if !known {
		if len(p.file.Devices) != 1 {
			return nil
		}
		for _, d = range p.file.Devices {
		}
	}
	key := Device{Host: p.file.Host, Name: d.Name, Software: d.Software, Registry: d.Registry, WorkingSet: d.WorkingSet}
	if l.devices[key] == nil {
		l.devices[key] = &key
		l.trace.Devices = append(l.trace.Devices, &key)
	}
	return l.devices[key]
}

// wanted reports whether the user selected the process; without a selection, all are.
func (l *loader) wanted(pid int) bool { return len(l.only) == 0 || slices.Contains(l.only, pid) }

// A processLoader creates the objects of one process from its records. Records of different threads are not sorted
// together, so the use of an object may be read before its creation. Therefore the first record that refers to an
// object creates it.
type processLoader struct {
	*Process
	file      *tracefile.Process
	classes   [256]string // names of the classes in file
	clock     *converter
	end       Nanos // the latest time in any record of the process
	buffers   objectTable[CommandBuffer]
	encoders  objectTable[openEncoder]
	further   []*openEncoder // encoders whose command buffer already has a first encoder; see attach
	pipelines objectTable[Pipeline]
	queues    objectTable[Queue]
	functions functionsMade

	background backgroundWork
	threads    map[ThreadID]*threadLoader
	released   objectTable[instants] // when each object was released, by its number
	indirect   indirectCommands
	canary     map[wire.Call]int // by call: how often the tracer's self-check made it, as far as recorded
	layers     map[Layer]*Layer
	names      map[Names]*Names
	called     map[uint32]*bufferNaming // command buffers that have labels or debug groups and are not committed yet
	stacks     *stackTable

	lastTexts   [16]knownText     // the most recently used texts, indexed by the last bits of their numbers
	lastThreads [16]*threadLoader // the most recently used threads, indexed by the last bits of their IDs
}

// instants holds one instant for each of several objects with consecutive numbers; 0 where nothing is known.
type instants [pageSize]Nanos

// An openEncoder is an Encoder and the state that the loader needs while calls still encode into it.
type openEncoder struct {
	// the Encoder itself, in an array so that CommandBuffer.Encoders can refer to it without a copy. Most command
	// buffers have only one encoder
	one      [1]Encoder
	buffer   *CommandBuffer
	pipeline *Pipeline  // the pipeline state that was set last
	groups   []string   // the debug groups that are open, the innermost last
	names    *Names     // labels and debug groups of the last encoded command
	scopes   int        // threadLoader.scopes when the thread encoded last
	first    EncoderUse // use by the first thread that encoded; if a second thread encodes, Users replaces it
}

// A threadLoader loads the calls of one thread, which come in the order in which they ended.
type threadLoader struct {
	*Thread
	process *processLoader
	nest    nesting
	sliced  bool
	core    nesting // for a slice: the parts of calls within the slice's own time, without the time read around it
	slots   []callSlot
	byCall  [len(wire.Table)]slotOfClass // the slot in which a call was last counted, with its class and stack
	others  numbering                    // by callKey: index in slots, for calls that byCall does not have
	buffer  *CommandBuffer               // the command buffer that the thread used last
	open    *openEncoder                 // the encoder that the thread used last
	layer   *Layer                       // the framework layer that encodes now; nil for the program itself
	scopes  int                          // number of begins and ends of scopes so far
	signal  []Signal                     // the values to which the thread itself set shared events
	queued  []queueEvent                 // signals and waits for shared events that the thread enqueued on queues
	waits   chronicle[compactCall]
	locks   chronicle[compactCallMore]
	idle    chronicle[SignalWait]
	blocked chronicle[BlockedWait]
	made    chronicle[compactCallMore] // calls that allocated memory

	shortestWait Nanos // shorter waits for locks and signals are counted but not stored

	runs    dispatchRuns
	roles   roles            // what the thread does anywhere in the trace, even outside of the loaded range
	handled *CommandBuffer   // the command buffer whose completion handler the thread ran last; nil if none
	tail    [PartCount]Nanos // Exclusive time after the last submission or wait so far (after Working)
	tailOf  uint32           // bit set: bit i is set if tail[i] is not 0
}

type slotOfClass struct {
	stack *Stack
	class uint8
	slot  int32 // the index plus one; 0 for none
}

// A callSlot counts a thread's calls of one selector on one class with one stack.
type callSlot struct {
	stack     *Stack
	count     int64
	exclusive Nanos
	sums      *CallStat
}

type statKey struct {
	call  wire.Call
	class string
}

// A cursor is the position in the records of one ring (the record buffer of a traced thread): which thread's records
// are being read, and the state of the current call. All loaders of a ring share one cursor, so that they agree on
// the thread.
type cursor struct {
	loader      *loader
	trace       *Trace // the loader's trace
	process     *processLoader
	thread      *threadLoader // the thread whose records are being read; nil before the first
	ring        uint16
	stacks      openStacks
	interpreter InterpreterLock // whether the thread held the GIL when it made the current call
}

// A queueEvent is a signal or a wait for a shared event that was enqueued on a Metal 4 queue. The queue signals the
// event after all command buffers committed earlier, or waits for the event before it starts command buffers
// committed later.
type queueEvent struct {
	EventValue
	queue  *Queue
	waits  bool
	at     Nanos
	thread *Thread
}

// A VisitedCall is one call of the trace file, passed to Options.Visit for outputs that need every call; the model
// keeps only sums of most calls. The call and everything that it points to are valid only during the visit, because
// they are reused for the next call.
type VisitedCall struct {
	Call
	ID         wire.Call
	Row        *wire.Row
	Class      string       // class of the object that the call is made on; empty if not known
	Record     *wire.Record // for an unfinished call: only object and call, no times
	More       *wire.More
	Unfinished bool // the call had not returned when its process ended
	process    *processLoader
}

// threadOfFile identifies a thread by its process in the file and its ID; IDs alone are not unique in a trace.
type threadOfFile struct {
	process *tracefile.Process
	id      ThreadID
}

// skew counts a record whose times cannot be right, if its end, `at`, lies in the loaded range.
func (l *loader) skew(at Nanos) {
	if l.counts(at) {
		l.skewed++
	}
}

// counts reports whether a problem at the instant `at`, such as an impossible time, belongs to the loaded range. A
// slice also reads some time of its neighbours. A problem there is counted by the neighbour, and must not be counted
// twice.
func (l *loader) counts(at Nanos) bool {
	if l.slice != nil {
		return l.trace.Includes(at)
	}
	return l.window.contains(at)
}
