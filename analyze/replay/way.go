package replay

import (
	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// A way is what a thread does between two calls that are no waits for locks. Other threads may do something else there.
type way struct {
	thread   int
	from, to opKind
}

// findUnlocked finds how long threads would take between calls if there were no locks to wait for. A thread that waits for a lock
// takes longer even without the wait itself: it is put to sleep and woken, its caches are another's, and it gives the lock up to
// who waits. Where threads went the same way often enough without a wait, that is what it takes.
func (p *program) findUnlocked() {
	free, behind := map[way][]analyze.Nanos{}, map[way][]analyze.Nanos{}
	p.ways(func(w way, ops []op, own analyze.Nanos) {
		if len(ops) == 1 {
			free[w] = append(free[w], own)
		} else {
			behind[w] = append(behind[w], own)
		}
	})
	left := map[way]float64{}
	for w, all := range free {
		if len(all) >= policy.Pattern.Count() && len(behind[w]) > 0 { // of each way as much is left: what is longer by chance stays
			left[w] = min(1, evidence.Share(evidence.Median(all), max(1, evidence.Median(behind[w]))))
		}
	}
	p.ways(func(w way, ops []op, own analyze.Nanos) {
		of, known := left[w]
		if !known || len(ops) == 1 {
			of = 1
		}
		for i := range ops {
			ops[i].unlocked = evidence.Scaled(ops[i].gap, of)
		}
	})
}

// ways visits what threads did between calls: waits for locks, if any, and the call at the end.
func (p *program) ways(visit func(w way, ops []op, own analyze.Nanos)) {
	for t := range p.threads {
		ops := p.threads[t].ops
		w, begin, own := way{thread: t, from: opLock}, 0, analyze.Nanos(0)
		for i := range ops {
			own += ops[i].gap
			if ops[i].kind == opLock && i+1 < len(ops) {
				continue
			}
			w.to = ops[i].kind
			visit(w, ops[begin:i+1], own)
			w.from, begin, own = w.to, i+1, 0
		}
	}
}
