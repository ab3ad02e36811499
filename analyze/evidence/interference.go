package evidence

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
	"mtrace/analyze/statistics"
)

// An Interference tells whether calls take longer while other threads are inside the same call. It is for calls of
// which only entry and exit are visible. An overlap test would mislead here: threads that wait for a hidden lock are
// inside the call, so the calls overlap heavily just because they exclude each other.
type Interference struct {
	What    string
	Calls   int
	Rho     float64 // Spearman's correlation of a call's duration with the calls in flight at its entry
	RhoLow  float64 // lower end of its 95% interval
	RhoHigh float64
	PValue  float64 // p-value of Rho, by permutation
	QValue  float64 // PValue, adjusted for the number of tests
	// the share of a call's duration that would disappear if no other thread were inside the call: slope of the
	// duration over the calls in flight × mean number in flight / mean duration
	Effect float64
	// median service time of contended calls / median duration of solo calls, if calls are served one at a time; near
	// 1 for a lock, 0 if not known
	OneServer float64
	HandOff   bool // calls end one after the other at regular distances, as if each handed a lock to the next
	Even      bool // as HandOff, but judged by the distances alone; a rhythm that all calls share also causes it
	Lost      analyze.Nanos
	Solo      analyze.Nanos // median duration of a call when no other thread is inside
	Service   analyze.Nanos // median time between the ends of contended calls
}

// Interferes reports whether the calls delay each other: significantly, and by more than a negligible amount.
func (i *Interference) Interferes() bool {
	return i.QValue <= policy.FalseDiscovery.Value &&
		(i.Rho >= policy.InterferenceCorrelation.Value || i.Effect >= policy.Majority.Value)
}

// OneAtATime reports whether calls were served one at a time, as behind a lock. Calls that end at regular distances
// (Even) do not suffice as evidence: the same happens if each call follows a completion on a GPU that runs one
// command buffer at a time.
func (i *Interference) OneAtATime() bool {
	return i.Interferes() && (i.HandOff || i.OneServer >= policy.QueuedServiceRatio.Value || i.OneServer == 0 &&
		i.Effect >= policy.Majority.Value)
}

// testInterferences tests the calls that may wait for a lock inside: commit, and encoders from creation to end.
func testInterferences(by *threadIntervals, opts Options) (found []Interference) {
	for _, c := range []struct {
		what  string
		calls []analyze.Call
	}{{"commit", by.commits}, {"encoder", by.openEncoders}} {
		if i, told := testInterference(inWindow(c.calls, by.window), opts); told {
			i.What = c.what
			found = append(found, i)
		}
	}
	return found
}

// inWindow returns the calls that lie within the window, sorted by begin.
func inWindow(calls []analyze.Call, window analyze.Interval) []analyze.Call {
	calls = slices.DeleteFunc(slices.Clone(calls),
		func(c analyze.Call) bool { return c.Begin < window.Begin || c.End > window.End })
	slices.SortFunc(calls, func(x, y analyze.Call) int { return cmp.Compare(x.Begin, y.Begin) })
	return calls
}

// testInterference tests whether the calls, sorted by begin, delay each other. It returns false if there are too few
// calls, fewer than two threads, or always the same number of calls in flight.
func testInterference(calls []analyze.Call, opts Options) (Interference, bool) {
	threads := map[*analyze.Thread]bool{}
	for _, c := range calls {
		threads[c.Thread] = true
	}
	if len(calls) < 2*policy.FewestSamples.Count() || len(threads) < 2 {
		return Interference{}, false
	}
	sample := calls
	if len(calls) > policy.MostCalls {
		sample = calls[(len(calls)-policy.MostCalls)/2:][:policy.MostCalls]
	}
	flight := inFlight(sample)
	durations, others := make([]float64, len(sample)), make([]float64, len(sample))
	varies := false
	for i, c := range sample {
		durations[i], others[i] = float64(c.Length()), float64(flight[i])
		varies = varies || flight[i] != flight[0]
	}
	if !varies {
		return Interference{}, false // without concurrent calls, or without solo ones
	}
	r := Interference{Calls: len(sample)}
	x, y := statistics.Ranks(durations), statistics.Ranks(others)
	r.Rho = statistics.Correlation(x, y)
	r.PValue = float64(atLeast(x, y, opts)+1) / float64(opts.Permutations+1)
	r.RhoLow, r.RhoHigh = spearmanInterval(r.Rho, len(sample))
	r.Effect = effect(durations, others)
	r.serve(sample, flight)
	r.Lost = lostBeside(calls, r.Solo)
	return r, true
}

