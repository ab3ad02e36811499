// Package wire is the format in which the library inside a traced process sends its records to the collector: the
// fixed-size records of the rings in shared memory, the variable-size facts alongside them, and the frames that carry
// both over a socket. One table (Table, of the rows in calls_*.go) names every call; the C header of the shim is
// generated from it.
//
// All integers are little-endian, the order of every machine Metal runs on.
package wire

import (
	"encoding/binary"
	"fmt"
	"slices"
	"unsafe"
)

// Version is the version of the records, the ring layout and the frames together. The collector refuses any other.
const Version = 1

// Ticks is a reading of the traced process's raw clock: TSC cycles, mach_absolute_time units or nanoseconds. The
// process's ClockSamples define the length of a tick.
type Ticks uint64

// ObjectID numbers the Metal objects of one process in the order of their creation, from 1. Zero means "not known": an
// object that is older than the tracer, or nil.
type ObjectID uint32

// FirstLock is the first number of a lock. Locks are not Metal objects and get a number only if they are contended,
// which differs from run to run. Files of earlier versions number locks in the sequence of the objects.
const FirstLock ObjectID = 1 << 31

// Number returns the object's number for texts: a lock's number among the locks, another object's number unchanged.
func (id ObjectID) Number() uint32 {
	if id >= FirstLock {
		return uint32(id-FirstLock) + 1
	}
	return uint32(id)
}

// StringID identifies a text by the 64-bit FNV-1a hash of its bytes, so threads need not agree on numbers. Zero is "no
// text".
type StringID uint64

// Flags qualify a record.
type Flags uint16

const (
	// HasMore means that the next record in the ring is a More record that belongs to this one.
	HasMore Flags = 1 << 0
	// Failed means that the call returned nil, NO or an error.
	Failed Flags = 1 << 1
	// HoldsInterpreter and LacksInterpreter tell whether the thread held the lock of its language interpreter, such as
	// the GIL, when its wait began. If neither is set, that is not known, or the process has no interpreter.
	HoldsInterpreter Flags = 1 << 2
	LacksInterpreter Flags = 1 << 3
	// ClassShift is the lowest bit of the index of the receiver's class (the Key of a FactClass). The index takes the
	// upper byte. Index 0 is unknown.
	ClassShift = 8
)

// Class returns the index of the receiver's Objective-C class among the classes hooked in the process; 0 is unknown.
func (f Flags) Class() uint8 { return uint8(f >> ClassShift) }

// RecordSize is the size of one record in bytes, in the ring, on the wire and before compression in the file.
const RecordSize = 32

// A Record is one call, written once, when it ends. Layout, in bytes: begin 0–7, end 8–15, arg 16–23, object 24–27,
// call 28–29, flags 30–31. The call's row in the table defines the meaning of Object and Arg.
type Record struct {
	Begin, End Ticks
	Arg        uint64
	Object     ObjectID
	Call       Call
	Flags      Flags
}

// A More record has the values that do not fit into the record before it: three 64-bit values and a 32-bit value. It
// takes the same 32 bytes: x0 0–7, x1 8–15, x2 16–23, x3 24–27, call (always CallMore) 28–29, flags 30–31.
type More struct {
	X0, X1, X2 uint64
	X3         uint32
	Flags      Flags
}

// More converts a record whose Call is CallMore into a More.
func (r Record) More() More {
	return More{X0: uint64(r.Begin), X1: uint64(r.End), X2: r.Arg, X3: uint32(r.Object), Flags: r.Flags}
}

// Record returns the More record in the form that it has in a ring.
func (m More) Record() Record {
	return Record{Begin: Ticks(m.X0), End: Ticks(m.X1), Arg: m.X2, Object: ObjectID(m.X3), Call: CallMore, Flags: m.Flags}
}

// AppendRecord appends the record's 32 bytes to b.
func AppendRecord(b []byte, r Record) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(r.Begin))
	b = binary.LittleEndian.AppendUint64(b, uint64(r.End))
	b = binary.LittleEndian.AppendUint64(b, r.Arg)
	b = binary.LittleEndian.AppendUint32(b, uint32(r.Object))
	b = binary.LittleEndian.AppendUint16(b, uint16(r.Call))
	return binary.LittleEndian.AppendUint16(b, uint16(r.Flags))
}

// DecodeRecord reads the record in the first 32 bytes of b, which must be at least that long.
func DecodeRecord(b []byte) Record {
	_ = b[RecordSize-1]
	return Record{
		Begin:  Ticks(binary.LittleEndian.Uint64(b)),
		End:    Ticks(binary.LittleEndian.Uint64(b[8:])),
		Arg:    binary.LittleEndian.Uint64(b[16:]),
		Object: ObjectID(binary.LittleEndian.Uint32(b[24:])),
		Call:   Call(binary.LittleEndian.Uint16(b[28:])),
		Flags:  Flags(binary.LittleEndian.Uint16(b[30:])),
	}
}

// DecodeRecords appends the records in b to dst. The length of b must be a multiple of RecordSize.
func DecodeRecords(dst []Record, b []byte) ([]Record, error) {
	if len(b)%RecordSize != 0 {
		return dst, fmt.Errorf("records: %d bytes are not a whole number of %d-byte records", len(b), RecordSize)
	}
	if len(b) == 0 {
		return dst, nil
	}
	n := len(b) / RecordSize
	if isAsInMemory {
		dst = slices.Grow(dst, n)[:len(dst)+n]
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&dst[len(dst)-n])), len(b)), b)
		return dst, nil
	}
	for ; len(b) > 0; b = b[RecordSize:] {
		dst = append(dst, DecodeRecord(b))
	}
	return dst, nil
}

// isAsInMemory reports whether this machine stores a Record in memory with the same bytes as a ring does. Then
// DecodeRecords copies many records at once: 3 ns each instead of 12 (BenchmarkDecodeRecords).
var isAsInMemory = func() bool {
	want := Record{Begin: 0x0102030405060708, End: 0x1112131415161718, Arg: 0x2122232425262728, Object: 0x31323334,
		Call: 0x4142, Flags: 0x5152}
	in := AppendRecord(nil, want)
	return unsafe.Sizeof(want) == RecordSize && *(*[RecordSize]byte)(unsafe.Pointer(&want)) == [RecordSize]byte(in)
}()

// A ClockSample pairs a reading of the raw clock with the same instant in nanoseconds on the clock of Metal's GPU
// times: CLOCK_UPTIME_RAW on macOS, CLOCK_MONOTONIC on Linux.
type ClockSample struct {
	Ticks Ticks
	Nanos int64
}
