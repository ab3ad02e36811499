package wire

import (
	"sync/atomic"
	"unsafe"
)

// The page of a process's children: one u32 that counts those who left a word, then ChildrenMost u32 process ids, in
// the processes' own numbering, with childForked or without; 0 is one that is not known. A process passes it to the
// collector with its hello and to its children by fork. A child that uses Metal and can reach the collector in no other
// way notes itself there. The shim writes it, the collector reads it.
const (
	// ChildrenSize is the size of the page in bytes.
	ChildrenSize = 4096
	// ChildrenMost is how many process ids it has room for.
	ChildrenMost = ChildrenSize/4 - 1
	// childForked marks a child of a process that was recorded and whose counters had been read for the last time.
	childForked = 1 << 31
)

// A Child is a process that is not traced and could say so in no other way.
type Child struct {
	PID    int  // in its own numbering; 0 when it is not known
	Forked bool // it passed through because its parent was recorded; otherwise it could not reach the collector
}

// Children returns those that noted themselves in a page of ChildrenSize bytes, and whether there were more.
func Children(page []byte) (all []Child, more bool) {
	word := func(i int) uint32 { return atomic.LoadUint32((*uint32)(unsafe.Pointer(&page[4*i]))) }
	used := word(0)
	for i := range int(min(used, ChildrenMost)) {
		w := word(1 + i)
		all = append(all, Child{int(w &^ childForked), w&childForked != 0})
	}
	return all, used > ChildrenMost
}
