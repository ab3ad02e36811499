package evidence

import "mtrace/analyze"

// WithTheGPU returns the part of the threads' working time that a GPU which is always busy explains: the threads had
// work in flight, or waited for the GPU or for a free command buffer. `running` is the part in which the GPU ran the
// thread's own work.
func WithTheGPU(work *GPUWork, submitters *Submitters, blocked Blocked) (sum, running analyze.Nanos) {
	for _, t := range submitters.Taking {
		with := NewBusy(append(blocked[t.Thread].spans(onGPU, onOthers, onQueue), submitters.InFlight[t.Thread].Spans()...))
		sum += with.LengthWithin(atWork(t.Thread))
		for _, d := range work.Devices {
			for _, own := range d.byThread[t.Thread].Spans() {
				running += with.LengthWithin(own.Intersect(atWork(t.Thread)))
			}
		}
	}
	return sum, min(running, sum)
}

// QueuedAsleep returns the thread time in which two things hold: the thread's work in flight was queued behind other
// threads' work on the GPU, and the thread waited or was off the processors outside of Metal.
func QueuedAsleep(work *GPUWork, submitters *Submitters) (sum analyze.Nanos) {
	for _, t := range submitters.Taking {
		queued := analyze.Nanos(0)
		for _, i := range submitters.InFlight[t.Thread].Spans() {
			i = i.Intersect(atWork(t.Thread))
			for _, d := range work.Devices {
				queued += d.all.LengthWithin(i) - d.byThread[t.Thread].LengthWithin(i)
			}
		}
		asleep := t.WorkTime[analyze.PartOutside]
		if cpu := t.Thread.CPUIn(atWork(t.Thread)); cpu.Covered > 0 {
			asleep = max(0, asleep-cpu.Ran)
		}
		sum += min(queued, t.WorkTime[analyze.PartWaitQueuedOther]+asleep)
	}
	return sum
}
