package experiment

import (
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/replay"
	"mtrace/analyze/replay/change"
	"mtrace/collector/wire"
)

// A Prediction is what the replay predicts for a target of the experiment (the calls or the lock that it delayed),
// and whether the measurement contradicts it.
type Prediction struct {
	Sensitivity *replay.Sensitivity // nil if nothing is predicted
	Why         string              // the reason if nothing is predicted; otherwise ""
	Disagrees   bool                // the predicted and the measured interval do not overlap
	Lacks       string              // if Disagrees: what the replay may lack, such as a wait that is not in the trace
}

// Compare adds the replay's prediction to each target (calls or a lock that the experiment delayed) whose sensitivity
// was measured. The replay adds the same delays to the recorded program as the experiment added to the running one.
func (r *Result) Compare(t *analyze.Trace, p *analyze.Process, of *replay.Replay) {
	for i := range r.Estimates {
		x := &r.Estimates[i]
		if x.Sensitivity == nil {
			continue
		}
		x.Replay = &Prediction{}
		if of == nil {
			x.Replay.Why = "the trace was not replayed"
			continue
		}
		added, why := addedBy(t, p, of, x)
		if added == nil {
			x.Replay.Why = why
			continue
		}
		s, why := of.Sensitivity(added, r.Experiment.Threads)
		x.Replay.Sensitivity, x.Replay.Why = s, why
		if s == nil {
			continue
		}
		measured := x.Sensitivity
		switch {
		case measured.Low > s.High:
			x.Replay.Disagrees, x.Replay.Lacks = true, lacksWaits(x.Target.Kind)
		case measured.High < s.Low:
			x.Replay.Disagrees, x.Replay.Lacks = true, lacksSlack(x.Target.Kind)
		}
	}
}

// Disagrees reports whether the measurement of any target contradicts the replay.
func (r *Result) Disagrees() bool {
	return slices.ContainsFunc(r.Estimates, func(x Estimate) bool { return x.Replay != nil && x.Replay.Disagrees })
}

// addedBy returns the delay in the replayed program that corresponds to the delays of x, a set of calls or a lock
// that the experiment delayed. It returns nil and the reason if there is none.
func addedBy(t *analyze.Trace, p *analyze.Process, of *replay.Replay, x *Estimate) (*replay.Added, string) {
	target := &x.Target
	a := &replay.Added{By: max(1, x.Injected), Sleeps: x.sleeps()} // in each command buffer
	if n := len(target.Threads); n > 0 {
		a.Threads = of.ThreadsNamed(threadNames(t, p, target.Threads)...)
		if len(a.Threads) == 0 {
			return nil, "the replayed program has none of the target's threads"
		}
	}
	switch target.Kind {
	case wire.ExperimentOwn:
		a.At = change.BeforeAcquire
	case wire.ExperimentWait:
		a.At = change.AfterWait
	case wire.ExperimentHandler:
		a.At = change.InHandler
	case wire.ExperimentLock:
		a.At = change.InLock
		if target.Lock != 0 {
			names := of.Locks()
			a.Lock = int32(1 + slices.IndexFunc(names, func(name string) bool {
				return names != nil &&
					isLock(target, name)
			}))
			if a.Lock == 0 {
				return nil, "no thread waits for the lock in the replayed program"
			}
		}
	default:
		switch partOf(t, target.Calls) {
		case analyze.PartCompile:
			a.At, a.By = change.BeforeCompile, max(1, x.each())
		case analyze.PartAcquire:
			a.At = change.BeforeAcquire
		default:
			a.At = change.BeforeCommit
		}
	}
	return a, ""
}

// isLock reports whether a lock of the replay is the target x of the experiment, which is named lock:NAME. A lock
// without a name is named by its address.
func isLock(target *analyze.ExperimentTarget, name string) bool {
	_, of, _ := strings.Cut(target.Name, "lock:")
	return name == of || name == target.Name || name == hex(target.Lock) || name == hex(uint64(target.Object))
}

// threadNames returns the names that the threads of process p with these ids have in the replayed program.
func threadNames(t *analyze.Trace, p *analyze.Process, ids []analyze.ThreadID) (names []string) {
	for _, thread := range t.Threads {
		if thread.Process == p && slices.Contains(ids, thread.ID) {
			names = append(names, evidence.ThreadName(thread))
		}
	}
	return names
}

// partOf returns the part of a thread's time (such as encoding) to which the delayed calls belong.
func partOf(t *analyze.Trace, calls []string) analyze.Part {
	for _, c := range t.Calls {
		if slices.Contains(calls, c.Selector) {
			return c.Part
		}
	}
	return analyze.PartOtherAPI
}

// lacksWaits explains, for the report, why a delay can cost more than the replay predicts: it names the waits that
// the trace may lack.
func lacksWaits(kind wire.ExperimentKind) string {
	switch kind {
	case wire.ExperimentLock:
		return "other threads acquire the lock without waiting, or wait for a second lock, which the replay does not know"
	case wire.ExperimentHandler:
		return "completion handlers run one after another, or submit the next work, and the replay lets them run at once"
	}
	return "another thread waits for the delayed thread in a way that is not recorded, such as spinning on a flag"
}

// lacksSlack explains, for the report, why a delay can cost less than the replay predicts: it names the slack (time
// in which a delay costs nothing) that the trace may not show.
func lacksSlack(kind wire.ExperimentKind) string {
	switch kind {
	case wire.ExperimentWait:
		return "the thread waits for something else next, or the GPU has more queued work than the trace shows"
	case wire.ExperimentLock:
		return "threads that wait for the lock do other work meanwhile, or the lock is less contended than its waits suggest"
	}
	return "the thread waits later for something not recorded, or the GPU has more queued work than the trace shows"
}
