package analyze

import "mtrace/collector/wire"

// experiment converts the recorded experiment of a process to the clock that all processes of the trace share. It
// returns nil when there was no experiment.
func experiment(e *wire.Experiment, clock *converter) *Experiment {
	if e == nil {
		return nil
	}
	of := &Experiment{Seed: e.Seed, Budget: e.Budget, Progress: e.Progress, Threads: e.Threads}
	for _, t := range e.Targets {
		target := ExperimentTarget{ID: t.ID, Name: t.Name, Kind: t.Kind, Mode: t.Mode, Calls: t.Calls, Lock: t.Address,
			Object: t.Object, Sleeps: t.Sleeps, Took: duration(t.TookNS)}
		for _, id := range t.Threads {
			target.Threads = append(target.Threads, ThreadID(id))
		}
		of.Targets = append(of.Targets, target)
	}
	at := func(ns int64) Nanos { return clock.sharedTime(uint64(ns)) }
	for _, b := range e.Blocks {
		of.Blocks = append(of.Blocks, ExperimentBlock{Interval: Interval{at(b.Start), at(b.End)}, Target: b.Target,
			Control: b.Control,
			Delay:   duration(b.DelayNS), Occurrences: int64(min(b.Occurrences, 1<<50)), Injected: duration(b.InjectedNS),
			Units: int64(min(b.Units, 1<<50)), LastBefore: at(b.LastBefore), LastIn: at(b.LastIn)})
	}
	return of
}

// duration limits a duration read from a file to longestTime: a damaged file can hold any number, and sums must not
// overflow.
func duration(ns int64) Nanos { return min(max(Nanos(ns), 0), longestTime) }
