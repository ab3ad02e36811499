package evidence

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// What threads that take turns wait for is in no trace: this stands for it.
const (
	turn        = "a turn"
	turnAddress = 1
)

// IsTurn says whether a wait is one of TurnWaits.
func IsTurn(l *analyze.LockWait) bool { return l != nil && l.Lock == turnAddress && l.Name == turn }

// TurnWaits are the waits of threads that take turns, which no call makes: outside of Metal, while another is between
// making a command buffer and the end of the wait for it, and until the thread begins the same, as long as turns follow
// each other no later than one is handed over.
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
				if free.Begin == between.Begin || free.Length() > policy.Launch.Nanos() {
					begin = free.End
				}
			}
			if begin == between.End || any.Within(between) == 0 {
				continue
			}
			call := analyze.Call{Interval: analyze.Interval{Begin: begin, End: between.End}, Thread: thread}
			waits = append(waits, analyze.LockWait{Call: call, Lock: turnAddress, Name: turn, Own: call.Length()})
		}
	}
	return waits
}
