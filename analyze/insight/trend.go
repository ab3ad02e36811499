package insight

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/policy"
	"mtrace/analyze/statistics"
)

// A fifths has the time spent on one activity and its number of occurrences, for each fifth of a thread's run.
type fifths struct {
	time  [policy.TrendParts]analyze.Nanos
	count [policy.TrendParts]int
}

func (f *fifths) add(part int, took analyze.Nanos) {
	f.time[part] += took
	f.count[part]++
}

// mean returns the mean duration of the activity in a part of the run; 0 if it did not occur.
func (f *fifths) mean(part int) analyze.Nanos {
	return f.time[part] / analyze.Nanos(max(1, f.count[part]))
}

const lastPart = policy.TrendParts - 1

// growing reports whether a typical duration, usual(part), is much longer in the last part than in the first and
// grows in every part. A single jump does not count.
func growing(usual func(part int) analyze.Nanos) bool {
	first, growth := usual(0), float64(usual(lastPart)-usual(0))
	if first == 0 || float64(usual(lastPart)) < policy.TrendRatio*float64(first) {
		return false
	}
	for part := range lastPart {
		if float64(usual(part+1)-usual(part)) < policy.TrendShare*growth {
			return false
		}
	}
	return true
}

// A grower has the durations of one activity in each part of the run, to see whether the activity takes longer and
// longer.
type grower struct {
	what string
	fifths
}

// A steps divides the steps of one thread (the time from one commit to the next) into five parts with equally many
// steps.
type steps struct {
	thread  *analyze.Thread
	commits []analyze.Nanos // the begins of the parts, and the end of the last
	whole   fifths
	medians [policy.TrendParts]analyze.Nanos
	// rank correlation of the steps' durations with their order in time
	correlation float64
	parts       map[string]*grower
	order       []*grower

	dispatches, threads [policy.TrendParts]uint64 // of the thread's GPU work
}

// stepsOf divides the steps of a thread into parts. It returns nil if there are too few steps.
func stepsOf(thread *analyze.Thread, commits []analyze.Nanos) *steps {
	commits = commits[start(len(commits)):]
	n := (len(commits) - 1) / policy.TrendParts
	if n < policy.TrendSteps {
		return nil
	}
	s := &steps{thread: thread, parts: map[string]*grower{}}
	for part := range policy.TrendParts {
		begin, end := commits[part*n], commits[(part+1)*n]
		s.commits = append(s.commits, begin)
		s.whole.time[part], s.whole.count[part] = end-begin, n
		lengths := make([]analyze.Nanos, n)
		for i := range lengths {
			lengths[i] = commits[part*n+i+1] - commits[part*n+i]
		}
		slices.Sort(lengths)
		s.medians[part] = lengths[n/2]
	}
	s.commits = append(s.commits, commits[policy.TrendParts*n])
	lengths := make([]float64, len(commits)-1)
	for i := range lengths {
		lengths[i] = float64(commits[i+1] - commits[i])
	}
	s.correlation = withTime(lengths)
	return s
}

// grow reports whether the steps become significantly longer, by their means or by their medians. Medians count too,
// because a stall of the machine makes a few steps long and spoils the means.
func (s *steps) grow() bool {
	return (growing(s.whole.mean) || growing(func(part int) analyze.Nanos { return s.medians[part] })) &&
		s.correlation*math.Sqrt(float64(s.count()-1)) >= policy.TrendZ
}

// count returns the number of steps in all parts.
func (s *steps) count() (n int) {
	for _, c := range s.whole.count {
		n += c
	}
	return n
}

// withTime returns Spearman's rank correlation of the values with their order in the list.
func withTime(list []float64) float64 {
	places := make([]float64, len(list))
	for i := range places {
		places[i] = float64(i)
	}
	return statistics.Correlation(statistics.Ranks(list), places)
}

// part returns the number of the part that contains the time `at`; `in` is false if none does.
func (s *steps) part(at analyze.Nanos) (part int, in bool) {
	part = sort.Search(len(s.commits), func(i int) bool { return s.commits[i] > at }) - 1
	return part, part >= 0 && part <= lastPart
}

