package analyze

// A Stack is the list of functions that a thread was in when it made a call, innermost first. Equal stacks of a
// process are one Stack.
type Stack struct {
	Process *Process
	Frames  []*Frame
	Cut     bool   // the recorded stack ends before the outermost function
	number  uint32 // its number in its process, from 1 on
	site    *Frame // result of Site, computed once

	operator, line string // name and line of the operation that the stack encodes; see operation
	brokenIn       *Image // the image without frame pointers at which unwinding stopped; nil if the stack is complete
}

// A Frame is a place in a function. Stacks of a process that contain the same place share the Frame.
type Frame struct {
	// name of the function. If it has no symbol: the image (file of machine code) and the offset in it, or else the
	// address
	Name    string
	File    string // source file; empty when not known
	Line    int    // 0 when not known
	Python  bool   // a Python function
	Unnamed bool   // Name is not the name of a function

	origin origin // whether it is the program's own

	// for machine code only
	Image   *Image // nil when not known
	Address uint64 // return address
}

// An Image is a file of machine code that was mapped into a process, such as a library.
type Image struct {
	Start, Size uint64 // address and bytes
	BuildID     string // in hexadecimal; empty when it has none
	Path        string
}

// InterpreterLock states whether a thread held CPython's global interpreter lock when it made a call.
type InterpreterLock uint8

// The values of InterpreterLock.
const (
	InterpreterNotKnown InterpreterLock = iota // or the process has no interpreter
	InterpreterHeld
	InterpreterFree // the thread does not hold it
)

// Capture describes what recording stacks cost, and what is missing in the stacks.
type Capture struct {
	Stacks    int64 // stacks recorded, one per call
	Took      Nanos // time that recording all stacks took on the threads that made the calls
	Undefined int64 // stacks whose frames the trace does not have
	Unnamed   int   // frames of machine code without a name
}

// CallsFrom counts the calls of one selector on one class that one thread made with one stack.
type CallsFrom struct {
	Thread    *Thread
	Stack     *Stack // nil if the stack is not known
	Count     int64
	Exclusive Nanos
}

// An origin states whether a frame is the program's own code or a library's. With byFile, the frame's file name
// decides.
type origin uint8
