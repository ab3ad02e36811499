package evidence

import "mtrace/analyze"

// Execution divides the threads' time by whether their own GPU work was running, to find whether kernels are the
// limit.
type Execution struct {
	// time in which threads wait while their own work runs: the awaited command buffer, or an earlier one of the same
	// thread; of threads that pass a task to each other, also the work of the thread that has the task
	Waited  analyze.Nanos
	Outside analyze.Nanos // time outside of Metal, without sleeping until completions
	Other   analyze.Nanos // all other time
	// kernels that do nothing but wait for another queue's work, longest wait first
	KernelWaits []KernelWait
	Display     Display // the threads that wait for the display rather than for the GPU
}

// TimeOfExecution divides the time of the submitting threads into waits for the execution of their own GPU work, time
// outside of Metal, and the remaining time.
func TimeOfExecution(work *GPUWork, times *ThreadTimes, submitters *Submitters, h *Delegation,
	waits []analyze.SignalWait, kernels []KernelWait, passed *PassedTask) Execution {
	asleep := asleepExecuting(work, submitters, h, waits, passed)
	e := Execution{Waited: times.Sum(analyze.PartWaitExecuting) + times.Sum(analyze.PartWaitQueuedOwn) + asleep,
		Outside: times.Sum(analyze.PartOutside) - asleep, KernelWaits: kernels}
	e.Other = submitters.Time - e.Waited - e.Outside
	return e
}

// Most reports whether waiting for the threads' own GPU work takes the largest part of their time: at least as much
// as their time outside of Metal, and at least as much as all other time.
func (e Execution) Most() bool { return e.Waited >= e.Outside && e.Waited >= e.Other }

// asleepExecuting returns the time in which threads waited for a signal, for example from a completion handler, while
// the GPU ran their own work. Work that another thread submitted for them counts as their own, and so does the work of
// the thread that has the task that these threads pass to each other.
func asleepExecuting(work *GPUWork, submitters *Submitters, h *Delegation, waits []analyze.SignalWait,
	passed *PassedTask) (sum analyze.Nanos) {
	if h.Confirmed() {
		for i := range h.Replies {
			sum += h.Replies[i].Own
		}
	}
	for w := range analyze.Each(waits) {
		if !submitters.Participants[w.Thread] || w.AcquirerReleased {
			continue
		}
		for _, d := range work.Devices {
			sum += d.byThread[w.Thread].LengthWithin(w.Interval.Intersect(atWork(w.Thread)))
			if passed != nil && passed.Threads[w.Thread] && passed.Threads[w.Signaller] && w.Signaller != w.Thread {
				sum += d.byThread[w.Signaller].LengthWithin(w.Interval.Intersect(atWork(w.Thread)))
			}
		}
	}
	return sum
}
