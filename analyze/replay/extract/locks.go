package extract

import (
	"cmp"
	"maps"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay/program"
)

// A holding is one time range in which a thread held a lock after waiting for it.
type holding struct {
	thread           *analyze.Thread
	call             int
	analyze.Interval // the wait for the lock
	holder           *analyze.Thread
	length           analyze.Nanos // how long the lock was held, plus the hand-off to the next thread; 0 if unknown
}

// addLocks determines how long threads held locks and, in a tied program, where they released them. The first lock
// gets the number 1. A lock for which no thread waited is not in the trace. The lock inside Metal's commit gets a
// number even without waits, because threads may begin to wait for it when another cause is removed.
func addLocks(ev *evidence.Evidence, p *program.Program, by map[*analyze.Thread][]call) {
	locks, releases := map[evidence.LockKey][]holding{}, map[*analyze.Thread][]call{}
	for t, list := range by {
		for i := range list {
			if c := &list[i]; c.Kind == program.Lock && c.lock.Lock != 0 {
				k := evidence.KeyOf(c.lock)
				locks[k] = append(locks[k], holding{thread: t, call: i, Interval: c.Interval, holder: c.lock.Holder})
			}
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(locks), evidence.LockKey.Compare) {
		list := locks[k]
		slices.SortFunc(list, func(x, y holding) int { return cmp.Compare(x.End, y.End) })
		usual, known := measureHoldings(list)
		if !known {
			continue
		}
		p.Locks++
		early := earlyReleases(list, usual, by, k, ev.Processors.Wake)
		for _, h := range list {
			c := &by[h.thread][h.call]
			if c.Step.Lock, c.Hold = int32(p.Locks), usual; h.length > 0 {
				c.Hold = h.length
			}
			if !p.Tied {
				continue
			}
			next, known := h.next(usual, by[h.thread], k)
			if !known {
				continue
			}
			c.Unlocks = true
			released, passed := releaseTime(by[h.thread][h.call:], next, ev.Processors.Wake)
			if most, found := early[followers(by[h.thread][h.call+1:])]; found && passed > most {
				released = by[h.thread][h.call+1+most].Begin
			}
			unlock := program.Step{Kind: program.Unlock, Job: program.Unknown, Lock: c.Step.Lock,
				Notify: next - released}
			releases[h.thread] = append(releases[h.thread], call{Interval: at(released), Step: unlock})
		}
	}
	for t, list := range releases {
		by[t] = withLinks(by[t], list)
	}
	p.Locks++ // lock number 0 means "no lock"
	if solo := ev.Tests.SoloCommit(); solo < 1<<62 {
		for _, list := range by {
			for i := range list {
				if c := &list[i]; c.Kind == program.Commit {
					c.Step.Lock, c.Hold, c.Contends = int32(p.Locks), solo, solo > 0
				}
			}
		}
		p.Locks++
	}
}

// nextWait returns when the thread next began to wait for the lock `k`; if it never did, a time after the run.
func nextWait(list []call, k evidence.LockKey) analyze.Nanos {
	for i := range list {
		if c := &list[i]; c.Kind == program.Lock && evidence.KeyOf(c.lock) == k {
			return c.Begin
		}
	}
	return 1 << 62
}

// next estimates when another thread acquired the lock k after this holding: after `length` or, if that is unknown,
// after `usual`. If this thread waited for the lock again before that time, another thread must have acquired the lock
// earlier without waiting; then `known` is false.
func (h *holding) next(usual analyze.Nanos, list []call, k evidence.LockKey) (next analyze.Nanos, known bool) {
	next = h.End + cmp.Or(h.length, usual)
	return next, next <= nextWait(list[h.call+1:], k)
}

// releaseTime estimates when a thread released a lock. `next` is when the next thread got the lock; the release was
// earlier by `wake`, the time to wake that thread. Code does not release its lock inside a Metal call, so a time inside
// a call is moved to the call's begin, but not before the previous call. The first call of the list is the wait for the
// lock; `passed` is the number of calls between that wait and the release.
func releaseTime(list []call, next, wake analyze.Nanos) (released analyze.Nanos, passed int) {
	released = next - wake
	for i := range list {
		switch c := &list[i]; {
		case c.Begin > next:
			return released, i - 1
		case c.End > next && i > 0:
			return c.Begin, i - 1
		default:
			released = max(released, c.End)
		}
	}
	return released, len(list) - 1
}

// earlyReleases returns, for each sequence of calls that follows the acquisition of a lock, how many of these calls
// come before the release. Code releases a lock always at the same line, so one number holds for all holdings with the
// same sequence. It is the lowest number found, because releaseTime is too late if the next thread woke up late; a
// share of policy.ExceptionShare of the holdings is ignored as outliers.
func earlyReleases(list []holding, usual analyze.Nanos, by map[*analyze.Thread][]call, k evidence.LockKey,
	wake analyze.Nanos) map[[policy.CallsAfterAcquire]program.Kind]int {
	all := map[[policy.CallsAfterAcquire]program.Kind][]int{}
	for i := range list {
		h := &list[i]
		if next, known := h.next(usual, by[h.thread], k); known {
			_, passed := releaseTime(by[h.thread][h.call:], next, wake)
			calls := followers(by[h.thread][h.call+1:])
			all[calls] = append(all[calls], passed)
		}
	}
	early := map[[policy.CallsAfterAcquire]program.Kind]int{}
	for calls, passed := range all {
		if len(passed) >= policy.FewestSamples.Count() {
			slices.Sort(passed)
			early[calls] = passed[int(policy.ExceptionShare.Value*float64(len(passed)))]
		}
	}
	return early
}

// followers returns the kinds of the first calls of the list. Kinds of missing calls are Nothing.
func followers(list []call) (kinds [policy.CallsAfterAcquire]program.Kind) {
	for i := range kinds {
		if kinds[i] = program.Nothing; i < len(list) {
			kinds[i] = list[i].Kind
		}
	}
	return kinds
}

// measureHoldings sets the length of each holding to the time until the next thread got the lock, if that thread
// waited for this holder. Callers use `usual`, the median of these lengths, for all other holdings; `known` is false if
// too few could be measured.
func measureHoldings(list []holding) (usual analyze.Nanos, known bool) {
	var all []analyze.Nanos
	for i := 0; i+1 < len(list); i++ {
		h, next := &list[i], &list[i+1]
		if next.thread != h.thread && (next.Begin <= h.End || next.holder == h.thread) {
			h.length = next.End - h.End
			all = append(all, h.length)
		}
	}
	if len(all) < policy.FewestSamples.Count() || !policy.AtLeast(policy.Majority, len(all), len(list)) {
		return 0, false
	}
	return evidence.Median(all), true
}

// nameLocks numbers the names of the locks that threads wait for, because users select locks by name. It returns the
// names, and sets Detail.NamedLock in each wait. If a thread waits for only one lock in a stretch (the time between two
// calls that are not waits for locks), nameLocks also sets Detail.OnlyLock in all steps of the stretch.
func nameLocks(threads []program.Thread, spans []span, by map[*analyze.Thread][]call) []string {
	var names evidence.Ordered[string, struct{}]
	for t, s := range spans {
		list := by[s.thread]
		for i := range list {
			if list[i].Kind == program.Lock && list[i].lock != nil {
				threads[t].Details[i].NamedLock = 1 + int32(names.Number(evidence.KeyOf(list[i].lock).Label()))
			}
		}
	}
	for t := range threads {
		th := &threads[t]
		eachStretch(th, func(_ stretch, begin, end int, _ analyze.Nanos) {
			if end-begin < 2 {
				return
			}
			only := th.Details[begin].NamedLock
			for i := begin; i < end-1; i++ {
				if th.Details[i].NamedLock != only {
					return
				}
			}
			for i := begin; i < end; i++ {
				th.Details[i].OnlyLock = only
			}
		})
	}
	return names.Keys
}

// A stretch is the time between two calls of a thread that are not waits for locks. Stretches with the same kinds of
// calls at both ends probably run the same code, so they are compared with each other.
type stretch struct{ from, to program.Kind }

// eachStretch calls visit for each stretch (time between two calls that are not waits for locks) of a thread. The steps
// from begin to end-2 are waits for locks in the stretch, and step end-1 is the call at its end. `own` is the thread's
// own time in the stretch.
func eachStretch(th *program.Thread, visit func(s stretch, begin, end int, own analyze.Nanos)) {
	s, begin, own := stretch{from: program.Lock}, 0, analyze.Nanos(0)
	for i := range th.Steps {
		own += th.Steps[i].Gap
		if th.Steps[i].Kind == program.Lock && i+1 < len(th.Steps) {
			continue
		}
		s.to = th.Steps[i].Kind
		visit(s, begin, i+1, own)
		s.from, begin, own = s.to, i+1, 0
	}
}

// findUnlocked sets Detail.Unlocked: how long each gap between calls would be if the thread did not wait for locks. A
// wait for a lock costs more than its length: the thread is woken, its caches are cold, and it wakes the next thread.
// So the gaps are scaled to the median of stretches without such waits, if the thread has enough of the same kind. A
// stretch is the time between two calls that are not waits for locks.
func findUnlocked(threads []program.Thread) {
	for t := range threads {
		th := &threads[t]
		free, behind := map[stretch][]analyze.Nanos{}, map[stretch][]analyze.Nanos{}
		eachStretch(th, func(s stretch, begin, end int, own analyze.Nanos) {
			if end-begin == 1 {
				free[s] = append(free[s], own)
			} else {
				behind[s] = append(behind[s], own)
			}
		})
		left := map[stretch]float64{}
		for s, all := range free {
			// every gap is multiplied by the same share, so that the gaps still vary as recorded
			if len(all) >= policy.FewestOccurrences.Count() && len(behind[s]) > 0 {
				left[s] = min(1, evidence.Share(evidence.Median(all), max(1, evidence.Median(behind[s]))))
			}
		}
		eachStretch(th, func(s stretch, begin, end int, _ analyze.Nanos) {
			share, known := left[s]
			if !known || end-begin == 1 {
				share = 1
			}
			for i := begin; i < end; i++ {
				th.Details[i].Unlocked = program.Scaled(th.Steps[i].Gap, share)
			}
		})
	}
}
