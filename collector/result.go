package collector

import (
	"fmt"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// A Result is the summary of a recording.
type Result struct {
	Processes int    // includes processes that are not traced
	Events    uint64 // calls and other events in the trace
	Records   uint64 // includes More records
	Salvaged  uint64 // part of Records that was read from the shared memory of processes that had ended
	Lost      uint64 // records that are not in the trace, for whatever reason
	Bytes     int64  // size of the trace
	// LivedOn are the program's processes that still ran when the recording ended and had not used Metal.
	LivedOn  []tracefile.Living
	Refused  uint64   // untrusted connections; their processes are not counted
	Warnings []string // one line each
}

func (r *Result) add(p *process, end *tracefile.End) {
	r.Processes++
	r.Events += p.trace.events
	r.Records += p.trace.records
	r.Salvaged += end.Salvaged
	r.Lost += end.Lost() + p.order.missing
	warn := func(format string, args ...any) {
		r.Warnings = append(r.Warnings, fmt.Sprintf("process %d (%s): ", p.trace.hello.PID,
			p.trace.hello.Program)+fmt.Sprintf(format, args...))
	}
	if end.Note != "" {
		warn("%s", end.Note)
	}
	for _, line := range end.Distrusted {
		warn("%s", line)
	}
	if p.trace.untraced != "" {
		warn("%s", p.trace.untraced)
	}
	if n := end.Lost() - end.Unringed; n > 0 {
		warn("%d records were dropped because buffers of its threads were full; try --on-full block", n)
	}
	if n := end.Unringed; n > 0 {
		warn("%d records were dropped: only %d threads of a process are recorded at once, and it had more",
			n, wire.RingCount)
	}
	if p.order.missing > 0 {
		warn("%d records are missing: the process wrote them, but the collector did not receive them", p.order.missing)
	}
}
