package evidence

import (
	"cmp"
	"maps"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// Inputs has the files, pipes, sockets and terminals for which submitting threads waited while the GPU was idle and
// the threads had no GPU work in flight.
type Inputs struct {
	Lost analyze.Nanos // idle time in waits for the program's files, pipes and sockets
	// idle time in waits for clients, a terminal or standard input. Then the program had no requests to serve, so
	// nothing in it was slow
	Outside analyze.Nanos
	Sources []*Input                               // the descriptor with the most time first
	When    map[*analyze.Thread][]analyze.Interval // the waits of which Lost has the idle time, in full

	// time in waits for pipes, sockets and other threads' schedules, whether or not the GPU was idle. The other end
	// decides when such a wait ends. Faster GPU work only makes the wait longer, and not the run shorter.
	Paced analyze.Nanos
	// when each thread (whether it submits or not) waited for clients, a terminal or standard input, or slept on a
	// schedule of its own, as a timer does
	outside   map[*analyze.Thread]*Busy
	scheduled map[*analyze.Thread][]analyze.Interval // the sleeps of threads that wake on a schedule; see findScheduled
}

// An Input is one file, pipe, socket or terminal, or a thread that wakes on a schedule.
type Input struct {
	Name    string
	Outside bool
	Idle    analyze.Nanos
}

// FindInputs finds the threads' waits for files, pipes, sockets and terminals, and the GPU's idle time in these
// waits. `feeding` has the threads for which the GPU waits. It leaves out waits for a pipeline stage's writes,
// because FindStages counts them.
func FindInputs(
	work *GPUWork, submitters *Submitters, feeding map[*analyze.Thread]bool, stages *Stages,
) (in Inputs) {
	in.scheduled = findScheduled(work.trace)
	outside := maps.Clone(in.scheduled)
	in.When = map[*analyze.Thread][]analyze.Interval{}
	for w := range analyze.Each(work.trace.CPUWaits.Blocked) {
		if w.Kind == analyze.BlockedSleep || w.Kind == analyze.BlockedJoin {
			continue
		}
		fromOutside := w.FromOutside()
		if fromOutside {
			outside[w.Thread] = append(outside[w.Thread], w.Interval)
		}
		if submitters.Participants[w.Thread] && w.Kind != analyze.BlockedFile {
			in.Paced += w.Interval.Intersect(atWork(w.Thread)).Length()
		}
		if !feeding[w.Thread] || w.Kind == analyze.BlockedOther || stages.Writes(w) {
			continue
		}
		idle := submitters.idleDuring(work, &w.Call)
		if idle <= 0 {
			continue
		}
		in.add(w, idle)
		if fromOutside {
			in.Outside += idle
		} else {
			in.Lost += idle
			in.When[w.Thread] = append(in.When[w.Thread], w.Interval)
		}
	}
	in.sort()
	in.outside = unions(outside)
	return in
}

// add adds idle, the GPU's idle time in the wait w, to the input for which w waited.
func (in *Inputs) add(w *analyze.BlockedWait, idle analyze.Nanos) {
	in.addTo(w.String(), w.FromOutside(), idle)
}

// addScheduled adds idle, the GPU's idle time in the wait w. In w the thread waited for the signal of a thread that
// wakes on a schedule of its own (a timer), so the program was not late.
func (in *Inputs) addScheduled(w *analyze.SignalWait, idle analyze.Nanos) {
	in.Paced += w.Interval.Intersect(atWork(w.Thread)).Length()
	in.addTo(ThreadName(w.Signaller)+", which wakes on a schedule of its own", true, idle)
}

func (in *Inputs) addTo(name string, outside bool, idle analyze.Nanos) {
	i := slices.IndexFunc(in.Sources, func(x *Input) bool { return x.Name == name })
	if i < 0 {
		i = len(in.Sources)
		in.Sources = append(in.Sources, &Input{Name: name, Outside: outside})
	}
	in.Sources[i].Idle += idle
}

func (in *Inputs) sort() {
	slices.SortStableFunc(in.Sources, func(x, y *Input) int { return cmp.Compare(y.Idle, x.Idle) })
}

// awaitsOutside reports whether the wait w was in effect a wait for the outside world: the thread that ended w was
// itself waiting, for most of w, for clients, a terminal or standard input, or slept on a schedule like a timer.
func (in *Inputs) awaitsOutside(w *analyze.SignalWait) bool {
	return w.Signaller != nil && policy.MoreThan(policy.Majority, in.outside[w.Signaller].LengthWithin(w.Interval),
		w.Length())
}