// add adds an occurrence of an activity, of the thread or of its GPU work, to the part of the run in which it began.
func (s *steps) add(what string, at, took analyze.Nanos) {
	part, in := s.part(at)
	if !in {
		return
	}
	g := s.parts[what]
	if g == nil {
		g = &grower{what: what}
		s.parts[what] = g
		s.order = append(s.order, g)
	}
	g.add(part, took)
}

// growers returns the activities that contribute noticeably to the growth of the steps, the largest contribution
// first.
func (s *steps) growers() (list []*grower) {
	growth := float64(s.whole.time[lastPart] - s.whole.time[0])
	for _, g := range s.order {
		if float64(g.time[lastPart]-g.time[0]) >= policy.TrendNamed*growth {
			list = append(list, g)
		}
	}
	slices.SortStableFunc(list, func(a, b *grower) int {
		return cmp.Compare(b.time[lastPart]-b.time[0], a.time[lastPart]-a.time[0])
	})
	return list
}

// text describes how an activity grew, for example "kernel attend on the GPU from 300 µs to 2.70 ms each". If the
// activity also occurs more often, text names both counts.
func (g *grower) text() string {
	first, last := g.mean(0), g.mean(lastPart)
	var parts []string
	if first == 0 || float64(last) >= policy.TrendRatio*float64(first) || g.count[lastPart] <= g.count[0] {
		parts = append(parts, fmt.Sprintf("from %s to %s each", first, last))
	}
	if float64(g.count[lastPart]) >= policy.TrendRatio*float64(g.count[0]) {
		parts = append(parts, fmt.Sprintf("%d times in place of %d", g.count[lastPart], g.count[0]))
	}
	return g.what + " " + strings.Join(parts, ", ")
}

// addWork adds the dispatches and GPU threads of a command buffer to the part in which it was committed.
func (s *steps) addWork(b *analyze.CommandBuffer) {
	part, in := s.part(b.Committed.Begin)
	if !in {
		return
	}
	for i := range b.Encoders {
		for d := range b.Encoders[i].Runs() {
			s.dispatches[part] += uint64(d.Count)
			s.threads[part] += d.Threads
		}
	}
}

// work tells how much more work the GPU gets in the last part than in the first; "" if the trace has no dispatches.
func (s *steps) work() string {
	if s.dispatches[0] == 0 || s.threads[0] == 0 {
		return ""
	}
	dispatches := float64(s.dispatches[lastPart]) / float64(s.dispatches[0])
	threads := float64(s.threads[lastPart]) / float64(s.threads[0])
	switch {
	case dispatches >= policy.TrendRatio:
		return fmt.Sprintf("; the last fifth has %.1f times as many dispatches as the first", dispatches)
	case threads >= policy.TrendRatio:
		return fmt.Sprintf("; dispatches of the last fifth have %.1f times as many threads as those of the first",
			threads)
	}
	return "; the number and the size of the dispatches do not grow"
}

// trend finds threads whose steps (from commit to commit) take longer and longer, and names the activities that grow.
func trend(in *Input) *Insight {
	all := map[*analyze.Thread]*steps{}
	var order []*steps
	for thread, commits := range in.rounds.thread {
		if s := stepsOf(thread, commits); s != nil && s.grow() {
			all[thread] = s
			order = append(order, s)
		}
	}
	if len(order) == 0 {
		return nil
	}
	in.addTimes(all)
	slices.SortFunc(order, func(a, b *steps) int {
		return cmp.Or(cmp.Compare(b.whole.time[lastPart]-b.whole.time[0], a.whole.time[lastPart]-a.whole.time[0]),
			cmp.Compare(a.thread.ID, b.thread.ID))
	})
	var cost analyze.Nanos
	for _, s := range order {
		for part := range policy.TrendParts {
			cost += s.whole.time[part] - s.whole.time[0]
		}
	}
	s := order[0]
	i := &Insight{Severity: in.weigh(cost), Cost: cost,
		Evidence: fmt.Sprintf("from the first fifth of the run to the last, "+
			"a step of thread %d %s, from one commit to the next, grows from %s to %s",
			s.thread.ID, s.thread.Name, s.whole.mean(0), s.whole.mean(lastPart)),
		Advice: "look for data that the program keeps from step to step: " +
			"lists that it traverses, caches and sequences that grow, graphs to which each step adds"}
	var growing []string
	for _, g := range s.growers()[:min(len(s.growers()), policy.NamedSites)] {
		growing = append(growing, g.text())
	}
	if len(growing) > 0 {
		i.Evidence += "; what grows: " + strings.Join(growing, "; ") + s.work()
	}
	if len(order) > 1 {
		i.Evidence += fmt.Sprintf("; so do those of %s", analyze.Plural(len(order)-1, "more thread"))
	}
	return i
}

