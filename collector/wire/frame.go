package wire

import (
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// FrameKind says what a frame carries.
type FrameKind uint16

// The frames of a connection, in the order in which they may come: Hello once, Rings at most once, then the others.
const (
	// FrameHello opens a connection: `key=value` entries, each ended by a NUL byte. See Hello.
	FrameHello FrameKind = 1
	// FrameRings comes at the first Metal call, with the descriptor of the shared memory beside its first byte. Empty payload.
	FrameRings FrameKind = 2
	// FrameRecords carries whole records of one ring; Position is the ring position of the first.
	FrameRecords FrameKind = 3
	// FrameFacts carries whole facts of one ring; Position is the byte position of the first.
	FrameFacts FrameKind = 4
	// FrameClock carries clock samples: ticks u64, nanoseconds i64 each.
	FrameClock FrameKind = 5
	// FrameThreadTimes carries the processor times of threads. See ThreadTime.
	FrameThreadTimes FrameKind = 6
	// FrameProcessFacts carries whole facts that belong to no ring.
	FrameProcessFacts FrameKind = 7
)

const (
	// FrameMagic opens every frame: "MTRF".
	FrameMagic = 0x4652544d
	// FrameHeaderSize is the size of a frame's header in bytes: magic u32, kind u16, ring u16, length u32, zero u32, position u64.
	FrameHeaderSize = 24
	// MaxFramePayload bounds a payload, in bytes: one whole ring of records.
	MaxFramePayload = RecordsPerRing * RecordSize
)

// A FrameHeader precedes each payload of Length bytes.
type FrameHeader struct {
	Kind     FrameKind
	Ring     uint16
	Length   uint32
	Position uint64
}

// AppendFrameHeader appends the 24 bytes of h to b.
func AppendFrameHeader(b []byte, h FrameHeader) []byte {
	b = binary.LittleEndian.AppendUint32(b, FrameMagic)
	b = binary.LittleEndian.AppendUint16(b, uint16(h.Kind))
	b = binary.LittleEndian.AppendUint16(b, h.Ring)
	b = binary.LittleEndian.AppendUint32(b, h.Length)
	b = binary.LittleEndian.AppendUint32(b, 0)
	return binary.LittleEndian.AppendUint64(b, h.Position)
}

// ReadFrameHeader reads and checks the next header. At a clean end of the stream it returns io.EOF.
func ReadFrameHeader(r io.Reader) (h FrameHeader, err error) {
	var b [FrameHeaderSize]byte
	if _, err = io.ReadFull(r, b[:]); err != nil {
		return h, err
	}
	if m := binary.LittleEndian.Uint32(b[:]); m != FrameMagic {
		return h, fmt.Errorf("frame: starts with %#08x, not with %#08x", m, uint32(FrameMagic))
	}
	h.Kind = FrameKind(binary.LittleEndian.Uint16(b[4:]))
	h.Ring = binary.LittleEndian.Uint16(b[6:])
	h.Length = binary.LittleEndian.Uint32(b[8:])
	h.Position = binary.LittleEndian.Uint64(b[16:])
	switch {
	case h.Kind < FrameHello || h.Kind > FrameProcessFacts:
		return h, fmt.Errorf("frame: unknown kind %d", h.Kind)
	case h.Ring >= RingCount:
		return h, fmt.Errorf("frame: ring %d, but there are %d", h.Ring, RingCount)
	case h.Length > MaxFramePayload:
		return h, fmt.Errorf("frame: %d bytes are more than the %d allowed", h.Length, MaxFramePayload)
	case h.Kind == FrameRecords && h.Length%RecordSize != 0, h.Kind == FrameClock && h.Length%16 != 0, h.Kind == FrameThreadTimes && h.Length%ThreadTimeSize != 0:
		return h, fmt.Errorf("frame: kind %d with a length of %d bytes", h.Kind, h.Length)
	}
	return h, nil
}

// Hello says who connects. Its entries: version, pid, ppid, program (path of the executable), arg (one per argument, in order),
// host, os, arch, started (Unix time in ns).
type Hello struct {
	Version int      `json:"version"`
	PID     int      `json:"pid"`
	PPID    int      `json:"ppid"`
	Program string   `json:"program"`
	Args    []string `json:"args"`
	Host    string   `json:"host"`
	OS      string   `json:"os"`
	Arch    string   `json:"arch"`
	Started int64    `json:"started_ns"`
}

// AppendHello appends the payload of a FrameHello to b.
func AppendHello(b []byte, h Hello) []byte {
	add := func(key, value string) { b = append(append(append(append(b, key...), '='), value...), 0) }
	add("version", strconv.Itoa(h.Version))
	add("pid", strconv.Itoa(h.PID))
	add("ppid", strconv.Itoa(h.PPID))
	add("program", h.Program)
	for _, a := range h.Args {
		add("arg", a)
	}
	add("host", h.Host)
	add("os", h.OS)
	add("arch", h.Arch)
	add("started", strconv.FormatInt(h.Started, 10))
	return b
}

// DecodeHello reads the payload of a FrameHello. Unknown keys are ignored, so that the format can grow.
func DecodeHello(b []byte) (h Hello, err error) {
	for _, entry := range strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00") {
		key, value, found := strings.Cut(entry, "=")
		if !found {
			return h, fmt.Errorf("hello: entry %q has no '='", entry)
		}
		switch key {
		case "version":
			h.Version, err = strconv.Atoi(value)
		case "pid":
			h.PID, err = strconv.Atoi(value)
		case "ppid":
			h.PPID, err = strconv.Atoi(value)
		case "program":
			h.Program = value
		case "arg":
			h.Args = append(h.Args, value)
		case "host":
			h.Host = value
		case "os":
			h.OS = value
		case "arch":
			h.Arch = value
		case "started":
			h.Started, err = strconv.ParseInt(value, 10, 64)
		}
		if err != nil {
			return h, fmt.Errorf("hello: %s is %q, not a number", key, value)
		}
	}
	if h.Version != Version {
		return h, fmt.Errorf("hello: wire version %d, this collector speaks %d: use the library and the tool of one build", h.Version, Version)
	}
	if h.PID <= 0 {
		return h, fmt.Errorf("hello: no process id")
	}
	return h, nil
}
