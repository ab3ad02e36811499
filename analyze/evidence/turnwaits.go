package evidence

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// Name and address of the artificial waits that TurnWaits makes. They stand for waits for a lock that is not in the
// trace.
const (
	turn        = "a turn"
	turnAddress = 1
)

// IsTurn reports whether the wait l is an artificial one that TurnWaits made.
func IsTurn(l *analyze.LockWait) bool { return l != nil && l.Lock == turnAddress && l.Name == turn }

// TurnWaits returns artificial lock waits for threads that take turns, because the trace has no call for these waits.
// A wait lies between two round trips of a thread, while other threads make theirs, and ends when the thread's next
// round trip begins. If no thread makes a round trip for longer than a hand-off takes, the wait begins only after
// that gap.
func (t *Turns) TurnWaits() (waits []analyze.LockWait) {
	if t.Waits == nil && t.RoundTrips == nil {
		return nil
	}
	trips := roundTripsByThread(t.trace)
	any := unionOf(trips)
	for thread, own := range trips {
		for i := 1; i < len(own); i++ {
			between := analyze.Interval{Begin: own[i-1].End, End: own[i].Begin}
			begin := between.Begin
			for _, free := range any.Gaps(between) {
				if free.Begin == between.Begin || free.Length() > policy.LongestHandOff.Nanos() {
					begin = free.End
				}
			}
			if begin == between.End || any.LengthWithin(between) == 0 {
				continue
			}
			call := analyze.Call{Interval: analyze.Interval{Begin: begin, End: between.End}, Thread: thread}
			waits = append(waits, analyze.LockWait{Call: call, Lock: turnAddress, Name: turn, Exclusive: call.Length()})
		}
	}
	return waits
}
