package analyze

import "mtrace/collector/wire"

// A CallStat holds the count and the durations of all calls of one selector on objects of one class.
type CallStat struct {
	Selector string
	Class    string
	Effect   wire.Effect
	// the category of thread time, such as PartEncode, to which these calls add. PartCount for waits for the GPU: the
	// time of such a wait is divided among several categories
	Part      Part
	Count     int64
	Total     Nanos // time in the calls, including calls nested in them
	Min, Max  Nanos
	Exclusive map[*Thread]Nanos // per thread, without the time of calls nested in them
	Counts    map[*Thread]int64
	From      []CallsFrom // Counts and Exclusive by stack; empty when stacks were not recorded
	Durations *Durations  // nil when they are not known

	// calls that had not returned when the run ended. Their time so far is included in Total, Min, Max and Exclusive,
	// but they are not included in Count and Durations
	Unfinished int64
}

// Waits reports whether the calls spend their time waiting for something else: GPU work, a lock, a drawable or a
// signal. Reports must not advise to make such calls faster, because only the awaited work can be.
func (c *CallStat) Waits() bool {
	return c.Part == PartCount || c.Part == PartLock || c.Part == PartDrawable || c.Part == PartOutside
}

// unfinished adds a call that had not returned when the run ended. `d` is the call's duration inside the loaded
// range. `begins` is true if the call began in that range; otherwise an earlier range has counted the call.
func (c *CallStat) unfinished(d Nanos, begins bool) {
	c.Total += d
	c.Min, c.Max = min(c.Min, d), max(c.Max, d)
	if begins {
		c.Unfinished++
	}
}

// add adds the duration d of one call to the sums. It does not increment Count: finishThread adds the calls of each
// thread to Count later, so the call would count twice.
func (c *CallStat) add(d Nanos) {
	c.Total += d
	c.Min, c.Max = min(c.Min, d), max(c.Max, d)
	c.Durations.Add(d)
}

// An UnfinishedCall is a call that had not returned when its process ended or its recording stopped; its End is
// Process.Ended. It is a Metal call, or a wait for a lock, a signal or a process. If a thread waits inside a Metal
// call, the wait and the Metal call are both listed.
type UnfinishedCall struct {
	Call
	Selector    string
	Group       wire.Group
	Interpreter InterpreterLock    // when the call began
	Buffer      CommandBufferIndex // for a call on a command buffer, or on one of its encoders
	Queue       *Queue             // the queue that the call is made on
	Event       EventValue         // the event that it waits for
	Address     uint64             // of the lock, condition variable or semaphore that the call waits for; 0 if none
	Name        string             // name of the object at Address: a label or a symbol
	Holder      *Thread            // the thread that held the lock when the wait began; nil if not known
	OfPython    bool               // the lock is CPython's GIL
	Polls       int                // how often the thread asked, in a loop that polls; 0 if it is no such loop
	Effect      wire.Effect        // what the call does or waits for
	Child       int                // ID of the process that the call waits for; 0 if none, or if any process will do

	buffer *CommandBuffer // used until Buffer is known
}
