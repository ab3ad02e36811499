package timeline

import (
	"bytes"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// TestVarint: numbers of every length are written as protobuf's own package writes them.
func TestVarint(t *testing.T) {
	for bit := range 64 {
		for _, v := range []uint64{1<<bit - 1, 1 << bit, 1<<bit | 0x5555555555555555>>(63-bit)} {
			before := message("before")
			if got, want := before.varint(v), protowire.AppendVarint([]byte("before"), v); !bytes.Equal(got, want) {
				t.Errorf("%#x is %x, want %x", v, got, want)
			}
		}
	}
}
