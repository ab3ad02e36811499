package extract

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay/program"
)

// addRequests adds requests to the calls of a program in which one thread submits for others: a requesting thread
// sends a request and waits for the answer; the serving thread waits for each request and answers it, in the recorded
// order.
func (b *builder) addRequests(by map[*analyze.Thread][]call) {
	h := b.ev.Handover
	if !h.Holds() {
		return
	}
	inside := func(i analyze.Interval) bool { return i.Begin >= b.window.Begin && i.End <= b.window.End }
	var asleep []analyze.SignalWait // waits of the serving thread
	for i := range b.ev.ThreadWaits.Merged {
		if w := &b.ev.ThreadWaits.Merged[i]; w.Thread == h.To && !w.GivenBack && inside(w.Interval) {
			asleep = append(asleep, *w)
		}
	}
	service := &b.program.Service
	b.server, service.Batched = h.To, policy.MoreThan(policy.Most, h.Batched, len(h.Replies))
	add := func(t *analyze.Thread, i analyze.Interval, s program.Step, waited analyze.Nanos) {
		s.Job = program.Unknown
		by[t] = append(by[t], call{Interval: i, Step: s, detail: program.Detail{Waited: waited}})
	}
	from := analyze.Nanos(-1 << 62)
	for r := range analyze.Each(h.Replies) {
		if !inside(r.Interval) || r.At < r.Begin || r.At > r.End {
			continue
		}
		k := int32(service.Requests)
		service.Requests++
		add(r.Thread, r.Interval, program.Step{Kind: program.Request, Number: k, Notify: r.End - r.At}, r.At-r.Begin)
		slept := false
		for ; len(asleep) > 0 && asleep[0].End <= r.At; asleep = asleep[1:] {
			w := &asleep[0]
			if w.Begin < from {
				continue
			}
			s, waited := program.Step{Kind: program.Serve, Number: k}, w.Length()
			if w.Signalled > w.Begin && w.Signalled < w.End {
				s.Notify = w.End - w.Signalled
			}
			if k == 0 { // the wait before the first request is not a part of the run
				w.Begin = w.End
			}
			add(h.To, w.Interval, s, waited)
			slept = true
		}
		if !slept && from > 0 {
			add(h.To, at(from), program.Step{Kind: program.Serve, Number: k}, 0)
		}
		add(h.To, at(r.At), program.Step{Kind: program.Answer, Number: k}, 0)
		from = r.At
	}
}
