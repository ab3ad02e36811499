package timeline

import (
	"cmp"
	"fmt"
	"slices"

	"mtrace/analyze"
)

// calledFrom returns an arg with the program's function from which a call was made; an empty one if that is not
// known.
func calledFrom(name string, s *analyze.Stack) arg {
	if site := s.Site(); site != nil {
		return arg{name: name, text: site.String()}
	}
	return arg{}
}

// namesIn returns the current names of the threads that get an additional track, for scopes or signals. The names are
// copied, because the tracks are written later, when a Thread may have another name.
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

// scopes writes the program's scopes and marks, on a track next to their thread's.
func (w *Writer) scopes(of *analyze.Slice, names map[*analyze.Thread]string) {
	list := slices.Clone(of.Trace.Scopes)
	slices.SortStableFunc(list, func(a, b analyze.Scope) int {
		return cmp.Or(cmp.Compare(a.End, b.End), cmp.Compare(b.Begin, a.Begin))
	})
	for i := range list {
		s := &list[i]
		if at := s.End; s.Thread == nil || !s.Unfinished && !of.Includes(at) || s.Unfinished && !of.Includes(s.Begin) {
			// a scope without an end belongs to the slice (time range of the run) in which it began
			continue
		}
		on := w.scopesOf[s.Thread]
		if on == nil {
			process := s.Thread.Process
			on = w.file.sorter(w.file.declare(track{parent: w.file.process(process), process: process, name: "scopes of " +
				names[s.Thread], rank: -1}))
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

// Categories of a sent signal, and of the calls that wait for one.
const (
	signalGiven  = "signal given"
	signalWaited = "signal"
)

// flowOfSignal returns the number of the arrow from a signal to the wait that thread t began at time `begin`. Its
// highest bit is set, which numbers of command buffers' arrows never have, so the two never collide.
func flowOfSignal(t *analyze.Thread, begin analyze.Nanos) uint64 {
	const odd = 0x9e3779b97f4a7c15 // an odd factor that spreads consecutive numbers
	return (uint64(t.ID)*odd^uint64(begin))*odd | 1<<63
}

// signals writes the instants at which threads sent a signal that another thread waited for. They get a track next to
// the sending thread's track, because the sender is outside of Metal then and its own track shows nothing.
func (w *Writer) signals(of *analyze.Slice, names map[*analyze.Thread]string) {
	by := map[*analyze.Thread][]*analyze.SignalWait{}
	var order []*analyze.Thread
	for i := range of.Trace.CPUWaits.Signals {
		s := &of.Trace.CPUWaits.Signals[i]
		if !of.Includes(s.End) || s.Signaller == nil || s.Signalled == 0 || s.Signaller.Process == nil ||
			w.file.threads[s.Thread] == 0 {
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
			on = w.file.declare(track{parent: w.file.process(from.Process), process: from.Process, name: "signals of " +
				cmp.Or(names[from], fmt.Sprintf("thread %d", from.ID)), rank: -1})
			w.signalsOf[from] = on
		}
		for _, s := range list {
			x := slice{Interval: analyze.Interval{Begin: s.Signalled, End: s.Signalled}, track: on,
				name: cmp.Or(s.Name, s.Selector), category: signalGiven,
				flows: []uint64{flowOfSignal(s.Thread, s.Begin)}}
			x.say(arg{name: "waited, thread", value: uint64(s.Thread.ID)})
			w.file.out.begin(&x)
			w.file.out.end(on, x.End, 0)
			if out, is := w.file.out.(arrower); is && s.End >= s.Signalled {
				out.arrow("signal", on, s.Signalled, w.file.threads[s.Thread], max(s.Begin, s.End-1))
			}
		}
	}
}

// allocated is how much GPU memory a process has allocated, as a counter.
type allocated struct {
	counter
	process *analyze.Process
	by      changes // changes within the current slice
}

// memory writes how the allocated memory of each process changes during a slice (part) of the run.
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
		a.counter.write(w.file, &a.by)
		a.by.empty()
	}
}

func (w *Writer) allocatedBy(p *analyze.Process) *allocated {
	a := w.memoryOf[p]
	if a == nil {
		a = &allocated{process: p, counter: counter{of: track{parent: w.file.process(p), process: p, name: "allocated",
			counts: countBytes, rank: -2}}}
		w.memoryOf[p] = a
	}
	return a
}
