package evidence

import "mtrace/analyze"

// A blocking is a kind of calls that block.
type blocking uint8

const (
	onOthers  blocking = iota // a wait for another thread's work
	onGPU                     // another wait
	onLock                    //
	onSignal                  // of another thread, for work as a rule
	onCompile                 //
	onQueue                   // for a free command buffer
	blockings
)

// spansOf is when a thread was inside calls that block, by kind.
type spansOf [blockings]*Busy

// within is how much of an interval the thread was inside calls of some kinds.
func (s spansOf) within(i analyze.Interval, kinds ...blocking) (sum analyze.Nanos) {
	for _, k := range kinds {
		sum += s[k].Within(i)
	}
	return sum
}

// spans are all spans of some kinds.
func (s spansOf) spans(kinds ...blocking) (all []analyze.Interval) {
	for _, k := range kinds {
		all = append(all, s[k].Spans()...)
	}
	return all
}

// findSpans finds when each thread was inside calls that block.
func (ev *Evidence) findSpans() {
	by := map[*analyze.Thread]*[blockings][]analyze.Interval{}
	add := func(c *analyze.Call, kind blocking) {
		if by[c.Thread] == nil {
			by[c.Thread] = &[blockings][]analyze.Interval{}
		}
		by[c.Thread][kind] = append(by[c.Thread][kind], c.Interval)
	}
	for w := range analyze.Each(ev.Trace.Waits) {
		if ev.ForOthers(w) {
			add(&w.Call, onOthers)
		} else {
			add(&w.Call, onGPU)
		}
	}
	for l := range analyze.Each(ev.Locks) {
		add(&l.Call, onLock)
	}
	for w := range analyze.Each(ev.SignalWaits) {
		add(&w.Call, onSignal)
	}
	for c := range analyze.Each(ev.Trace.Compilations) {
		add(&c.Call, onCompile)
	}
	for c := range analyze.Each(ev.FullQueue) {
		add(&c.Call, onQueue)
	}
	ev.spans = map[*analyze.Thread]spansOf{}
	for t, lists := range by {
		var s spansOf
		for kind, list := range lists {
			s[kind] = NewBusy(list)
		}
		ev.spans[t] = s
	}
}
