package insight

import (
	"cmp"
	"fmt"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// An iteration is one command buffer from its creation to its end on the GPU, divided into encoding, starting and GPU
// time. Time queued behind earlier work of the same thread is left out, because it is normal if a thread has several
// command buffers in flight.
type iteration struct {
	buffer                *analyze.CommandBuffer
	encode, starting, gpu analyze.Nanos
}

func (i *iteration) length() analyze.Nanos { return i.encode + i.starting + i.gpu }

// A series is a list of iterations that should take equally long: command buffers of one thread with the same work.
type series struct {
	thread *analyze.Thread
	list   []iteration
}

// series returns all series of the trace. The first call computes them.
func (in *Input) series() []*series {
	if in.all == nil {
		in.all = seriesOf(in.Trace)
	}
	return in.all
}

// seriesOf returns the series of a trace in the order of their first command buffers. Series of fewer than
// policy.SteadyCommandBuffers are left out.
func seriesOf(t *analyze.Trace) []*series {
	type key struct {
		thread *analyze.Thread
		label  string
		work   uint64
	}
	labels := analyze.LabelsRepeat(t, policy.SteadyCommandBuffers)
	by, last := map[key]*series{}, map[*analyze.Thread]analyze.Nanos{}
	var order []*series
	for b := range t.Buffers() {
		th := b.Committed.Thread
		if th == nil || !b.Committed.Known() || !b.GPU.Known() || !b.Created.Known() {
			continue
		}
		ready := max(b.Committed.End, last[th])
		last[th] = max(last[th], b.GPU.End)
		k := key{thread: th}
		k.work, _ = b.Work()
		if labels {
			k.label = b.Label
		}
		s := by[k]
		if s == nil {
			s = &series{thread: th}
			by[k] = s
			order = append(order, s)
		}
		s.list = append(s.list, iteration{b, b.Committed.End - b.Created.Begin, max(0, b.GPU.Begin-ready),
			b.Took(b.GPU)})
	}
	return slices.DeleteFunc(order, func(s *series) bool { return len(s.list) < policy.SteadyCommandBuffers })
}

// middle holds the 5%, 50% and 95% quantiles of a list of durations.
type middle struct{ low, median, high analyze.Nanos }

// settled returns the quantiles (5%, 50%, 95%) of the list without its first quarter, which may be warm-up.
func settled[T any](list []T, of func(*T) analyze.Nanos) middle {
	var all []analyze.Nanos
	for i := len(list) / 4; i < len(list); i++ {
		all = append(all, of(&list[i]))
	}
	slices.Sort(all)
	return middle{all[len(all)*5/100], all[len(all)/2], all[len(all)*95/100]}
}

// apart reports whether a duration is longer than chance explains. It must be more than policy.SlowIteration times the
// median, and exceed the median by more than policy.SlowIterationSpread times as much as the 95% quantile does.
func (m middle) apart(n analyze.Nanos) bool {
	return m.median > 0 && float64(n) > policy.SlowIteration*float64(m.median) &&
		float64(n-m.median) > policy.SlowIterationSpread*float64(m.high-m.median)
}

// leading returns how many of the first elements take longer than chance explains, and the sum of their excess over
// the median.
func leading[T any](list []T, m middle, of func(*T) analyze.Nanos) (count int, excess analyze.Nanos) {
	for i := 0; i < min(len(list)/policy.WarmUpDivisor, policy.MostWarmUpIterations) && m.apart(of(&list[i])); i++ {
		count++
		excess += of(&list[i]) - m.median
	}
	return count, excess
}

// noWarmUp finds first iterations that take longer than later ones; users should exclude them from measurements.
// Scopes that the program marks count as iterations, too.
func noWarmUp(in *Input) *Insight {
	if i := firstScopes(in); i != nil {
		return i
	}
	list := in.series()
	if len(list) == 0 {
		return skip("no thread has enough command buffers of the same work with GPU times")
	}
	slow, most, first := 0, 0, 0
	var cost, compiled, longest, usual analyze.Nanos
	var where sites
	threads := map[*analyze.Thread]bool{}
	for _, s := range list {
		m := settled(s.list, (*iteration).length)
		count, excess := leading(s.list, m, (*iteration).length)
		if count == 0 {
			continue
		}
		slow++
		threads[s.thread] = true
		most, first = max(most, count), first+count
		cost += excess
		if n := s.list[0].length(); usual == 0 || float64(n)/float64(m.median) > float64(longest)/float64(usual) {
			longest, usual = n, m.median
		}
		for i := range s.list[:count] {
			b := s.list[i].buffer
			compiled += in.compiling(s.thread, analyze.Interval{Begin: b.Created.Begin, End: b.Committed.End})
			where.add(&b.Committed, "commit", name(b), 1, s.list[i].length()-m.median, 0)
		}
	}
	if slow*2 < len(list) || slow == 0 {
		return nil
	}
	i := &Insight{Severity: Info, Cost: cost, Where: where.most(),
		Evidence: fmt.Sprintf(
			"on %s the first command buffers took up to %.1f times as long as later ones with the same work usually do, "+
				"%s against %s; %s at the start lasted %s longer than that in all",
			analyze.Plural(len(threads), "thread"), float64(longest)/float64(usual), longest, usual,
			analyze.Plural(first, "command buffer"), cost),
		Advice: fmt.Sprintf("exclude the first iterations from measurements: run %d or more before the clock starts", most)}
	if compiled > 0 {
		i.Evidence += fmt.Sprintf("; %s of that was compilation", min(compiled, cost))
	}
	return i
}

// firstScopes finds scopes (time ranges that the program named) of one name whose first occurrences take longer than
// later ones. Programs mark their iterations with scopes, so noWarmUp looks at scopes before command buffers.
func firstScopes(in *Input) *Insight {
	type key struct {
		thread *analyze.Thread
		name   string
	}
	by := map[key][]*analyze.Scope{}
	var order []key
	for i := range in.Trace.Scopes {
		s := &in.Trace.Scopes[i]
		if s.Mark || s.Unfinished || s.Thread == nil {
			continue
		}
		k := key{s.Thread, s.Name}
		if by[k] == nil {
			order = append(order, k)
		}
		by[k] = append(by[k], s)
	}
	length := func(s **analyze.Scope) analyze.Nanos { return (*s).Length() }
	var best *Insight
	for _, k := range order {
		list := by[k]
		if len(list) < policy.FewestRounds {
			continue
		}
		m := settled(list, length)
		count, excess := leading(list, m, length)
		if count == 0 || best != nil && excess <= best.Cost {
			continue
		}
		var compiled analyze.Nanos
		for _, s := range list[:count] {
			compiled += in.compiling(k.thread, s.Interval)
		}
		best = &Insight{Severity: Info, Cost: excess,
			Evidence: fmt.Sprintf("of %d scopes %q of thread %d the first took %s, %.1f times the usual %s; "+
				"%s at the start lasted %s longer than that in all", len(list), k.name,
				k.thread.ID, list[0].Length(), float64(list[0].Length())/float64(m.median), m.median,
				analyze.Plural(count, "scope"), excess),
			Advice: fmt.Sprintf(
				"exclude the first iterations from measurements: run %d or more before the clock starts", count)}
		if compiled > 0 {
			best.Evidence += fmt.Sprintf("; %s of that was compilation", min(compiled, excess))
		}
	}
	return best
}

// compiling returns how long the thread compiled (libraries, functions, pipeline states) within the interval.
func (in *Input) compiling(t *analyze.Thread, i analyze.Interval) (sum analyze.Nanos) {
	for k := range in.Trace.Compilations {
		if c := &in.Trace.Compilations[k]; c.Thread == t {
			sum += analyze.Interval{Begin: max(c.Begin, i.Begin), End: min(c.End, i.End)}.Length()
		}
	}
	return sum
}

// name returns a command buffer's label in quotes or, without a label, the name of its first kernel.
func name(b *analyze.CommandBuffer) string {
	if b.Label != "" {
		return fmt.Sprintf("%q", b.Label)
	}
	for i := range b.Encoders {
		for d := range b.Encoders[i].Runs() {
			if d.Pipeline != nil && cmp.Or(d.Pipeline.Kernel, d.Pipeline.Label) != "" {
				return cmp.Or(d.Pipeline.Kernel, d.Pipeline.Label)
			}
		}
	}
	return ""
}

// variance finds threads whose command buffers with the same work differ much in duration. It names the part that
// differs most: encoding, waiting for the GPU, or the GPU's work.
func variance(in *Input) *Insight {
	list := in.series()
	if len(list) == 0 {
		return skip("no thread has enough command buffers of the same work with GPU times")
	}
	var worst *series
	var most float64
	heard, wide := 0, 0
	for _, s := range list {
		m := settled(s.list, (*iteration).length)
		if m.median == 0 {
			continue
		}
		heard++
		by := float64(m.high-m.low) / float64(m.median)
		if by >= 1 {
			wide++
		}
		if by > most {
			worst, most = s, by
		}
	}
	if worst == nil || most < 1 {
		return nil
	}
	parts := []struct {
		what, advice string
		of           func(*iteration) analyze.Nanos
	}{
		{"encoding and committing it", "look for interruptions of the thread there: " +
			"locks, allocation, compilation, too few processors",
			func(i *iteration) analyze.Nanos { return i.encode }},
		{"waiting to begin on the GPU", "look for other work on the GPU: other threads, other programs",
			func(i *iteration) analyze.Nanos { return i.starting }},
		{"running on the GPU", "look for other work on the GPU and for its clock: " +
			"other threads, other programs, power and heat",
			func(i *iteration) analyze.Nanos { return i.gpu }},
	}
	var cause int
	var spread analyze.Nanos
	for k := range parts {
		if m := settled(worst.list, parts[k].of); m.high-m.low > spread {
			cause, spread = k, m.high-m.low
		}
	}
	m := settled(worst.list, (*iteration).length)
	var where sites
	for i := range worst.list {
		b := worst.list[i].buffer
		where.add(&b.Committed, "commit", name(b), 1, 0, 0)
	}
	return &Insight{Severity: Info, Where: where.most(),
		Evidence: fmt.Sprintf("from the 5th to the 95th percentile, "+
			"command buffers of the same work of one thread differ by %.0f%% of their median: "+
			"from %s to %s around %s; most of the difference is in %s (%d of %d series vary like that)",
			100*most, m.low, m.high, m.median, parts[cause].what, wide, heard),
		Advice: "report medians and intervals, not means; " + parts[cause].advice}
}