// addTimes adds the times of each thread's activities to the part of the run in which they began. `all` has only
// threads whose steps grow.
func (in *Input) addTimes(all map[*analyze.Thread]*steps) {
	t := in.Trace
	call := func(what string, c *analyze.Call) {
		if s := all[c.Thread]; s != nil && c.Known() {
			s.add(what, c.Begin, c.Length())
		}
	}
	for b := range t.Buffers() {
		s := all[b.Committed.Thread]
		if s == nil || !b.Committed.Known() {
			continue
		}
		call("commit", &b.Committed)
		call("creating a command buffer", &b.Created)
		if b.GPU.Known() {
			s.add(kernelOf(b)+" on the GPU", b.Committed.Begin, b.Took(b.GPU))
		}
		s.addWork(b)
		for i := range b.Encoders {
			e := &b.Encoders[i]
			if e.Created.Known() && e.Ended.Known() {
				s.add("encoding into an encoder", e.Created.Begin, e.Ended.End-e.Created.Begin)
			}
		}
	}
	for i := range t.CPUWaits.Locks {
		call("waiting for a lock in "+t.CPUWaits.Locks[i].Selector, &t.CPUWaits.Locks[i].Call)
	}
	for i := range t.Memory.Allocations {
		a := &t.Memory.Allocations[i]
		call(a.Selector, &analyze.Call{Interval: analyze.Interval{Begin: a.At, End: a.At + a.Took}, Thread: a.Thread})
	}
	for i := range t.Compilations {
		call(t.Compilations[i].Selector, &t.Compilations[i].Call)
	}
	in.addOutside(all)
}

// addOutside adds the time that threads spent outside of Metal: the gaps between their command buffers, waits and
// other recorded calls.
func (in *Input) addOutside(all map[*analyze.Thread]*steps) {
	inside := map[*analyze.Thread][]analyze.Interval{}
	add := func(thread *analyze.Thread, i analyze.Interval) {
		if all[thread] != nil && i.Known() {
			inside[thread] = append(inside[thread], i)
		}
	}
	for b := range in.Trace.Buffers() {
		if b.Created.Thread == b.Committed.Thread && b.Created.Known() {
			add(b.Committed.Thread, analyze.Interval{Begin: b.Created.Begin, End: b.Committed.End})
		} else {
			add(b.Committed.Thread, b.Committed.Interval)
		}
	}
	for i := range in.Trace.Waits {
		add(in.Trace.Waits[i].Thread, in.Trace.Waits[i].Interval)
	}
	for i := range in.Trace.CPUWaits.Locks {
		add(in.Trace.CPUWaits.Locks[i].Thread, in.Trace.CPUWaits.Locks[i].Interval)
	}
	for i := range in.Trace.Memory.Allocations {
		a := &in.Trace.Memory.Allocations[i]
		add(a.Thread, analyze.Interval{Begin: a.At, End: a.At + a.Took})
	}
	for i := range in.Trace.Compilations {
		add(in.Trace.Compilations[i].Thread, in.Trace.Compilations[i].Interval)
	}
	for thread, list := range inside {
		slices.SortFunc(list, func(a, b analyze.Interval) int { return cmp.Compare(a.Begin, b.Begin) })
		end := list[0].Begin
		for _, i := range list {
			if i.Begin > end {
				all[thread].add("time outside of Metal", end, i.Begin-end)
			}
			end = max(end, i.End)
		}
	}
}

// kernelOf names a command buffer's work: its kernel, if it has only one.
func kernelOf(b *analyze.CommandBuffer) string {
	if one, _, _ := oneKernel(b); one != nil {
		return "kernel " + cmp.Or(one.Kernel, one.Label)
	}
	return "command buffers"
}
