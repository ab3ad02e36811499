package summary

import "mtrace/analyze/evidence"

// Cycle divides the time of threads that always wait for a command buffer before they create the next one into parts,
// such as encoding (see evidence.RoundTrips).
type Cycle struct {
	Threads     int   `json:"threads"`     // number of threads that commit
	Synchronous int   `json:"synchronous"` // number of these threads that have only one command buffer at a time in flight
	Buffers     int   `json:"command_buffers"`
	EncodeNS    Nanos `json:"encode_ns"`  // creation to commit
	StartNS     Nanos `json:"start_ns"`   // commit to GPU start
	GPUNS       Nanos `json:"gpu_ns"`     // the GPU's work
	GapsNS      Nanos `json:"gaps_ns"`    // GPU start to end, without the GPU's work
	NotifyNS    Nanos `json:"notify_ns"`  // GPU end to completion
	BetweenNS   Nanos `json:"between_ns"` // completion to the next creation
}

// cycle returns the Cycle of the model, or nil if no thread has one command buffer at a time.
func (m *modeller) cycle() *Cycle {
	c := evidence.RoundTripsOf(m.trace)
	if c.Synchronous == 0 {
		return nil
	}
	return &Cycle{c.Threads, c.Synchronous, c.Buffers, c.Encode, c.Start, c.GPU, c.Gaps, c.Notify, c.Between}
}
