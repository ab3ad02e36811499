package change

import (
	"slices"

	"mtrace/analyze/replay/program"
)

// addRoom lets GPUs and queues run at least one command buffer of each thread at the same time. It does not change a
// GPU or queue if the trace shows that it cannot run more command buffers at once than recorded.
func addRoom(p *program.Program) {
	for i := range p.Devices {
		if d := &p.Devices[i]; !d.Limited {
			widen(p, d, max(d.Engines, len(p.Threads)))
		}
	}
	for i := range p.Queues {
		if q := &p.Queues[i]; !q.Limited {
			q.AtOnce = max(q.AtOnce, len(p.Threads))
		}
	}
}

// HasSpareCapacity reports whether all GPUs and queues that are not known to be limited can already run one command
// buffer of each thread, so that addRoom would change nothing.
func HasSpareCapacity(p *program.Program) bool {
	return !slices.ContainsFunc(p.Devices, func(d program.Device) bool {
		return !d.Limited &&
			d.Engines < len(p.Threads)
	}) &&
		!slices.ContainsFunc(p.Queues, func(q program.Queue) bool { return !q.Limited && q.AtOnce < len(p.Threads) })
}

// widenGPU lets GPUs run any number of command buffers at once, each as fast as alone.
func widenGPU(p *program.Program) {
	for i := range p.Devices {
		widen(p, &p.Devices[i], program.Unlimited)
		p.Devices[i].Crowding = 0
	}
}

// widen raises the number of command buffers that a device runs at once to `engines`. For a software GPU, whose work
// the machine's processors do, the number of processors is the limit.
func widen(p *program.Program, d *program.Device, engines int) {
	if p.Processors.RunGPU {
		engines = max(d.Engines, min(engines, p.Processors.Count))
	}
	d.Engines = engines
}

// splitQueues lets all command buffers of a queue run at once, as if each had a queue of its own.
func splitQueues(p *program.Program) {
	for i := range p.Queues {
		p.Queues[i].AtOnce = program.Unlimited
	}
}

// useGPUAlone removes the time in which an external process had the GPU, both before and during command buffers.
func useGPUAlone(p *program.Program) {
	for i := range p.Jobs {
		j := &p.Jobs[i]
		j.ExternalDelay = 0
		setDuration(j, max(0, j.Duration-j.Stood))
	}
}
