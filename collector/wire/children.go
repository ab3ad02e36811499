package wire

import (
	"sync/atomic"
	"unsafe"
)

// The page of a process's children: one u32 that counts those who left a word, then ChildrenMost u32 process ids, in the processes' own
// numbering; 0 is one that is not known. A process passes it to the collector with its hello and to its children by fork. A child that
// uses Metal and can reach the collector in no other way notes itself there. The shim writes it, the collector reads it.
const (
	// ChildrenSize is the size of the page in bytes.
	ChildrenSize = 4096
	// ChildrenMost is how many process ids it has room for.
	ChildrenMost = ChildrenSize/4 - 1
)

// Children returns the ids of the processes that noted themselves in a page of ChildrenSize bytes, and whether there were more.
func Children(page []byte) (pids []int, more bool) {
	word := func(i int) int { return int(atomic.LoadUint32((*uint32)(unsafe.Pointer(&page[4*i])))) }
	used := word(0)
	for i := range min(used, ChildrenMost) {
		pids = append(pids, word(1+i))
	}
	return pids, used > ChildrenMost
}
