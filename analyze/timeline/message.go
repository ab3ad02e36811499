package timeline

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// message builds one protobuf message.
type message []byte

func (m *message) uint(field protowire.Number, v uint64) {
	if tag := protowire.EncodeTag(field, protowire.VarintType); tag < 1<<7 && v < 1<<7 { // as most are
		*m = append(*m, byte(tag), byte(v))
		return
	}
	*m = protowire.AppendTag(*m, field, protowire.VarintType)
	*m = protowire.AppendVarint(*m, v)
}

func (m *message) fixed64(field protowire.Number, v uint64) {
	*m = protowire.AppendTag(*m, field, protowire.Fixed64Type)
	*m = protowire.AppendFixed64(*m, v)
}

func (m *message) text(field protowire.Number, s string) {
	*m = protowire.AppendTag(*m, field, protowire.BytesType)
	*m = protowire.AppendString(*m, s)
}

func (m *message) message(field protowire.Number, inner []byte) {
	*m = protowire.AppendTag(*m, field, protowire.BytesType)
	*m = protowire.AppendBytes(*m, inner)
}

// open begins a message inside this one; close, with what it returned, ends that. Most are short, so that their length is a byte, and need not be moved.
func (m *message) open(field protowire.Number) (at int) {
	*m = append(protowire.AppendTag(*m, field, protowire.BytesType), 0)
	return len(*m)
}

func (m *message) close(at int) {
	length := len(*m) - at
	if length < 1<<7 {
		(*m)[at-1] = byte(length)
		return
	}
	var varint [5]byte
	*m = slices.Replace(*m, at-1, at, protowire.AppendVarint(varint[:0], uint64(length))...)
}
