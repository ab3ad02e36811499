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

// Version is the version of the records, the shared memory and the frames. The collector refuses processes with
// another version.
const Version = 2

// Ticks is a time on the clock that the traced process records with: TSC cycles, mach_absolute_time units or
// nanoseconds. The process's ClockSamples relate it to nanoseconds.
type Ticks uint64

// ObjectID is the number of a Metal object: in each process, objects are numbered from 1 in the order of their
// creation. 0 means "not known" (the object is older than the tracer) or nil.
type ObjectID uint32

// FirstLock is the lowest number of a lock. A lock gets a number only when a thread waits for it, which differs from
// run to run. Locks are numbered separately, so that Metal objects have the same numbers in each run. In traces of
// earlier versions locks and objects share one sequence.
const FirstLock ObjectID = 1 << 31

// Number returns the number to show to a user: locks are counted from 1, like other objects.
func (id ObjectID) Number() uint32 {
	if id >= FirstLock {
		return uint32(id-FirstLock) + 1
	}
	return uint32(id)
}

// StringID identifies a text by the 64-bit FNV-1a hash of its bytes, so that threads can assign ids without a shared
// table. 0 means "no text".
type StringID uint64

// Flags has further properties of a record, as bits.
type Flags uint16

const (
	// HasMore means that the next record in the ring buffer is a More record, with further arguments of this call.
	HasMore Flags = 1 << 0
	// Failed means that the call returned nil, NO or an error.
	Failed Flags = 1 << 1
	// HoldsInterpreter and LacksInterpreter belong to a wait. They say whether the waiting thread held the lock of
	// its language interpreter, such as the GIL, when the wait began. If neither is set, that is unknown or the
	// process has no interpreter.
	HoldsInterpreter Flags = 1 << 2
	LacksInterpreter Flags = 1 << 3
	// ClassShift is the lowest bit of the index of the receiver's class, which takes the upper byte of the flags. The
	// index is the Key of a FactClass; 0 is unknown.
	ClassShift = 8
)

// Class returns the index of the receiver's Objective-C class, as in the process's FactClass facts; 0 is unknown.
func (f Flags) Class() uint8 { return uint8(f >> ClassShift) }

// RecordSize is the size of a record in bytes: in the ring buffer, in a frame, and in a file before compression.
const RecordSize = 32

// A Record describes one call and is written when the call ends. Layout in bytes: begin 0–7, end 8–15, arg 16–23,
// object 24–27, call 28–29, flags 30–31. The meaning of Object and Arg depends on the call: see its Row.
type Record struct {
	Begin, End Ticks
	Arg        uint64
	Object     ObjectID
	Call       Call
	Flags      Flags
}

// A More record has further values of the call whose record comes before it. It takes the same 32 bytes: x0 0–7,
// x1 8–15, x2 16–23, x3 24–27, call (always CallMore) 28–29, flags 30–31. The bytes that hold begin and end in
// other records hold no times here.
type More struct {
	X0, X1, X2 uint64
	X3         uint32
	Flags      Flags
}

// More returns the values of a record whose Call is CallMore.
func (r Record) More() More {
	return More{X0: uint64(r.Begin), X1: uint64(r.End), X2: r.Arg, X3: uint32(r.Object), Flags: r.Flags}
}

// Record returns the More record in the form in which ring buffers and files store it.
func (m More) Record() Record {
	return Record{Begin: Ticks(m.X0), End: Ticks(m.X1), Arg: m.X2, Object: ObjectID(m.X3), Call: CallMore,
		Flags: m.Flags}
}

// AppendRecord appends the encoded record, RecordSize bytes, to b.
func AppendRecord(b []byte, r Record) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(r.Begin))
	b = binary.LittleEndian.AppendUint64(b, uint64(r.End))
	b = binary.LittleEndian.AppendUint64(b, r.Arg)
	b = binary.LittleEndian.AppendUint32(b, uint32(r.Object))
	b = binary.LittleEndian.AppendUint16(b, uint16(r.Call))
	return binary.LittleEndian.AppendUint16(b, uint16(r.Flags))
}

// DecodeRecord decodes the record at the start of b, which must have at least RecordSize bytes.
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

// DecodeRecords decodes all records in b and appends them to dst. It returns an error if the length of b is no
// multiple of RecordSize.
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

// isAsInMemory reports whether a Record in this machine's memory has the same bytes as an encoded record.
// DecodeRecords then copies many records at once, which takes 3 ns for each instead of 12 ns
// (BenchmarkDecodeRecords).
var isAsInMemory = func() bool {
	want := Record{Begin: 0x0102030405060708, End: 0x1112131415161718, Arg: 0x2122232425262728, Object: 0x31323334,
		Call: 0x4142, Flags: 0x5152}
	in := AppendRecord(nil, want)
	return unsafe.Sizeof(want) == RecordSize && *(*[RecordSize]byte)(unsafe.Pointer(&want)) == [RecordSize]byte(in)
}()

// A ClockSample is one instant, read on two clocks: the process's recording clock, and the clock of Metal's GPU times
// in nanoseconds (CLOCK_UPTIME_RAW on macOS, CLOCK_MONOTONIC on Linux).
type ClockSample struct {
	Ticks Ticks
	Nanos int64
}
