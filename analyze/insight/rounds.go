package insight

import (
	"slices"
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// rounds divides each thread's work at its commits: a round lasts from one commit to the next and stands for an
// iteration of a loop.
type rounds struct {
	thread  map[*analyze.Thread][]analyze.Nanos  // times of each thread's commits, ascending
	process map[*analyze.Process][]analyze.Nanos // times of the commits of all threads of a process, ascending
	most    int                                  // number of commits of the thread that commits most often
	lengths map[*analyze.Thread]analyze.Nanos    // cached results of usual
}

func roundsOf(t *analyze.Trace) *rounds {
	r := &rounds{thread: map[*analyze.Thread][]analyze.Nanos{}, process: map[*analyze.Process][]analyze.Nanos{}}
	for b := range t.Buffers() {
		if th := b.Committed.Thread; th != nil && b.Committed.Known() {
			r.thread[th] = append(r.thread[th], b.Committed.Begin)
			r.process[th.Process] = append(r.process[th.Process], b.Committed.Begin)
		}
	}
	for _, list := range r.thread {
		slices.Sort(list)
		r.most = max(r.most, len(list))
	}
	for _, list := range r.process {
		slices.Sort(list)
	}
	return r
}

// A round identifies the time between two successive commits of a thread, by the thread (`of`) and a number. For a
// thread that commits nothing, `of` is the process, and the commits are those of all its threads.
type round struct {
	of     any
	number int
}

// steady returns the round in which the time `at` lies. The second result is false where the loop is not steady: in
// the start-up (a quarter of all rounds, at most ten) and after the last commit.
func (r *rounds) steady(t *analyze.Thread, at analyze.Nanos) (round, bool) {
	if t == nil {
		return round{}, false
	}
	of, list := any(t), r.thread[t]
	if len(list) == 0 {
		of, list = t.Process, r.process[t.Process]
	}
	n := sort.Search(len(list), func(i int) bool { return list[i] >= at })
	return round{of, n}, len(list) >= policy.FewestRounds && n >= start(len(list)) && n < len(list)
}

// usual returns the median time between commits of the thread, or of its process if it commits nothing; 0 if not
// known.
func (r *rounds) usual(t *analyze.Thread) analyze.Nanos {
	list := r.thread[t]
	if len(list) == 0 && t != nil {
		list = r.process[t.Process]
	}
	if len(list) < 2 {
		return 0
	}
	if r.lengths == nil {
		r.lengths = map[*analyze.Thread]analyze.Nanos{}
	}
	if _, known := r.lengths[t]; !known {
		lengths := make([]analyze.Nanos, len(list)-1)
		for i := range lengths {
			lengths[i] = list[i+1] - list[i]
		}
		slices.Sort(lengths)
		r.lengths[t] = lengths[len(lengths)/2]
	}
	return r.lengths[t]
}

// start returns how many of the first rounds count as start-up.
func start(rounds int) int { return min(10, max(1, rounds/4)) }

// steadyRounds returns the total number of rounds after the start-up of all threads and processes that have a round
// in `seen`.
func (r *rounds) steadyRounds(seen map[round]bool) (all int) {
	counted := map[any]bool{}
	for s := range seen {
		if counted[s.of] {
			continue
		}
		counted[s.of] = true
		n := 0
		switch of := s.of.(type) {
		case *analyze.Thread:
			n = len(r.thread[of])
		case *analyze.Process:
			n = len(r.process[of])
		}
		all += n - start(n)
	}
	return all
}
