package wire

import (
	"encoding/binary"
	"slices"
	"testing"
)

func TestChildren(t *testing.T) {
	page := make([]byte, ChildrenSize)
	if pids, more := Children(page); len(pids) != 0 || more {
		t.Errorf("a page that nobody wrote to: %v, %v", pids, more)
	}
	for i, word := range []uint32{3, 11, 0, 13, 14} {
		binary.LittleEndian.PutUint32(page[4*i:], word)
	}
	if pids, more := Children(page); !slices.Equal(pids, []int{11, 0, 13}) || more {
		t.Errorf("three children: %v, %v", pids, more)
	}
	binary.LittleEndian.PutUint32(page, 1<<32-1)
	if pids, more := Children(page); len(pids) != ChildrenMost || !more {
		t.Errorf("more than there is room for: %d, %v", len(pids), more)
	}
}
