package extract

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay/program"
)

// addRequests adds requests to the calls of a program in which one thread, or a pool of threads, submits for others.
// A requesting thread sends a request and waits for the answer. The serving thread waits for each request and answers
// it, in the recorded order.
func (b *builder) addRequests(by map[*analyze.Thread][]call) {
	h := b.ev.Delegation
	if !h.Confirmed() {
		return
	}
	inside := func(i analyze.Interval) bool { return i.Begin >= b.window.Begin && i.End <= b.window.End }
	asleep := map[*analyze.Thread][]analyze.SignalWait{} // waits of the serving threads
	for i := range b.ev.ThreadWaits.Merged {
		if w := &b.ev.ThreadWaits.Merged[i]; h.Pool[w.Thread] && !w.AcquirerReleased && inside(w.Interval) {
			asleep[w.Thread] = append(asleep[w.Thread], *w)
		}
	}
	service := &b.program.Service
	b.servers, service.Batched = h.Pool, policy.MoreThan(policy.Majority, h.Batched, len(h.Replies))
	add := func(t *analyze.Thread, i analyze.Interval, s program.Step, waited analyze.Nanos) {
		s.Job = program.Unknown
		by[t] = append(by[t], call{Interval: i, Step: s, detail: program.Detail{Waited: waited}})
	}
	before := map[*analyze.Thread]analyze.Nanos{} // when each serving thread answered last
	for r := range analyze.Each(h.Replies) {
		if !inside(r.Interval) || r.At < r.Begin || r.At > r.End {
			continue
		}
		k := int32(service.Requests)
		service.Requests++
		add(r.Thread, r.Interval, program.Step{Kind: program.Request, Number: k, Notify: r.End - r.At}, r.At-r.Begin)
		from, served := before[r.By]
		slept, waits := false, asleep[r.By]
		for ; len(waits) > 0 && waits[0].End <= r.At; waits = waits[1:] {
			w := &waits[0]
			if served && w.Begin < from {
				continue
			}
			s, waited := program.Step{Kind: program.Serve, Number: k}, w.Length()
			if w.Signalled > w.Begin && w.Signalled < w.End {
				s.Notify = w.End - w.Signalled
			}
			if !served { // leave out the serving thread's wait before its first request: it is not a part of the run
				w.Begin = w.End
			}
			add(r.By, w.Interval, s, waited)
			slept = true
		}
		asleep[r.By] = waits
		if !slept && served {
			add(r.By, at(from), program.Step{Kind: program.Serve, Number: k}, 0)
		}
		add(r.By, at(r.At), program.Step{Kind: program.Answer, Number: k}, 0)
		before[r.By] = r.At
	}
	b.addPaced(by)
}
