package wire

// A Group is the part of a thread's time that a call counts towards.
type Group uint8

// The groups: one for each part of the partition that is filled by calls, and two that are not part of it.
const (
	GroupNone     Group = iota // a record of the tracer, not a call of the program
	GroupAcquire               // creating a command buffer, which blocks when the queue is full
	GroupEncode                // encoders: making, filling, ending
	GroupCommit                // submitting a command buffer to its queue
	GroupWait                  // waiting for a command buffer or an event
	GroupCompile               // libraries, functions, pipeline states
	GroupAllocate              // buffers and other memory
	GroupLock                  // waiting for a lock
	GroupOther                 // other Metal calls
	GroupDrawable              // waiting for a layer's next drawable
	// waiting for another thread's signal; the thread may wait for new work or for a result, so such waits are not a
	// part of the partition
	GroupSignal
)

var groupNames = [...]string{GroupAcquire: "acquire", GroupEncode: "encode", GroupCommit: "commit", GroupWait: "wait",
	GroupCompile:  "compile",
	GroupAllocate: "allocate", GroupLock: "lock",
	GroupOther: "other", GroupDrawable: "drawable", GroupSignal: "signal"}

// String is the group's name in documentation.
func (g Group) String() string {
	if int(g) < len(groupNames) {
		return groupNames[g]
	}
	return "unknown"
}

// Progress reports whether the end of a call of this group shows that the program progresses: it created a command
// buffer, encoded, committed or compiled, or a wait ended.
func (g Group) Progress() bool {
	switch g {
	case GroupAcquire, GroupEncode, GroupCommit, GroupWait, GroupCompile:
		return true
	}
	return false
}
