package replay

import (
	"cmp"
	"maps"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// lockState is a lock in a replay.
type lockState struct {
	held    bool
	by      int32 // one more than the thread that gives it back when it gets there; 0 where that takes as long as it took
	waiting line
}

// lock takes a lock, or waits for it: first come, first served. Locks that let newcomers in first make other threads wait as long.
func (r *playing) lock(t int32, o *op) {
	l, kept := &r.locked[o.handed], r.free(o)
	switch {
	case o.kind == opLock && (r.Locks || kept == 0):
		r.over(t, 0, 0)
	case o.kind == opLock && (r.fixed || o.handed == 0):
		r.over(t, evidence.Scaled(o.cost, kept), 0)
	case l.held:
		l.waiting.push(t)
	default:
		r.hold(t, o)
	}
}

func (r *playing) hold(t int32, o *op) {
	r.locked[o.handed].held = true
	if o.kind == opCommit { // it is kept inside
		hold := r.share(r.call(t, analyze.PartCommit, o.hold))
		r.at(r.now+hold, 0, evUnlock, o.handed)
		r.spend(r.now, hold, r.program.threads[t].busy, evCommit, t)
		return
	}
	if kept := r.free(o); o.gives && kept == 1 {
		r.locked[o.handed].by = t + 1
	} else {
		r.at(r.now+evidence.Scaled(o.hold, kept), 0, evUnlock, o.handed)
	}
	r.over(t, 0, 0)
}

func (r *playing) unlock(lock int32) {
	l := &r.locked[lock]
	l.held = false
	if len(l.waiting) > 0 {
		t := l.waiting.pop()
		r.hold(t, r.op(t))
	}
}

// A holding is one time that a thread got a lock after waiting for it.
type holding struct {
	thread           *analyze.Thread
	step             int
	analyze.Interval // of the wait
	holder           *analyze.Thread
	length           analyze.Nanos // how long it was kept, the hand-off to the next included; 0 when not known
}

// holds finds how long locks were kept that threads waited for, and, where threads are tied, puts into their calls where they gave them back. What a thread
// got without waiting is not in a trace, but for the framework's lock in commit: nobody had to wait for that, and all may when another cause is gone.
func (ev *builder) holds(p *program, by map[*analyze.Thread][]step) {
	locks, releases := map[evidence.LockKey][]holding{}, map[*analyze.Thread][]step{}
	for t, list := range by {
		for i := range list {
			if s := &list[i]; s.kind == opLock && s.wait.Lock != 0 {
				locks[evidence.KeyOf(s.wait)] = append(locks[evidence.KeyOf(s.wait)], holding{thread: t, step: i, Interval: s.Interval, holder: s.wait.Holder})
			}
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(locks), evidence.LockKey.Compare) {
		list := locks[k]
		slices.SortFunc(list, func(x, y holding) int { return cmp.Compare(x.End, y.End) })
		usual, known := lengths(list)
		if !known {
			continue
		}
		p.handed++
		for _, h := range list {
			s := &by[h.thread][h.step]
			if s.handed, s.hold = int32(p.handed), usual; h.length > 0 {
				s.hold = h.length
			}
			if !ev.linked {
				continue
			}
			had := s.End + s.hold                           // by the next
			if had > nextWait(by[h.thread][h.step+1:], k) { // others had it meanwhile, without waiting
				continue
			}
			s.gives = true
			at := given(by[h.thread][h.step:], had, ev.Processors.Wake)
			releases[h.thread] = append(releases[h.thread], step{analyze.Interval{Begin: at, End: at}, op{kind: opRelease, job: unknown, handed: s.handed, notify: had - at}})
		}
	}
	for t, list := range releases {
		by[t] = withLinks(by[t], list)
	}
	p.handed++ // number 0 is kept by nobody
	if solo := ev.SoloCommit(); solo < 1<<62 {
		for _, list := range by {
			for i := range list {
				if s := &list[i]; s.kind == opCommit {
					s.handed, s.hold = int32(p.handed), solo
				}
			}
		}
		p.handed++
	}
}

// nextWait is when a thread began to wait for a lock the next time.
func nextWait(list []step, k evidence.LockKey) analyze.Nanos {
	for i := range list {
		if s := &list[i]; s.kind == opLock && evidence.KeyOf(s.wait) == k {
			return s.Begin
		}
	}
	return 1 << 62
}

// given is when a thread gave a lock back that the next had then: so long before, or, as no call gives it back, before the call in which that was, or after the
// one before.
func given(list []step, had, wake analyze.Nanos) analyze.Nanos {
	at := had - wake
	for i := range list {
		switch s := &list[i]; {
		case s.Begin > had:
			return at
		case s.End > had && i > 0:
			return s.Begin
		default:
			at = max(at, s.End)
		}
	}
	return at
}

// lengths finds how long a lock was kept each time: until the next thread had it, if that one waited for the one before and for
// nobody else. The median stands for times of which it is not known. It is false when too few are.
func lengths(list []holding) (usual analyze.Nanos, known bool) {
	var all []analyze.Nanos
	for i := 0; i+1 < len(list); i++ {
		h, next := &list[i], &list[i+1]
		if next.thread != h.thread && (next.Begin <= h.End || next.holder == h.thread) {
			h.length = next.End - h.End
			all = append(all, h.length)
		}
	}
	if len(all) < policy.Sample.Count() || !policy.AtLeast(policy.Most, len(all), len(list)) {
		return 0, false
	}
	return evidence.Median(all), true
}
