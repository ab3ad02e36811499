package analyze

// A Stack is the functions that a thread was inside when it made a call, innermost first. Equal stacks of a process are
// one.
type Stack struct {
	Process *Process
	Frames  []*Frame
	Cut     bool   // there are more outside of the last
	number  uint32 // in its process, from 1
	site    *Frame // what Site is, found once

	operator, line string // of what it encodes; see operation
	brokenIn       *Image // code without frame pointers in which its machine code ends; nil if it is whole
}

// A Frame is a place in a function, shared by all stacks of its process that have it.
type Frame struct {
	Name    string // of the function; of machine code without a known name the image and the offset in it, or the address
	File    string // source file; empty when not known
	Line    int    // 0 when not known
	Python  bool   // a function of Python
	Unnamed bool   // Name is not a function's

	origin origin // whether it is the program's own

	// Of machine code.
	Image   *Image // nil when not known
	Address uint64 // return address
}

// An Image is a file of machine code in the memory of a process.
type Image struct {
	Start, Size uint64 // address and bytes
	BuildID     string // in hexadecimal; empty when it has none
	Path        string
}

// InterpreterLock is whether a thread held the lock of its language interpreter when it made a call.
type InterpreterLock uint8

// The values of InterpreterLock.
const (
	InterpreterNotKnown InterpreterLock = iota // or the process has no interpreter
	InterpreterHeld
	InterpreterFree // not held by the thread
)

// Capture states what recording stacks took and what is missing.
type Capture struct {
	Stacks    int64 // recorded, one for a call
	Took      Nanos // by all of them, on the threads that made the calls
	Undefined int64 // of those, stacks of which the trace does not have the frames
	Unnamed   int   // frames of machine code without a name
}

// CallsFrom are the calls of a selector on a class that a thread made with one stack.
type CallsFrom struct {
	Thread    *Thread
	Stack     *Stack // nil: its stack is not known
	Count     int64
	Exclusive Nanos
}
