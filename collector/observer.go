package collector

import (
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// An Observer receives each record as it arrives, before it is written. Its methods are called from several goroutines
// at once, but for one ring sequentially. They must return quickly, because the recording waits, and must not keep the
// slices.
type Observer interface {
	// Process is called once for each process, before anything else of it.
	Process(tracefile.ProcessIndex, wire.Hello)
	// Clock is called once for each process that records, before its records.
	Clock(p tracefile.ProcessIndex, kind wire.ClockKind, timebaseNumer, timebaseDenom uint32)
	Samples(tracefile.ProcessIndex, []wire.ClockSample)
	Facts(tracefile.ProcessIndex, []wire.Fact)
	Records(p tracefile.ProcessIndex, ring uint16, records []wire.Record)
	End(tracefile.ProcessIndex, tracefile.End)
	// Vanished is called for a process that only said hello before another program replaced it: it is not in the trace.
	Vanished(wire.Hello)
}

// Nobody is an Observer whose methods do nothing; embed it to implement only some methods.
type Nobody struct{}

func (Nobody) Process(tracefile.ProcessIndex, wire.Hello)                   {}
func (Nobody) Clock(tracefile.ProcessIndex, wire.ClockKind, uint32, uint32) {}
func (Nobody) Samples(tracefile.ProcessIndex, []wire.ClockSample)           {}
func (Nobody) Facts(tracefile.ProcessIndex, []wire.Fact)                    {}
func (Nobody) Records(tracefile.ProcessIndex, uint16, []wire.Record)        {}
func (Nobody) End(tracefile.ProcessIndex, tracefile.End)                    {}
func (Nobody) Vanished(wire.Hello)                                          {}
