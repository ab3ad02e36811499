package evidence

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/policy"
	"mtrace/analyze/statistics"
)

// An Exclusion says whether intervals of different threads avoid each other. Index is 1 − observed pairwise overlap / overlap
// expected if the threads were independent; PValue is how often independent threads would overlap as little as observed.
type Exclusion struct {
	What      string
	Index     float64
	Low, High float64 // of 95 % of what independent threads would show
	PValue    float64
	QValue    float64 // PValue, adjusted for the number of tests
	Threads   int
	Intervals int
}

// exclusion tests the intervals whose beginning and end are both visible: work on the GPU, open encoders, waits, round trips. Calls that may
// block inside (commit) overlap the more the more they exclude each other, so this test would say the opposite of the truth.
func (ev *Evidence) exclusion(opts Options) {
	gpu, encoders := map[*analyze.Thread][]analyze.Interval{}, map[*analyze.Thread][]analyze.Interval{}
	for b := range ev.Trace.Buffers() {
		if t := b.Committed.Thread; t != nil && b.GPU.Known() {
			gpu[t] = append(gpu[t], b.GPU.Within(ev.Trace.Window))
		}
		for i := range b.Encoders {
			e := &b.Encoders[i]
			if t := e.Created.Thread; t != nil && e.Ended.Known() && e.Ended.Thread == t {
				encoders[t] = append(encoders[t], analyze.Interval{Begin: e.Created.Begin, End: e.Ended.End}.Within(ev.Trace.Window))
			}
		}
	}
	for _, c := range []struct {
		what string
		by   map[*analyze.Thread][]analyze.Interval
	}{{"gpu", gpu}, {"encoders", encoders}, {"waits", ev.longWaits()}, {"round trips", ev.roundTrips()}} {
		if e, told := testExclusion(c.by, opts); told {
			e.What = c.what
			ev.Exclusion = append(ev.Exclusion, e)
		}
	}
}

// testExclusion shifts each thread's timeline in a circle by a random time, again and again, and compares the pairwise overlap.
// It is false when fewer than two threads have enough intervals, or when they were not at work at the same time.
func testExclusion(by map[*analyze.Thread][]analyze.Interval, opts Options) (Exclusion, bool) {
	lines, window := timelines(by)
	if len(lines) < 2 {
		return Exclusion{}, false
	}
	shifts := make([]analyze.Nanos, len(lines))
	observed := pairwise(lines, window, shifts)
	random := rand.New(rand.NewPCG(opts.Seed, 0x6d7472616365))
	samples := make([]float64, opts.Permutations)
	below, mean := 0, 0.0
	for n := range samples {
		for i := range shifts {
			shifts[i] = analyze.Nanos(random.Int64N(int64(window.Length())))
		}
		o := pairwise(lines, window, shifts)
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
	if quantile(0.025) > 1-policy.FalseDiscovery.Value {
		return Exclusion{}, false // so little to overlap that chance alone can leave none
	}
	e := Exclusion{Index: 1 - float64(observed)/mean, Low: quantile(0.975), High: quantile(0.025),
		PValue: float64(below+1) / float64(len(samples)+1), Threads: len(lines)}
	for _, line := range lines {
		e.Intervals += len(line)
	}
	return e, true
}

// timelines are the timelines of the threads with enough intervals, those with the most, cut to the window in which all were at work.
// There are fewer than two when there is nothing to compare.
func timelines(by map[*analyze.Thread][]analyze.Interval) (lines [][]analyze.Interval, window analyze.Interval) {
	var order []*analyze.Thread
	for t, list := range by {
		if len(list) >= policy.Handful.Count() {
			order = append(order, t)
		}
	}
	slices.SortFunc(order, func(x, y *analyze.Thread) int {
		return cmp.Or(len(by[y])-len(by[x]), cmp.Compare(uint64(x.ID), uint64(y.ID)))
	})
	window = analyze.Interval{Begin: -1 << 62, End: 1 << 62}
	total := 0
	for _, t := range order[:min(len(order), policy.MostLines)] {
		line := NewBusy(by[t]).Spans()
		if len(line) < policy.Handful.Count() { // they follow each other without a gap
			continue
		}
		lines = append(lines, line)
		window = window.Within(analyze.Interval{Begin: line[0].Begin, End: line[len(line)-1].End})
		total += len(line)
	}
	if len(lines) < 2 || window.Length() == 0 {
		return nil, window
	}
	if total > policy.MostIntervals { // the middle part of the window
		keep := analyze.Nanos(float64(window.Length()) * policy.MostIntervals / float64(total))
		window.Begin += (window.Length() - keep) / 2
		window.End = window.Begin + keep
	}
	heard := lines[:0]
	for _, line := range lines {
		if line = within(line, window); len(line) >= policy.Handful.Count()/2 {
			heard = append(heard, line)
		}
	}
	return heard, window
}

func within(line []analyze.Interval, window analyze.Interval) []analyze.Interval {
	var in []analyze.Interval
	for _, i := range line {
		if i = i.Within(window); i.Length() > 0 {
			in = append(in, i)
		}
	}
	return in
}

// pairwise is the overlap of each two lines, summed, when each is shifted by a time, in a circle. Two that are shifted by as much overlap as if
// neither were, so one of them is left where it is, and none is copied.
func pairwise(lines [][]analyze.Interval, window analyze.Interval, shifts []analyze.Nanos) (sum analyze.Nanos) {
	for i := range lines {
		for j := i + 1; j < len(lines); j++ {
			by := shifts[j] - shifts[i]
			if by < 0 {
				by += window.Length()
			}
			sum += shifted(lines[i], lines[j], window, by)
		}
	}
	return sum
}

// shifted is the overlap of two lines in a window of which b is shifted by a time, in a circle. What crosses the edge comes on both sides, and
// a has nothing beyond the window that could overlap it there.
func shifted(a, b []analyze.Interval, window analyze.Interval, by analyze.Nanos) analyze.Nanos {
	edge := window.End - by
	over := sort.Search(len(b), func(i int) bool { return b[i].End > edge })
	back, next := common(a, b[over:], by-window.Length())
	if over < len(b) && b[over].Begin < edge {
		over++
	}
	on, _ := common(a[next:], b[:over], by)
	return back + on
}

// common is the overlap of two lines, of which b is shifted by a time. What of a is behind all of b begins at done.
func common(a, b []analyze.Interval, by analyze.Nanos) (sum analyze.Nanos, done int) {
	i := 0
	for j := 0; i < len(a) && j < len(b); {
		begin, end := b[j].Begin+by, b[j].End+by
		sum += max(0, min(a[i].End, end)-max(a[i].Begin, begin))
		if a[i].End < end {
			i++
		} else {
			j++
		}
	}
	return sum, i
}

// adjustTests adjusts the p-values of all tests of the analysis together.
func (ev *Evidence) adjustTests() {
	var values []float64
	for _, e := range ev.Exclusion {
		values = append(values, e.PValue)
	}
	for _, i := range ev.Interference {
		values = append(values, i.PValue)
	}
	adjusted := statistics.FalseDiscovery(values)
	for i := range ev.Exclusion {
		ev.Exclusion[i].QValue = adjusted[i]
	}
	for i := range ev.Interference {
		ev.Interference[i].QValue = adjusted[len(ev.Exclusion)+i]
	}
}
