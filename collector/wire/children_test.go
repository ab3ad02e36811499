package wire

import (
	"encoding/binary"
	"slices"
	"testing"
)

func TestChildren(t *testing.T) {
	page := make([]byte, ChildrenSize)
	if children, more := Children(page); len(children) != 0 || more {
		t.Errorf("a page that nobody wrote to: %v, %v", children, more)
	}
	for i, word := range []uint32{3, 11, 0, childForked | 13, 14} {
		binary.LittleEndian.PutUint32(page[4*i:], word)
	}
	if children, more := Children(page); !slices.Equal(children, []Child{{11, false}, {0, false}, {13, true}}) || more {
		t.Errorf("three children: %v, %v", children, more)
	}
	binary.LittleEndian.PutUint32(page, 1<<32-1)
	if children, more := Children(page); len(children) != ChildrenMost || !more {
		t.Errorf("more than there is room for: %d, %v", len(children), more)
	}
}
