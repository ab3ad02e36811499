package collector

import (
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// An Observer receives each record as it arrives, before it is written to the trace. Calls for one thread's ring
// buffer come one after another; calls for different rings and processes come concurrently. Methods must return
// quickly, because the recording waits for them. They must not keep the slices that they receive, because these are
// reused.
type Observer interface {
	// Process is called once for each process, before any other method is called for that process.
	Process(tracefile.ProcessIndex, wire.Hello)
	// Clock is called once for each process that maps its ring buffers, before the first record of that process.
	Clock(p tracefile.ProcessIndex, kind wire.ClockKind, timebaseNumer, timebaseDenom uint32)
	Samples(tracefile.ProcessIndex, []wire.ClockSample)
	Facts(tracefile.ProcessIndex, []wire.Fact)
	Records(p tracefile.ProcessIndex, ring uint16, records []wire.Record)
	End(tracefile.ProcessIndex, tracefile.End)
	// Vanished is called for a process that connected and was replaced by another program (exec) before it recorded
	// anything. The trace does not list it.
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
