package wire

// A Group says to which part of a thread's time a call belongs.
type Group uint8

// The groups, one for each part of the partition that calls fill, and those that fill none.
const (
	GroupNone     Group = iota // not a call of the program
	GroupAcquire               // making a command buffer, which blocks when the queue is full
	GroupEncode                // encoders: making, filling, ending
	GroupCommit                // handing a command buffer to the queue
	GroupWait                  // waiting for a command buffer or an event
	GroupCompile               // libraries, functions, pipeline states
	GroupAllocate              // buffers and other memory
	GroupLock                  // waiting for a lock
	GroupOther                 // the rest of the API
	GroupDrawable              // waiting for a layer's next drawable
	// waiting for a signal of another thread: for work as often as for a result, so no part of the partition
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

// Progress says whether calls of the group say, by ending, that a program continues: it makes command buffers, encodes,
// commits or compiles, or what it waited for has come.
func (g Group) Progress() bool {
	switch g {
	case GroupAcquire, GroupEncode, GroupCommit, GroupWait, GroupCompile:
		return true
	}
	return false
}
