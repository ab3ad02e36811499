package analyze

// A Wait is one call in which a thread waited for a command buffer or for a shared event, or a loop in which it
// polled one.
type Wait struct {
	Call
	Selector string
	// the command buffer that was waited for, by waitUntilCompleted, waitUntilScheduled or polling of status. For a
	// wait for an event, it is the command buffer that signalled the event. NoCommandBuffer when not known
	Buffer CommandBufferIndex
	// the event value that was waited for, by waitUntilSignaledValue:timeoutMS: or polling of signaledValue
	Event    EventValue
	Signaled *Thread // the thread that set the event to the value, if the CPU did; otherwise nil

	// For a thread that polled status or signaledValue: how often it read the property during the wait, and the time
	// between its last two reads. Both are 0 for a wait in a single call.
	Polls   int
	PollGap Nanos

	Interpreter InterpreterLock // when the wait began

	Scheduled  bool // the wait was for Buffer to be scheduled, not completed
	Unfinished bool // the thread was still waiting when its process ended
	Earlier    bool // the wait began in an earlier part of the trace and is counted there (Options.Adds)
}

// A LockWait is one call in which a thread waited for a lock, a semaphore or a serial dispatch queue.
type LockWait struct {
	Call
	Selector string
	Lock     uint64  // address of the lock in its process; 0 when not known
	Name     string  // label or symbol of the lock
	Holder   *Thread // who held it; nil when not known
	Own      Nanos   // the call's time without calls nested in it; this counts as PartLock
	// only for CPython's GIL: the part of Own in which the lock's holder was itself waiting for something else
	Kept    Nanos
	Earlier bool // the wait began in an earlier part of the trace and is counted there (Options.Adds)

	Interpreter InterpreterLock // when the wait began
}

// A SignalWait is one call in which a thread waited for another thread's signal on a condition variable or semaphore,
// or for a child process. The other thread may signal that it has work or a result. Such a wait counts as time
// outside of Metal; waits inside a Metal call are not listed here, because their time counts as the Metal call's.
type SignalWait struct {
	Call
	Selector  string
	Object    uint64  // address of the condition variable or semaphore in its process
	Name      string  // its symbol, or the function that waited
	Signaller *Thread // the thread that sent the signal; nil when not known
	Signalled Nanos   // when; 0 when not known
	// the object that the waiting thread last signalled between its previous wait and this one, by address; 0 for
	// none. It shows what the thread did before it waited, for instance send a request
	Gave      uint64
	GivenBack bool // the thread that acquired the semaphore also released it, as with a lock
	// after its previous signal and before its next commit, the signalling thread was woken at an object that the
	// waiting thread had signalled: it fetched the request of the waiting thread before it submitted work
	Fetched  bool
	TimedOut bool
	Earlier  bool // the wait began in an earlier range and is counted there (Options.Adds)

	// the thread waited for a child process, whose program or command is Name. Object and the fields about signals
	// are then empty
	ForProcess bool
	Child      int // the ID of the process that ended; 0 when not known
}
