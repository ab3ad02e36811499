package change

import (
	"slices"

	"mtrace/analyze/replay/program"
)

// addRoom lets GPUs and queues that are not known to be limited run one command buffer for each thread.
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

// HasRoom reports whether addRoom would change nothing.
func HasRoom(p *program.Program) bool {
	return !slices.ContainsFunc(p.Devices, func(d program.Device) bool {
		return !d.Limited &&
			d.Engines < len(p.Threads)
	}) &&
		!slices.ContainsFunc(p.Queues, func(q program.Queue) bool { return !q.Limited && q.AtOnce < len(p.Threads) })
}

// widenGPU lets GPUs run everything at once without slowing down.
func widenGPU(p *program.Program) {
	for i := range p.Devices {
		widen(p, &p.Devices[i], program.Unlimited)
		p.Devices[i].Crowding = 0
	}
}

// widen gives a device more engines. If processors run its work, it has at most as many engines as there are
// processors.
func widen(p *program.Program, d *program.Device, engines int) {
	if p.Processors.RunGPU {
		engines = max(d.Engines, min(engines, p.Processors.Count))
	}
	d.Engines = engines
}

// splitQueues lets command buffers of one queue run at the same time.
func splitQueues(p *program.Program) {
	for i := range p.Queues {
		p.Queues[i].AtOnce = program.Unlimited
	}
}

// useGPUAlone removes the time in which another program has the GPU.
func useGPUAlone(p *program.Program) {
	for i := range p.Jobs {
		j := &p.Jobs[i]
		j.Held = 0
		setDuration(j, max(0, j.Duration-j.Stood))
	}
}
