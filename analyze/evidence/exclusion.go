package evidence

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// An Exclusion tells whether intervals of different threads avoid each other. Index is 1 − observed pairwise overlap
// / expected overlap of independent threads: 1 if they never overlap, 0 if they overlap by chance. PValue is the
// probability that independent threads overlap as little as observed.
type Exclusion struct {
	What      string
	Index     float64
	Low, High float64 // interval that has 95% of the indexes of independent threads
	PValue    float64
	QValue    float64 // PValue, adjusted for the number of tests
	Threads   int
	Intervals int
}

// testExclusions tests intervals whose real begin and end are visible: GPU work, open encoders, waits, round trips.
// It must not test calls that block inside, such as commit. A blocked thread is inside its call, so such calls
// overlap most when the threads exclude each other.
func testExclusions(by *threadIntervals, opts Options) (found []Exclusion) {
	for _, c := range []struct {
		what string
		by   map[*analyze.Thread][]analyze.Interval
	}{{"gpu", by.gpu}, {"encoders", by.encoders}, {"waits", by.waits}, {"round trips", by.roundTrips}} {
		if e, told := testExclusion(c.by, opts); told {
			e.What = c.what
			found = append(found, e)
		}
	}
	return found
}

// testExclusion compares the pairwise overlap of the threads' intervals with the overlap after each thread's
// intervals are shifted by a random time. It returns false if fewer than two threads have enough intervals, or if the
// threads did not work at the same time. It also returns false if independent threads would overlap so little that no
// overlap at all may be chance.
func testExclusion(by map[*analyze.Thread][]analyze.Interval, opts Options) (Exclusion, bool) {
	lines, window := timelines(by)
	if len(lines) < 2 {
		return Exclusion{}, false
	}
	shifts, room := make([]analyze.Nanos, len(lines)), make([][]analyze.Interval, len(lines))
	observed := pairwise(lines, window, shifts, room)
	random := rand.New(rand.NewPCG(opts.Seed, 0x6d7472616365))
	samples := make([]float64, opts.Permutations)
	below, mean := 0, 0.0
	for n := range samples {
		for i := range shifts {
			shifts[i] = analyze.Nanos(random.Int64N(int64(window.Length())))
		}
		o := pairwise(lines, window, shifts, room)
		if o <= observed {
			below++
		}
		samples[n] = float64(o)
		mean += float64(o) / float64(len(samples))
	}
	if mean == 0 {
		return Exclusion{}, false
	}
	slices.Sort(samples)
	quantile := func(q float64) float64 { return 1 - samples[int(q*float64(len(samples)-1))]/mean }
	if quantile(policy.IntervalTail) > 1-policy.FalseDiscovery.Value {
		return Exclusion{}, false // the expected overlap is so small that none at all may be chance
	}
	e := Exclusion{Index: 1 - float64(observed)/mean, Low: quantile(1 - policy.IntervalTail),
		High:   quantile(policy.IntervalTail),
		PValue: float64(below+1) / float64(len(samples)+1), Threads: len(lines)}
	for _, line := range lines {
		e.Intervals += len(line)
	}
	return e, true
}

// timelines returns the busy intervals of the threads with the most intervals, cut to the window in which all of them
// worked. It returns fewer than two timelines if there is nothing to compare.
func timelines(by map[*analyze.Thread][]analyze.Interval) (lines [][]analyze.Interval, window analyze.Interval) {
	var order []*analyze.Thread
	for t, list := range by {
		if len(list) >= policy.FewestThreadOccurrences.Count() {
			order = append(order, t)
		}
	}
	slices.SortFunc(order, func(x, y *analyze.Thread) int {
		return cmp.Or(len(by[y])-len(by[x]), cmp.Compare(uint64(x.ID), uint64(y.ID)))
	})
	window = analyze.Interval{Begin: -1 << 62, End: 1 << 62}
	total := 0
	for _, t := range order[:min(len(order), policy.MostComparedThreads)] {
		line := NewBusy(by[t]).Spans()
		if len(line) < policy.FewestThreadOccurrences.Count() { // its intervals follow each other without a gap
			continue
		}
		lines = append(lines, line)
		window = window.Intersect(analyze.Interval{Begin: line[0].Begin, End: line[len(line)-1].End})
		total += len(line)
	}
	if len(lines) < 2 || window.Length() == 0 {
		return nil, window
	}
	if total > policy.MostIntervals { // keep the middle of the window
		keep := analyze.Nanos(float64(window.Length()) * policy.MostIntervals / float64(total))
		window.Begin += (window.Length() - keep) / 2
		window.End = window.Begin + keep
	}
	heard := lines[:0]
	for _, line := range lines {
		if line = within(line, window); len(line) >= policy.FewestThreadOccurrences.Count()/2 {
			heard = append(heard, line)
		}
	}
	return heard, window
}

func within(line []analyze.Interval, window analyze.Interval) []analyze.Interval {
	var in []analyze.Interval
	for _, i := range line {
		if i = i.Intersect(window); i.Length() > 0 {
			in = append(in, i)
		}
	}
	return in
}

// pairwise returns for how long two threads were busy at the same time, summed over all pairs of threads. Each element
// of `lines` has one thread's busy intervals; pairwise first moves them later by the thread's shift, and around the
// window's end back to its begin. `room` is scratch memory with one element for each line.
func pairwise(lines [][]analyze.Interval, window analyze.Interval, shifts []analyze.Nanos, room [][]analyze.Interval) (
	sum analyze.Nanos) {
	for i, line := range lines {
		room[i] = shifted(room[i][:0], line, window, shifts[i])
		for _, other := range room[:i] {
			sum += common(room[i], other)
		}
	}
	return sum
}

// shifted appends a thread's busy intervals (line) to list, each moved later by the time `by`. Intervals that are moved
// beyond the window's end reappear at its begin.
func shifted(list, line []analyze.Interval, window analyze.Interval, by analyze.Nanos) []analyze.Interval {
	around := sort.Search(len(line), func(i int) bool { return line[i].End+by > window.End })
	for _, i := range line[around:] {
		list = append(list, analyze.Interval{Begin: max(window.Begin, i.Begin+by-window.Length()), End: i.End +
			by - window.Length()})
	}
	for _, i := range line[:min(around+1, len(line))] {
		if i.Begin+by < window.End {
			list = append(list, analyze.Interval{Begin: i.Begin + by, End: min(i.End+by, window.End)})
		}
	}
	return list
}

// common returns the total time in which both lines are busy. Both must be sorted and free of overlaps.
func common(a, b []analyze.Interval) (sum analyze.Nanos) {
	for len(a) > 0 && len(b) > 0 {
		sum += max(0, min(a[0].End, b[0].End)-max(a[0].Begin, b[0].Begin))
		if a[0].End < b[0].End {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return sum
}
