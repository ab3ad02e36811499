package analyze

import (
	"fmt"
	"path/filepath"
	"strings"

	"mtrace/collector/wire"
)

// A Wait is one call in which a thread waited for a command buffer or a shared event, or a loop in which it polled
// one of these.
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
	// between its last two reads. Both are 0 if the wait was a single call.
	Polls   int
	PollGap Nanos

	Interpreter InterpreterLock // whether the thread held the GIL when the wait began

	Scheduled  bool // the wait was for Buffer to be scheduled, not completed
	Unfinished bool // the thread was still waiting when its process ended
	TimedOut   bool // the wait ended because its time limit passed, before the event reached the value
	Earlier    bool // the wait began in an earlier range and is counted there (Options.Adds)
}

// A Listener is a block that is to run when an event reaches a value.
type Listener struct {
	EventValue
	Call    // the call that added the listener
	Process *Process
}

// A LockWait is one call in which a thread waited for a lock, a semaphore or a serial dispatch queue.
type LockWait struct {
	Call
	Selector  string
	Lock      uint64  // address of the lock in its process; 0 when not known
	Name      string  // label or symbol of the lock
	Holder    *Thread // the thread that held it; nil when not known
	Exclusive Nanos   // the call's time without calls nested in it; this counts as PartLock
	// only for CPython's GIL: the part of Exclusive in which the lock's holder was itself waiting for something else
	HolderWaiting Nanos
	Earlier       bool // the wait began in an earlier range and is counted there (Options.Adds)

	Interpreter InterpreterLock // whether the thread held the GIL when the wait began
}

// A SignalWait is one call in which a thread waited for another thread's signal on a condition variable or
// semaphore, or for a child process. The signal may mean that there is work, or a result. The wait counts as time
// outside of Metal. A wait inside a Metal call counts as that call's time and is not listed here.
type SignalWait struct {
	Call
	Selector  string
	Object    uint64  // address of the condition variable or semaphore in its process
	Name      string  // the object's symbol, or the function that waited
	Signaller *Thread // the thread that sent the signal; nil when not known
	Signalled Nanos   // when Signaller sent the signal; 0 when not known
	// address of the object that the waiting thread signalled last between its previous wait and this one; 0 for none.
	// It shows what the thread did before it waited, for instance send a request
	LastSignalled    uint64
	AcquirerReleased bool // the thread that acquired the semaphore also released it, as with a lock
	// the signal is probably the answer to a request of the waiting thread: Signaller, before its last commit, used an
	// object (such as the mutex of a queue of requests) that the waiting thread had used before it waited. One such
	// match may be a coincidence
	Fetched  bool
	TimedOut bool // the wait ended because its time limit passed
	Earlier  bool // the wait began in an earlier range and is counted there (Options.Adds)

	// the thread waited for a child process, whose program or command is Name. Object and the fields about signals
	// are then empty
	ForProcess bool
	Child      int // the ID of the process that ended; 0 when not known
}

// A BlockedWait is one call in which a thread blocked outside of Metal: it waited for a file descriptor, slept for
// some time, or waited for another thread to end. Waits for locks, for signals of other threads and for child
// processes are not BlockedWaits; they have lists of their own in CPUWaits.
type BlockedWait struct {
	Call
	Selector string
	Kind     Blocking
	What     wire.Descriptor // the kind of the file descriptor: file, pipe, socket and so on
	Name     string          // path, or address and port; for a sleep or a join, the function that waited
	Peer     int             // the process at the other end; 0 when not known
	// the traced process at the other end: it can write into the pipe, or has the other end of the socket. nil when not
	// known
	Writer  *Process
	Earlier bool // the wait began in an earlier range and is counted there (Options.Adds)

	inode uint64 // the pipe's inode, by which Writer is found
}

// A Blocking is what a thread waited for while it was blocked outside of Metal, for instance a pipe or a sleep.
type Blocking uint8

var blockingNames = [BlockedKinds]string{"signal", "process", "file", "pipe", "socket", "terminal", "sleep", "join",
	"other"}

// String returns the name of the kind as all outputs print it, for instance "pipe".
func (b Blocking) String() string { return blockingNames[min(b, BlockedOther)] }

// FromOutside reports whether the thread waited for an event from outside of the program: a client's request, a
// user's input, or the time of day. Such waits are not a fault of the program, so reports do not list them as
// causes.
func (w *BlockedWait) FromOutside() bool {
	switch w.Kind {
	case BlockedSocket:
		return w.Writer == nil
	case BlockedTerminal, BlockedSleep:
		return true
	}
	return false
}

// String describes what the thread waited for, for instance "the file data.bin" or "a pipe from process 12 (loader)".
func (w *BlockedWait) String() string {
	name := w.Name
	switch {
	case w.Kind == BlockedJoin:
		return "the end of another thread"
	case w.Kind == BlockedSleep && w.What == wire.DescriptorUnknown:
		return "a time, in " + w.Selector
	case w.Kind == BlockedFile && name != "":
		return "the file " + filepath.Base(name)
	}
	text := w.What.String()
	if w.Kind == BlockedPipe {
		text = strings.TrimSuffix(text, " from another process")
	}
	if name != "" {
		text += " (" + name + ")"
	}
	switch {
	case w.Writer != nil:
		text += fmt.Sprintf(" from process %d (%s)", w.Writer.ID, w.Writer.Program)
	case w.Peer != 0:
		text += fmt.Sprintf(" from process %d", w.Peer)
	case w.What == wire.DescriptorPipe:
		text += " from another process"
	}
	return text
}

// KindChildren is the Kind of a Compilation during which a thread waited for child processes that compiled, such as a
// pool of compile workers or a compiler that the program starts.
const KindChildren = "child processes"

// KindBackground is the Kind of a Compilation that is a wait of a thread for the completion handler of a compilation in
// the background.
const KindBackground = "background compilation"

// Waits reports whether the element is a wait for compilations that are elements, too.
func (c *Compilation) Waits() bool { return c.Kind == KindChildren || c.Kind == KindBackground }

// Took returns how long the compilation took: the length of the call, or for a call with a completion handler the time
// until Metal passed the object to that handler.
func (c *Compilation) Took() Nanos { return max(c.End, c.Ready) - c.Begin }

// A ChildWait is a time in which a thread waited while child processes of its process, or their descendants,
// compiled.
type ChildWait struct {
	Call
	How      string // the call that waited; BlockedElsewhere when it was no recorded call
	Program  string // the child's program, if known; only when the wait was for one particular process
	Child    int    // the ID of the process that ended; 0 when not known
	Compiled Nanos  // how long at least one of the children compiled
	// at least half of the wait was compilation (Compiled). The wait then also counts as a compilation in
	// Trace.Compilations
	Mostly bool
}

// BlockedElsewhere is the value of ChildWait.How when the wait was no recorded call. The thread just used no
// processor, for instance because it read from a pipe.
const BlockedElsewhere = "blocked outside of Metal"

// The kinds of blocking, in the order in which reports list them.
const (
	BlockedSignal   Blocking = iota // another thread's signal: condition variables, semaphores, barriers, futexes
	BlockedProcess                  // the end of a child process
	BlockedFile                     // a file
	BlockedPipe                     // a pipe or socket pair
	BlockedSocket                   // a socket
	BlockedTerminal                 // a terminal or standard input
	BlockedSleep                    // a sleep, a timer or a timeout
	BlockedJoin                     // the end of another thread
	BlockedOther                    // another descriptor, or several
	BlockedKinds
)
