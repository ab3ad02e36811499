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

// A steps divides the steps of one thread into five parts with equally many steps.
type steps struct {
	thread  *analyze.Thread
	between string          // where steps begin and end, as "from one commit to the next"
	commits []analyze.Nanos // the begins of the parts, and the end of the last
	whole   fifths
	medians [policy.TrendParts]analyze.Nanos
	// rank correlation of the steps' durations with their order in time
	correlation float64
	parts       map[string]*grower
	order       []*grower

	// of the thread's GPU work
	buffers             [policy.TrendParts]int
	dispatches, threads [policy.TrendParts]uint64
}

// growingSteps returns the thread's steps if they become longer over the run; otherwise nil. There are several ways to
// divide the thread's commits into steps. The most plausible one with growing steps is used.
func growingSteps(thread *analyze.Thread, log *commitLog) *steps {
	for _, d := range log.divisions() {
		if s := stepsOf(thread, d); s != nil && s.grow() {
			return s
		}
	}
	return nil
}

// stepsOf divides the steps of a thread into parts. It returns nil if there are too few steps.
func stepsOf(thread *analyze.Thread, d division) *steps {
	commits := d.begins
	if len(commits) == 0 {
		return nil
	}
	commits = commits[start(len(commits)):]
	n := (len(commits) - 1) / policy.TrendParts
	if n < policy.TrendSteps {
		return nil
	}
	s := &steps{thread: thread, between: d.between, parts: map[string]*grower{}}
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

// grow reports whether the steps become significantly longer, judged by their means or their medians. Medians are
// needed because a stall of the machine makes a few steps very long, which spoils the means.
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
// activity occurs several times in a step, text adds up its times "in each step", because perhaps only one of them
// grew. If the activity also occurs more often, text names both counts. `steps` is the number of steps in each part.
func (g *grower) text(steps int) string {
	first, last := g.mean(0), g.mean(lastPart)
	var parts []string
	if first == 0 || float64(last) >= policy.TrendRatio*float64(first) || g.count[lastPart] <= g.count[0] {
		if min(g.count[0], g.count[lastPart]) >= 2*steps {
			parts = append(parts, fmt.Sprintf("from %s to %s in each step", g.time[0]/analyze.Nanos(steps),
				g.time[lastPart]/analyze.Nanos(steps)))
		} else {
			parts = append(parts, fmt.Sprintf("from %s to %s each", first, last))
		}
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
	s.buffers[part]++
	for i := range b.Encoders {
		for d := range b.Encoders[i].Runs() {
			s.dispatches[part] += uint64(d.Count)
			s.threads[part] += d.Threads
		}
	}
}

// work describes how much more work the GPU gets in the last fifth of the run than in the first; "" if the trace has
// no dispatches.
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
		return fmt.Sprintf("; in the last fifth, a dispatch has %.1f times as many threads as in the first",
			threads)
	}
	return "; the number and the size of the dispatches do not grow"
}

// description describes a step by the number of its command buffers and by where it begins and ends.
func (s *steps) description() string {
	first := float64(s.buffers[0]) / float64(s.whole.count[0])
	last := float64(s.buffers[lastPart]) / float64(s.whole.count[lastPart])
	switch {
	case last >= policy.TrendRatio*first:
		return fmt.Sprintf("%.1f command buffers at first and %.1f at the end %s", first, last, s.between)
	case first > 1 && math.Round(first) == math.Round(last):
		return fmt.Sprintf("%.3g command buffers %s", first, s.between)
	}
	return s.between
}
