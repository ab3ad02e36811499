package wire

import (
	"sync/atomic"
	"unsafe"
)

// The page of a process's children: a u32 counter of the entries, then ChildrenMost u32 process ids as the processes
// themselves see them, some with the bit childForked; an id of 0 is unknown. The traced process passes the page to the
// collector with its hello, and to its children by fork. A child that uses Metal and cannot reach the collector adds
// itself to the page. The shim writes the page, the collector reads it.
const (
	// ChildrenSize is the size of the page in bytes.
	ChildrenSize = 4096
	// ChildrenMost is the number of process ids that fit into the page.
	ChildrenMost = ChildrenSize/4 - 1
	// childForked marks a child that was forked without exec from a recorded process and is itself not traced.
	childForked = 1 << 31
)

// A Child is an untraced process that added itself to the page of children because it could not reach the collector.
type Child struct {
	PID    int  // as the process itself sees it; 0 when it is not known
	Forked bool // the process is a fork of a recorded process; otherwise it could not reach the collector
}

// Children returns the processes in a page of ChildrenSize bytes, and whether there were more than fit.
func Children(page []byte) (all []Child, more bool) {
	word := func(i int) uint32 { return atomic.LoadUint32((*uint32)(unsafe.Pointer(&page[4*i]))) }
	used := word(0)
	for i := range int(min(used, ChildrenMost)) {
		w := word(1 + i)
		all = append(all, Child{int(w &^ childForked), w&childForked != 0})
	}
	return all, used > ChildrenMost
}
