package program

import "mtrace/analyze"

// A Job is a command buffer.
type Job struct {
	Queue    int32
	By       int32 // the thread that commits it
	Enqueued bool  // an Enqueue step gives it its place in the queue's order
	Fence    bool  // it is empty, and made only to be waited for: no work
	Measured bool  // the GPU's clock tells its kernels apart

	Duration analyze.Nanos // on the GPU
	Alone    analyze.Nanos // part of Duration that it takes of a processor, where processors run the GPU's work
	Beside   float64       // share of Duration that is lost to others alongside it
	Stood    analyze.Nanos // part of Duration in which another program had the GPU
	Latency  analyze.Nanos // from the commit's end until the GPU can begin it, if the GPU has room
	Held     analyze.Nanos // what another program's use of the GPU adds to Latency
	// the part of Latency in which the framework needs a processor, unless the job is queued behind other work
	Submit   analyze.Nanos
	Complete analyze.Nanos // from the GPU's end until its completion handlers have returned
	Handlers analyze.Nanos // part of Complete that the program's handlers take
	After    []int32       // command buffers whose event values it waits for on the GPU
	Events   []int32       // values from threads that it waits for on the GPU
	Kernels  []Portion     // shares of Duration
	Burst    int           // how many command buffers its thread submits together, one after the other; at least 1
}

// A Portion is a share of a time that goes to one named thing.
type Portion struct {
	Of    int32 // number of the name
	Share float64
}
