package wire

// A Group says to which part of a thread's time a call belongs, for reports that divide up the time of a thread.
type Group uint8

// The groups of calls. Reports divide a thread's time among them, except GroupNone and GroupSignal.
const (
	GroupNone     Group = iota // a record of the tracer, not a call of the program
	GroupAcquire               // creating a command buffer, which blocks when the queue is full
	GroupEncode                // encoders: making, filling, ending
	GroupCommit                // submitting a command buffer to its queue
	GroupWait                  // waiting for a command buffer or an event
	GroupCompile               // libraries, functions, pipeline states
	GroupAllocate              // buffers and other memory, and whether it is resident
	GroupLock                  // waiting for a lock
	GroupOther                 // other Metal calls
	GroupDrawable              // waiting for a layer's next drawable
	// waiting for another thread's signal. The thread may be idle or wait for a result, so reports do not count the
	// wait as a part of its time
	GroupSignal
)

var groupNames = [...]string{GroupAcquire: "acquire", GroupEncode: "encode", GroupCommit: "commit", GroupWait: "wait",
	GroupCompile:  "compile",
	GroupAllocate: "allocate", GroupLock: "lock",
	GroupOther: "other", GroupDrawable: "drawable", GroupSignal: "signal"}

// String returns the name of the group for docs/wire.md.
func (g Group) String() string {
	if int(g) < len(groupNames) {
		return groupNames[g]
	}
	return "unknown"
}

// Progress reports whether the return of a call of this group proves that the program is not stuck: a command buffer
// was created, encoded, committed or compiled, or a wait ended.
func (g Group) Progress() bool {
	switch g {
	case GroupAcquire, GroupEncode, GroupCommit, GroupWait, GroupCompile:
		return true
	}
	return false
}
