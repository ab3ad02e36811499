package hang

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
	"mtrace/collector/wire"
)

// A retry is a series of waits of a thread for the same value of an event, which all timed out.
type retry struct {
	event analyze.EventValue
	since analyze.Nanos // the begin of the first wait
	last  analyze.Nanos // the end of the last one
	times int
}

// retries finds the threads that wait for an event again and again with a time limit, and makes each of these series a
// call that has not returned. If the thread does something else between two waits, the series continues. It ends when
// the thread has not waited for policy.RetryPause and for several times its usual interval.
func (s *surveyed) retries() {
	s.retried = map[*analyze.Thread]retry{}
	selectors := map[*analyze.Thread]string{}
	for w := range analyze.Each(s.trace.Waits) {
		if w.Thread == nil || w.Thread.Process != s.process || w.Unfinished {
			continue
		}
		r := s.retried[w.Thread]
		switch {
		case !w.TimedOut:
			r = retry{}
		case r.times > 0 && r.event == w.Event:
			r.last = w.End
			r.times++
		default:
			r = retry{w.Event, w.Begin, w.End, 1}
		}
		s.retried[w.Thread], selectors[w.Thread] = r, w.Selector
	}
	for t, r := range s.retried {
		u := s.byThread[t]
		if around := s.enclosingCall[t]; around != nil && around.Event == r.event {
			u = around
		}
		if r.times == 0 || u != nil && u.Event == r.event {
			continue
		}
		pause := max(policy.RetryPause, policy.RetryIntervals*(r.last-r.since)/analyze.Nanos(r.times))
		if r.times == 1 || s.end-r.last > pause {
			delete(s.retried, t)
			continue
		}
		waits := &analyze.UnfinishedCall{Call: analyze.Call{Interval: analyze.Interval{Begin: r.since, End: s.end},
			Thread: t}, Selector: selectors[t], Group: wire.GroupWait, Event: r.event}
		if u == nil {
			s.inside = append(s.inside, waits)
		}
		for i := range s.inside {
			if s.inside[i] == u {
				s.inside[i] = waits
			}
		}
		s.byThread[t] = waits
		delete(s.enclosingCall, t)
	}
}
