package xctrace

import (
	"slices"
	"strconv"
	"strings"
)

// Dictionary holds the distinct texts, processes, threads, frames and call stacks of the exports that are read with
// it. Rows refer to them by index, which saves memory; index 0 means "none".
type Dictionary struct {
	Texts     []string
	Processes []Process
	Threads   []Thread
	Frames    []Frame
	Stacks    [][]FrameIndex // leaf first

	texts     map[string]TextIndex
	processes map[Process]ProcessIndex
	threads   map[Thread]ThreadIndex
	frames    map[Frame]FrameIndex
	stacks    map[string]StackIndex
	key       []byte
}

// Indexes into the lists of a Dictionary.
type (
	TextIndex    uint32
	ProcessIndex uint32
	ThreadIndex  uint32
	FrameIndex   uint32
	StackIndex   uint32
)

// Process is a process on the recorded machine. The XML element has only the pid, so the name is cut out of the
// displayed text; the table of contents has the exact name.
type Process struct {
	PID  uint64
	Name string
}

// Thread is a thread on the recorded machine.
type Thread struct {
	TID     uint64
	Name    string
	Process ProcessIndex
}

// Frame is a place in a program, an element of a call stack. Name is "" if the place was not symbolicated.
type Frame struct {
	Name    string
	Address uint64
	Binary  string // name of the library or program, "" if unknown
	File    string // of the source, "" if unknown
	Line    uint32
}

// NewDictionary returns an empty Dictionary.
func NewDictionary() *Dictionary {
	return &Dictionary{
		Texts:     []string{""},
		Processes: []Process{{}},
		Threads:   []Thread{{}},
		Frames:    []Frame{{}},
		Stacks:    [][]FrameIndex{nil},
		texts:     map[string]TextIndex{"": 0},
		processes: map[Process]ProcessIndex{},
		threads:   map[Thread]ThreadIndex{},
		frames:    map[Frame]FrameIndex{},
		stacks:    map[string]StackIndex{"": 0},
	}
}

// Text returns the text with the index `i`.
func (d *Dictionary) Text(i TextIndex) string { return d.Texts[i] }

// text returns the index of a text, which it adds if the text is new.
func (d *Dictionary) text(b []byte) TextIndex {
	if i, ok := d.texts[string(b)]; ok {
		return i
	}
	s := string(b)
	i := TextIndex(len(d.Texts))
	d.Texts = append(d.Texts, s)
	d.texts[s] = i
	return i
}

func (d *Dictionary) process(pid uint64, display []byte) ProcessIndex {
	return index(&d.Processes, d.processes, Process{pid, processName(string(display), pid)})
}

func (d *Dictionary) thread(tid uint64, process ProcessIndex, display []byte) ThreadIndex {
	return index(&d.Threads, d.threads, Thread{tid, threadName(string(display), tid), process})
}

func (d *Dictionary) frame(f Frame) FrameIndex { return index(&d.Frames, d.frames, f) }

func (d *Dictionary) stack(frames []FrameIndex) StackIndex {
	d.key = d.key[:0]
	for _, f := range frames {
		d.key = append(d.key, byte(f), byte(f>>8), byte(f>>16), byte(f>>24))
	}
	if i, ok := d.stacks[string(d.key)]; ok {
		return i
	}
	i := StackIndex(len(d.Stacks))
	d.Stacks = append(d.Stacks, slices.Clone(frames))
	d.stacks[string(d.key)] = i
	return i
}

// index returns the index of v in `list`, and appends v if it is new.
func index[V comparable, I ~uint32](list *[]V, known map[V]I, v V) I {
	if i, ok := known[v]; ok {
		return i
	}
	i := I(len(*list))
	*list = append(*list, v)
	known[v] = i
	return i
}

// processName returns the name in a displayed text of the form "name (pid)".
func processName(display string, pid uint64) string {
	return strings.TrimSuffix(display, " ("+strconv.FormatUint(pid, 10)+")")
}

// threadName returns the name in a displayed text of the form "name 0xTID (process, pid: N)" or, in newer versions,
// "name (0xTID) (process, pid: N)". It cuts at the tid, so that a name may contain parentheses. A thread without a
// name is displayed as its tid.
func threadName(display string, tid uint64) string {
	hex := "0x" + strconv.FormatUint(tid, 16)
	i := strings.LastIndex(display, hex)
	if i < 0 {
		return display
	}
	name := display[:i]
	if strings.HasPrefix(display[i+len(hex):], ")") {
		name = strings.TrimSuffix(name, "(")
	}
	return strings.TrimSpace(name)
}
