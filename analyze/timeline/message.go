package timeline

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// message builds one protobuf message. Like append, its methods return the extended message, which the caller must
// use instead.
type message []byte

// uint adds a number. If field and value have one byte each, which is the most frequent case, the code is short
// enough for the compiler to inline it.
func (m message) uint(field protowire.Number, v uint64) message {
	if v < 1<<7 && field < 1<<4 {
		return append(m, byte(field)<<3, byte(v))
	}
	return m.long(field, v)
}

func (m message) long(field protowire.Number, v uint64) message {
	return m.tag(field, protowire.VarintType).varint(v)
}

// varint adds a number without its field. It has no branch per length: numbers have one to four bytes in random
// order, so the processor could not predict such branches.
func (m message) varint(v uint64) message {
	if v >= 1<<28 {
		return protowire.AppendVarint(m, v)
	}
	length := (bits.Len64(v|1) + 6) / 7
	more := uint32(0x808080) & (1<<(8*(length-1)) - 1)
	spread := uint32(v&0x7f | v<<1&0x7f00 | v<<2&0x7f0000 | v<<3&0x7f000000)
	return binary.LittleEndian.AppendUint32(m, spread|more)[:len(m)+length]
}

func (m message) tag(field protowire.Number, kind protowire.Type) message {
	if field < 1<<4 {
		return append(m, byte(field)<<3|byte(kind))
	}
	return protowire.AppendTag(m, field, kind)
}

func (m message) fixed64(field protowire.Number, v uint64) message {
	return protowire.AppendFixed64(m.tag(field, protowire.Fixed64Type), v)
}

func (m message) text(field protowire.Number, s string) message {
	return protowire.AppendString(m.tag(field, protowire.BytesType), s)
}

func (m message) message(field protowire.Number, inner []byte) message {
	return protowire.AppendBytes(m.tag(field, protowire.BytesType), inner)
}

// open begins a nested message and reserves one byte for its length. close ends the nested message whose content
// begins at index `at`. It moves the content only if one byte is not enough for the length.
func (m message) open(field protowire.Number) message {
	return append(m.tag(field, protowire.BytesType), 0)
}

func (m message) close(at int) message {
	if length := len(m) - at; length < 1<<7 {
		m[at-1] = byte(length)
		return m
	}
	return m.move(at)
}

// move is close for a message whose length needs more than one byte.
func (m message) move(at int) message {
	var varint [5]byte
	return slices.Replace(m, at-1, at, protowire.AppendVarint(varint[:0], uint64(len(m)-at))...)
}
