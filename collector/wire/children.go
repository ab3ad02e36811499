package wire

import (
	"sync/atomic"
	"unsafe"
)

// The children page is one page of shared memory in which untraced children of a traced process note their ids. It
// has a u32 number of entries, then ChildrenMost u32 process ids as the children see them, some with the bit
// childForked; 0 is an unknown id. The traced process passes the page to the collector with its hello, and children
// inherit it by fork. A child that uses Metal and cannot reach the collector adds its id, and the collector reports
// the child as not traced.
const (
	// ChildrenSize is the size of the children page (shared memory in which untraced child processes note their ids),
	// in bytes.
	ChildrenSize = 4096
	// ChildrenMost is the number of process ids for which the children page has space.
	ChildrenMost = ChildrenSize/4 - 1
	// childForked is set in an entry if the child is a fork of a recorded process and did not call exec. Such
	// children are not traced.
	childForked = 1 << 31
)

// A Child is a process that uses Metal, is not traced, and added itself to the children page of its parent.
type Child struct {
	PID    int  // as the process itself sees it; 0 when it is not known
	Forked bool // the process is a fork of a recorded process; otherwise it could not reach the collector
}

// Children returns the processes listed in a children page, which must have ChildrenSize bytes. more is true if there
// were more than fit.
func Children(page []byte) (all []Child, more bool) {
	word := func(i int) uint32 { return atomic.LoadUint32((*uint32)(unsafe.Pointer(&page[4*i]))) }
	used := word(0)
	for i := range int(min(used, ChildrenMost)) {
		w := word(1 + i)
		all = append(all, Child{int(w &^ childForked), w&childForked != 0})
	}
	return all, used > ChildrenMost
}
