package program

import "mtrace/analyze"

// A Job is a command buffer in a program. Its durations are as recorded; the simulated machine computes when the job
// begins and ends.
type Job struct {
	// The fields up to Complete, which the machine needs of each job, fill one cache line.

	Queue int32
	By    int32 // the thread that commits it
	// Clock is the index of a thread plus 1; 0 means none. If it is not 0, the job waits on the GPU for that thread's
	// next SetEvent step after the job's creation, and not for Events.
	Clock    int32
	Enqueued bool // an Enqueue step gives it its place in the queue's order
	Fence    bool // an empty command buffer that exists only to be waited for: no work
	Measured bool // the GPU's clock measured its kernels separately

	Duration        analyze.Nanos // on the GPU
	ConcurrencyLoss float64       // share of Duration that is lost to concurrent command buffers
	Latency         analyze.Nanos // from the commit's end until the GPU can begin it, if the GPU has spare capacity
	ExternalDelay   analyze.Nanos // part of Latency that is due to an external process's use of the GPU
	// Submit is the last part of Latency, in which Metal uses a processor. The simulated machine sets it to 0 for a job
	// that is queued behind other work, because the GPU begins such a job without a submission.
	Submit   analyze.Nanos
	Complete analyze.Nanos // from the GPU's end until its completion handlers have returned

	ProcessorTime analyze.Nanos // processor time that it takes, if processors run the GPU's work; a part of Duration
	Stood         analyze.Nanos // part of Duration in which an external process had the GPU
	Handlers      analyze.Nanos // part of Complete that the program's handlers take
	After         []int32       // command buffers whose event values it waits for on the GPU
	Events        []int32       // settings of shared events by threads, for which it waits on the GPU
	Kernels       []Portion     // shares of Duration
	// Burst is the number of command buffers that the thread submits one after another, doing nothing in between but
	// wait; at least 1.
	Burst int
}

// AwaitsEvent reports whether the job waits for an event on the GPU.
func (j *Job) AwaitsEvent() bool { return len(j.After)+len(j.Events) > 0 || j.Clock > 0 }

// A Portion is the part (0 to 1) of a duration that is spent on one named item, such as a kernel or a call.
type Portion struct {
	Of    int32 // number of the item's name
	Share float64
}
