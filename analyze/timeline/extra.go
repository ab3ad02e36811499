package timeline

import (
	"cmp"
	"fmt"
	"slices"

	"mtrace/analyze"
)

// calledFrom is the function of the program that a call came from; no arg when that is not known.
func calledFrom(name string, s *analyze.Stack) arg {
	if site := s.Site(); site != nil {
		return arg{name: name, text: site.String()}
	}
	return arg{}
}

// namesIn are the names of threads that tracks beside theirs are of.
func namesIn(t *analyze.Trace) map[*analyze.Thread]string {
	names := map[*analyze.Thread]string{}
	add := func(t *analyze.Thread) {
		if _, known := names[t]; t != nil && !known {
			names[t] = t.Name
		}
	}
	for i := range t.Scopes {
		add(t.Scopes[i].Thread)
	}
	for i := range t.CPUWaits.Signals {
		add(t.CPUWaits.Signals[i].Signaller)
	}
	return names
}

// scopes writes the times that the program gave names to, on a track beside that of their thread.
func (w *Writer) scopes(of *analyze.Slice, names map[*analyze.Thread]string) {
	list := slices.Clone(of.Trace.Scopes)
	slices.SortStableFunc(list, func(a, b analyze.Scope) int {
		return cmp.Or(cmp.Compare(a.End, b.End), cmp.Compare(b.Begin, a.Begin))
	})
	for i := range list {
		s := &list[i]
		if at := s.End; s.Thread == nil || !s.Unfinished && !of.Held(at) || s.Unfinished && !of.Held(s.Begin) {
			// one without an end is only known where it begins
			continue
		}
		on := w.scopesOf[s.Thread]
		if on == nil {
			process := s.Thread.Process
			on = w.sorter(w.newTrack(track{parent: w.process(process), process: process, name: "scopes of " + names[s.Thread],
				rank: -1}))
			w.scopesOf[s.Thread], w.scopeList = on, append(w.scopeList, on)
		}
		category := "scope"
		if s.Mark {
			category = "mark"
		}
		on.add(&slice{Interval: s.Interval, name: s.Name, category: category})
	}
	if of.Last() {
		for _, s := range w.scopeList {
			s.flush()
		}
	}
}

// The categories of signals, and of the calls that wait for them.
const (
	signalGiven  = "signal given"
	signalWaited = "signal"
)

// flowOfSignal numbers the wait of a thread that began at an instant for the arrow from the signal that ended it.
// Numbers of command buffers have processes in their upper half, of which there are not that many.
func flowOfSignal(t *analyze.Thread, begin analyze.Nanos) uint64 {
	const odd = 0x9e3779b97f4a7c15 // spreads what is close together
	return (uint64(t.ID)*odd^uint64(begin))*odd | 1<<63
}

// signals writes the moments at which threads gave signals that others waited for, on a track beside that of their
// thread: whatever the thread did then, it was outside of Metal.
func (w *Writer) signals(of *analyze.Slice, names map[*analyze.Thread]string) {
	by := map[*analyze.Thread][]*analyze.SignalWait{}
	var order []*analyze.Thread
	for i := range of.Trace.CPUWaits.Signals {
		s := &of.Trace.CPUWaits.Signals[i]
		if !of.Held(s.End) || s.Signaller == nil || s.Signalled == 0 || s.Signaller.Process == nil ||
			w.threads[s.Thread] == 0 {
			continue
		}
		if by[s.Signaller] == nil {
			order = append(order, s.Signaller)
		}
		by[s.Signaller] = append(by[s.Signaller], s)
	}
	for _, from := range order {
		list := by[from]
		slices.SortStableFunc(list, func(a, b *analyze.SignalWait) int { return cmp.Compare(a.Signalled, b.Signalled) })
		on, known := w.signalsOf[from]
		if !known {
			on = w.newTrack(track{parent: w.process(from.Process), process: from.Process, name: "signals of " +
				cmp.Or(names[from], fmt.Sprintf("thread %d", from.ID)), rank: -1})
			w.signalsOf[from] = on
		}
		for _, s := range list {
			x := slice{Interval: analyze.Interval{Begin: s.Signalled, End: s.Signalled}, track: on,
				name: cmp.Or(s.Name, s.Selector), category: signalGiven,
				flows: []uint64{flowOfSignal(s.Thread, s.Begin)}}
			x.say(arg{name: "waited, thread", value: uint64(s.Thread.ID)})
			w.out.begin(&x)
			w.out.end(on, x.End, 0)
			if out, is := w.out.(arrower); is && s.End >= s.Signalled {
				out.arrow("signal", on, s.Signalled, w.threads[s.Thread], max(s.Begin, s.End-1))
			}
		}
	}
}

// allocated is the level of what a process has allocated.
type allocated struct {
	counter
	process *analyze.Process
	by      changes // in the slice at hand
}

// memory writes how much each process had allocated.
func (w *Writer) memory(s *analyze.Slice) {
	var order []*allocated
	last := &allocated{}
	w.living.Each(s, func(p *analyze.Process, at analyze.Nanos, bytes int64) {
		if last.process != p {
			last = w.allocatedBy(p)
		}
		if len(last.by.up)+len(last.by.down) == 0 {
			order = append(order, last)
		}
		last.by.add(at, bytes)
	})
	for _, a := range order {
		w.count(&a.counter, &a.by)
		a.by.empty()
	}
}

func (w *Writer) allocatedBy(p *analyze.Process) *allocated {
	a := w.memoryOf[p]
	if a == nil {
		a = &allocated{process: p, counter: counter{of: track{parent: w.process(p), process: p, name: "allocated",
			counts: countBytes, rank: -2}}}
		w.memoryOf[p] = a
	}
	return a
}