// atLeast shuffles x and y against each other opts.Permutations times. It returns how many shuffles have a rank
// correlation of at least `found`. A shuffle changes neither the sum nor the squares of the ranks, so comparing the
// sum of products is enough. The sum is exact, because ranks are multiples of one half. atLeast changes the order of
// x.
func atLeast(x, y []float64, opts Options) (n int) {
	found := 0.0
	for i := range x {
		found += x[i] * y[i]
	}
	random := rand.NewPCG(opts.Seed, 0x696e746572)
	for range opts.Permutations {
		sum := 0.0
		for i := len(x) - 1; i >= 0; i-- {
			// a uniform number in [0, i]; its bias is at most MostCalls/2³², less than one in a million
			j := random.Uint64() >> 32 * uint64(i+1) >> 32
			x[i], x[j] = x[j], x[i]
			sum += x[i] * y[i]
		}
		if sum >= found {
			n++
		}
	}
	return n
}

// lostBeside returns the time that calls lose because other calls are in flight when they begin: the sum of their
// durations, each minus `solo`, the duration of a call without others.
func lostBeside(calls []analyze.Call, solo analyze.Nanos) (lost analyze.Nanos) {
	for i, n := range inFlight(calls) {
		if n > 0 {
			lost += max(0, calls[i].Length()-solo)
		}
	}
	return lost
}

// inFlight returns, for each call, the number of other calls in flight at its entry. Calls that entered at the same
// clock tick do not count for each other. Otherwise, with a coarse clock, the later of two such calls would see more
// calls in flight and would also more likely end one tick later: a correlation without a cause.
func inFlight(calls []analyze.Call) []int {
	var inside counter
	for _, c := range calls {
		if c.Length() > 0 {
			inside.add(c.Interval)
		}
	}
	inside.sort()
	n := make([]int, len(calls))
	for i, c := range calls {
		n[i] = inside.at(c.Begin)
	}
	return n
}

// serve computes Solo, Service and OneServer. It assumes that one call at a time is served, in the order in which the
// calls end; the time that serving a call takes follows from these ends.
func (r *Interference) serve(calls []analyze.Call, flight []int) {
	order := make([]int, len(calls))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(calls[i].End, calls[j].End) })
	var solo, contended []analyze.Nanos
	last := analyze.Nanos(0)
	for _, i := range order {
		c := calls[i]
		service := c.End - max(c.Begin, last)
		last = c.End
		if flight[i] == 0 {
			solo = append(solo, c.Length())
		} else {
			contended = append(contended, service)
		}
	}
	if len(contended) == 0 {
		return
	}
	slices.Sort(contended)
	r.Service = contended[len(contended)/2]
	r.rhythm(calls, contended)
	switch {
	case len(solo) >= policy.FewestThreadOccurrences.Count():
		r.Solo = Median(solo)
		r.OneServer = Share(r.Service, r.Solo)
	case r.HandOff:
		r.Solo = r.Service
	default: // with n calls ahead of it, a call takes n+1 service times
		var sum, served analyze.Nanos
		for i, c := range calls {
			sum += c.Length()
			served += analyze.Nanos(flight[i] + 1)
		}
		r.Solo = sum / served
	}
}

// rhythm sets HandOff and Even, which distinguish a queue in front of one server from calls that only happen to be
// concurrent. services are the times between the ends of contended calls, ascending. Behind one server hardly any of
// them is much shorter than usual; between independent calls they are random.
//
// The durations of the calls must also vary from one to several service times, because calls with a common rhythm
// have regular ends too. Behind a ticket lock each call waits for the same number of others, so durations are
// similar; for that case Even requires all services to be similar, which independent threads do not sustain.
func (r *Interference) rhythm(calls []analyze.Call, services []analyze.Nanos) {
	if len(services) < 2*policy.FewestSamples.Count() || r.Service <= 0 {
		return
	}
	short, _ := slices.BinarySearch(services, Scaled(r.Service, policy.Majority.Value))
	long, _ := slices.BinarySearch(services, Scaled(r.Service, 1/policy.Majority.Value))
	durations := make([]analyze.Nanos, len(calls))
	for i, c := range calls {
		durations[i] = c.Length()
	}
	slices.Sort(durations)
	least, most := durations[len(durations)/policy.FastestDivisor],
		durations[len(durations)-1-len(durations)/policy.FastestDivisor]
	r.HandOff = policy.AtLeast(policy.Majority, len(services), len(calls)) && !policy.AtLeast(policy.WorthNaming, short,
		len(services)) &&
		most >= policy.LeastDurationSpread*least && least <= policy.MostServicesOfQuick*r.Service
	r.Even = policy.NearlyAll(len(services), len(calls)) && policy.NearlyAll(long-short, len(services))
}
