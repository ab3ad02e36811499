package evidence

import (
	"cmp"
	"fmt"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A Producer is a thread for whose signal submitting threads wait while the GPU is idle.
type Producer struct {
	Thread    *analyze.Thread // nil when not known
	TimedOut  bool            // no thread signalled: the waits ended by their time limit; see Timeouts
	What      string          // name of the awaited object, otherwise the selector of the waiting call
	Idle      analyze.Nanos   // how long the GPU was idle while submitting threads waited for the producer
	Woken     bool            // the producer sleeps, but other threads' signals wake it for its work
	waits     int
	asleep    analyze.Nanos            // the part of Idle in which the producer slept
	meanwhile [blockings]analyze.Nanos // by kind of blocking call: how long the producer was blocked meanwhile
}

func (x *Producer) add(blocked Blocked, w *analyze.SignalWait, idle analyze.Nanos) {
	x.Thread, x.What = w.Signaller, cmp.Or(w.Name, w.Selector)
	x.Idle += idle
	for kind, by := range blocked[w.Signaller] {
		x.meanwhile[kind] += by.LengthWithin(w.Interval)
	}
}

// Sleeps reports whether the producer slept for most of the time that others waited for it.
func (x *Producer) Sleeps() bool { return policy.MoreThan(policy.Majority, x.asleep, x.Idle) }

// Doing returns a clause for the report: what the producer did for most of the time that other threads waited for it,
// such as ", which slept meanwhile". It returns "" if the trace does not show that.
func (x *Producer) Doing() string {
	for _, c := range []struct {
		took analyze.Nanos
		what string
	}{{x.meanwhile[onCompile], "compiled"}, {x.meanwhile[onGPU] + x.meanwhile[onOthers], "waited for the GPU"},
		{x.meanwhile[onLock], "waited for a lock"},
		{x.meanwhile[onSignal], "waited for a signal itself"},
		{x.meanwhile[onResidency], "made memory resident"}, {x.asleep, "slept"}} {
		if x.Thread != nil && policy.MoreThan(policy.Majority, c.took, x.Idle) {
			return fmt.Sprintf(", which %s meanwhile", c.what)
		}
	}
	return ""
}

// Awaited returns what submitting threads waited for, for the report: "the signal of decoder 12".
func (x *Producer) Awaited() string {
	switch {
	case x.TimedOut:
		return "a signal that did not come before the time limit"
	case x.Thread == nil:
		return "the signal of an unknown thread"
	}
	return "the signal of " + ThreadName(x.Thread)
}

// producerSite identifies the object at which the thread of the wait w waited for a producer.
func producerSite(w *analyze.SignalWait) LockKey {
	k := LockKey{process: w.Thread.Process, address: w.Object}
	if w.Object == 0 {
		k.name = w.Name
	}
	return k
}
