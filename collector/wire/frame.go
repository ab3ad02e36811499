package wire

import (
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// FrameKind says what a frame (a message from the traced process to the collector) contains.
type FrameKind uint16

// The kinds of frames. A connection begins with at most one Token frame, then one Hello, then at most one Rings. Any
// number of frames of the other kinds follows.
const (
	FrameHello        FrameKind = 1 // see Hello
	FrameRings        FrameKind = 2 // comes at the first Metal call
	FrameRecords      FrameKind = 3
	FrameFacts        FrameKind = 4
	FrameClock        FrameKind = 5
	FrameThreadTimes  FrameKind = 6 // see ThreadTime
	FrameProcessFacts FrameKind = 7
	FrameToken        FrameKind = 8 // comes before Hello if the collector requires it; see Token
)

// A frameRow declares a kind of frame. If all elements of its payload have the same size, the field `of` is that
// size, and a payload whose length is no multiple of it is refused.
type frameRow struct {
	kind    FrameKind
	name    string
	of      uint32 // bytes of each element of the payload; 0 if they differ
	payload string
}

// frames is the table of the kinds of frames. The C header, the check of frame headers and docs/wire.md are made from
// it.
var frames = [...]frameRow{
	{FrameHello, "hello", 0, "first, once: `key=value` entries, each ended by a NUL: " +
		"version, pid, ppid, program, arg (each argument, in order), host, os, arch, started (Unix time, ns), " +
		"children (1: with the frame's first byte comes the descriptor of the page of the process's children)"},
	{FrameRings, "rings", 0, "empty; the descriptor of the shared memory comes with its first byte. At most once"},
	{FrameRecords, "records", RecordSize,
		"complete records of one ring; position is the ring position of the first record"},
	{FrameFacts, "facts", 0, "complete facts of one ring; position is the byte position of the first fact. " +
		"Facts before the rings frame belong to no ring and have no position"},
	{FrameClock, "clock", 16, "clock samples: ticks u64 and nanoseconds i64 of the clock of GPU times " +
		"(CLOCK_UPTIME_RAW on macOS, CLOCK_MONOTONIC on Linux)"},
	{FrameThreadTimes, "thread times", ThreadTimeSize,
		fmt.Sprintf("processor times of threads, %d bytes each: "+
			"the system's thread id u64, %d for the whole process, %d for all programs of the machine; "+
			"the time of the sample, in nanoseconds on the clock of GPU times, i64; "+
			"nanoseconds on a processor since the thread began i64; "+
			"nanoseconds that it could run and had no processor i64, %d where the system does not count them",
			ThreadTimeSize, WholeProcess,
			uint64(WholeMachine),
			WaitNotKnown)},
	{FrameProcessFacts, "process facts", 0, "complete facts that belong to no ring, without a position"},
	{FrameToken, "token", TokenSize, "once, before the hello, if `" + TokenVariable + "` is set: " +
		"the bytes that the variable has in hexadecimal. " +
		"A collector that created a token reads nothing else before it has read this frame"},
}

// row returns the row of a kind of frame, or nil for an unknown kind.
func (k FrameKind) row() *frameRow {
	for i := range frames {
		if frames[i].kind == k {
			return &frames[i]
		}
	}
	return nil
}

const (
	// FrameMagic is the first word of every frame (message) on a connection, "MTRF"; data without it is refused.
	FrameMagic = 0x4652544d
	// FrameHeaderSize is the size of the header of a frame in bytes: magic u32, kind u16, ring u16, length u32, zero
	// u32, position u64.
	FrameHeaderSize = 24
	// MaxFramePayload is the maximum size of a frame's payload, in bytes: as much as a ring buffer full of records.
	// Without a limit a hostile process could make the collector allocate any amount.
	MaxFramePayload = RecordsPerRing * RecordSize
)

// A FrameHeader comes before each frame's payload, which has Length bytes. Ring is the ring buffer to which the
// records or facts in the payload belong, and Position the ring position of the first one.
type FrameHeader struct {
	Kind     FrameKind
	Ring     uint16
	Length   uint32
	Position uint64
}

// AppendFrameHeader appends the encoded header, FrameHeaderSize bytes, to b.
func AppendFrameHeader(b []byte, h FrameHeader) []byte {
	b = binary.LittleEndian.AppendUint32(b, FrameMagic)
	b = binary.LittleEndian.AppendUint16(b, uint16(h.Kind))
	b = binary.LittleEndian.AppendUint16(b, h.Ring)
	b = binary.LittleEndian.AppendUint32(b, h.Length)
	b = binary.LittleEndian.AppendUint32(b, 0)
	return binary.LittleEndian.AppendUint64(b, h.Position)
}

// ReadFrameHeader reads and checks the next frame header. If the stream ends between two frames, it returns io.EOF.
func ReadFrameHeader(r io.Reader) (h FrameHeader, err error) {
	var b [FrameHeaderSize]byte
	if _, err = io.ReadFull(r, b[:]); err != nil {
		return h, err
	}
	if m := binary.LittleEndian.Uint32(b[:]); m != FrameMagic {
		return h, fmt.Errorf("frame: the data begins with %#08x instead of %#08x, so it is no frame of mtrace", m,
			uint32(FrameMagic))
	}
	h.Kind = FrameKind(binary.LittleEndian.Uint16(b[4:]))
	h.Ring = binary.LittleEndian.Uint16(b[6:])
	h.Length = binary.LittleEndian.Uint32(b[8:])
	h.Position = binary.LittleEndian.Uint64(b[16:])
	switch row := h.Kind.row(); {
	case row == nil:
		return h, fmt.Errorf("frame: unknown kind %d", h.Kind)
	case h.Ring >= RingCount:
		return h, fmt.Errorf("frame: the frame is for ring %d, but there are only %d rings", h.Ring, RingCount)
	case h.Length > MaxFramePayload:
		return h, fmt.Errorf("frame: the payload of %d bytes is longer than the maximum of %d", h.Length,
			MaxFramePayload)
	case row.of != 0 && h.Length%row.of != 0:
		return h, fmt.Errorf("frame: a payload of kind %d cannot have %d bytes", h.Kind, h.Length)
	}
	return h, nil
}

// Hello describes a process that connects; it is the first frame of a connection. The payload has the entries
// version, pid, ppid, program (path of the executable), arg (one per argument, in order), host, os, arch, started
// (Unix time in ns) and children ("1" or missing).
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

	// Children means that the file descriptor of the children page came with the frame. It is not stored in traces.
	Children bool `json:"-"`
}

// AppendHello appends the encoded payload of a hello frame to b.
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
	if h.Children {
		add("children", "1")
	}
	return b
}

// DecodeHello decodes the payload of a hello frame. It ignores unknown keys, so that a newer library can add some.
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
		case "children":
			h.Children = value == "1"
		case "started":
			h.Started, err = strconv.ParseInt(value, 10, 64)
		}
		if err != nil {
			return h, fmt.Errorf("hello: %s is %q, not a number", key, value)
		}
	}
	if h.Version != Version {
		return h, fmt.Errorf("hello: the library has wire version %d, but this collector has %d; "+
			"use the library and the mtrace of the same build", h.Version, Version)
	}
	if h.PID <= 0 {
		return h, fmt.Errorf("hello: no process id")
	}
	return h, nil
}
