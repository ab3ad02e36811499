package evidence

import "mtrace/analyze"

// Execution has the share of the threads' time in which their own GPU work executes.
type Execution struct {
	// time in which threads wait while their own work runs: the command buffer that they wait for, or an earlier one of
	// theirs
	Waited  analyze.Nanos
	Outside analyze.Nanos // time outside of Metal, without sleeping until completions
	Other   analyze.Nanos // all other time
}

// TimeOfExecution computes the execution time.
func TimeOfExecution(work *GPUWork, times *ThreadTimes, submitters *Submitters, h *Handover,
	waits []analyze.SignalWait) Execution {
	asleep := asleepExecuting(work, submitters, h, waits)
	e := Execution{Waited: times.Sum(analyze.PartWaitExecuting) + times.Sum(analyze.PartWaitQueuedOwn) + asleep,
		Outside: times.Sum(analyze.PartOutside) - asleep}
	e.Other = submitters.Time - e.Waited - e.Outside
	return e
}

// Most reports whether execution takes more of the threads' time than their time outside of Metal, and more than
// everything else. There is no threshold, because the comparison needs none.
func (e Execution) Most() bool { return e.Waited >= e.Outside && e.Waited >= e.Other }

// asleepExecuting returns the time in which threads waited for a signal, for example from their completion handlers,
// while their own work ran or work that another thread submitted for them.
func asleepExecuting(work *GPUWork, submitters *Submitters, h *Handover, waits []analyze.SignalWait,
) (sum analyze.Nanos) {
	if h.Holds() {
		for i := range h.Replies {
			sum += h.Replies[i].Own
		}
	}
	for w := range analyze.Each(waits) {
		if !submitters.TakesPart[w.Thread] || w.GivenBack {
			continue
		}
		for _, d := range work.Devices {
			sum += d.byThread[w.Thread].Within(w.Interval.Within(atWork(w.Thread)))
		}
	}
	return sum
}
