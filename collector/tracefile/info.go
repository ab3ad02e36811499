// Package tracefile reads and writes .mtrace files: the records of all threads of all traced processes, in checksummed
// columnar blocks that survive being cut anywhere. docs/trace-file.md is the specification.
package tracefile

import "mtrace/collector/wire"

// Info describes how a trace was recorded. It is the first block of a file.
type Info struct {
	Tool    string   `json:"tool"`    // version of the tool that wrote it
	Command []string `json:"command"` // the command that was traced; empty for a collector on its own
	Host    string   `json:"host"`
	OS      string   `json:"os"`
	Arch    string   `json:"arch"`
	Started int64    `json:"started_ns"` // Unix time in nanoseconds

	Asked string `json:"asked,omitempty"` // the requested time ranges, as text; empty means all

	Selected []string `json:"selected,omitempty"` // the requested calls, flag by flag; empty means all

	Processors int `json:"processors,omitempty"` // number of the machine's processors; 0 when not known
}

// Result describes how the recording ended. It is written last, so a trace that was cut off has no Result.
type Result struct {
	Finished int64  `json:"finished_ns"`    // Unix time in nanoseconds
	Note     string `json:"note,omitempty"` // the reason why the recording ended early, in one line; empty otherwise
	// when the file could no longer be written, for example because the disk was full, in Unix nanoseconds. Later
	// records were only counted. 0 if all were written
	Cut int64 `json:"cut_unix_ns,omitempty"`

	// the reason, in one line, why processes that started late could not connect to the collector; empty if all could
	Unreachable string `json:"unreachable,omitempty"`

	// processes of the program that still ran when the recording ended and had not used Metal
	LivedOn []Living `json:"lived_on,omitempty"`

	Recorded []Recorded `json:"recorded,omitempty"` // the intervals that have records, in their order; empty means all

	Repaired *Repair `json:"repaired,omitempty"` // how a damaged trace was repaired to this file; nil if it was not
}

// A Living is a process of the program that still ran when the recording ended.
type Living struct {
	PID     int    `json:"pid"`
	Program string `json:"program"` // the path of the process's executable; empty if that could not be read
}

// A Recorded is a range of time whose records are in the trace. A trace has such ranges only if the user chose to
// record parts of the run.
type Recorded struct {
	From int64 `json:"from_ns"`         // on the collector's monotonic clock, in nanoseconds
	To   int64 `json:"to_ns,omitempty"` // 0 is the end of the trace
	// what started the recording of this range, as text: "the start", "mark:NAME", "SIGUSR1", or a flag
	Began string `json:"began"`
	Ended string `json:"ended,omitempty"` // the event that ended this range; empty if it lasts to the end of the recording
}

func (r *Result) addNote(note string) {
	if r.Note != "" && note != "" {
		r.Note += "; "
	}
	r.Note += note
}

// A Stream is the records of one ring (a buffer in shared memory) of one process. The ring may have belonged to
// several threads, one after the other; the records of each begin with a ThreadStart record.
type Stream struct {
	Process     ProcessIndex
	Ring        uint16
	Records     uint64
	Missing     uint64     // records that the process wrote to the ring and that are not in the file
	First, Last wire.Ticks // the smallest begin and the largest end of its calls
	blocks      []int
}
