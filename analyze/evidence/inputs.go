package evidence

import (
	"cmp"
	"maps"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// Inputs has the descriptors for which submitting threads wait while the GPU is idle and they have no work in flight.
type Inputs struct {
	Lost analyze.Nanos // for the program's files, pipes and sockets
	// for clients, a terminal or standard input: a server without requests
	Outside analyze.Nanos
	Sources []*Input                               // the descriptor with the most time first
	When    map[*analyze.Thread][]analyze.Interval // the waits in Lost, whether or not the GPU was idle

	// time in such waits of the threads that take part, whether or not the GPU is idle: the other end of the descriptor
	// decides when they end
	Paced analyze.Nanos
	// when each thread, submitting or not, waited for clients, a terminal, standard input or a time of its schedule
	outside   map[*analyze.Thread]*Busy
	scheduled map[*analyze.Thread][]analyze.Interval // see findScheduled
}

// An Input is one file, pipe, socket or terminal.
type Input struct {
	Name    string
	Outside bool
	Idle    analyze.Nanos
}

// FindInputs finds the waits for descriptors.
func FindInputs(work *GPUWork, submitters *Submitters, stages *Stages) (in Inputs) {
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
		if submitters.TakesPart[w.Thread] && w.Kind != analyze.BlockedFile {
			in.Paced += w.Interval.Within(atWork(w.Thread)).Length()
		}
		if !submitters.Submits[w.Thread] || w.Kind == analyze.BlockedOther || stages.Writes(w) {
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

// add adds the idle time of a wait to its input.
func (in *Inputs) add(w *analyze.BlockedWait, idle analyze.Nanos) {
	in.addTo(w.String(), w.FromOutside(), idle)
}

// addScheduled adds idle time in which a thread waited for the signal of another one that wakes at times of
// its own.
func (in *Inputs) addScheduled(w *analyze.SignalWait, idle analyze.Nanos) {
	in.Paced += w.Interval.Within(atWork(w.Thread)).Length()
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

// awaitsOutside reports whether the thread that ended a wait spent most of the wait in a wait for clients, a terminal
// or standard input.
func (in *Inputs) awaitsOutside(w *analyze.SignalWait) bool {
	return w.Signaller != nil && policy.MoreThan(policy.Most, in.outside[w.Signaller].Within(w.Interval), w.Length())
}
