package evidence

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// An Interference says whether calls take longer when other threads are inside the same call. It is for calls of which
// only enter and exit are visible: behind a hidden lock they overlap heavily, since those that wait are inside the call
// too, so their overlap says nothing.
type Interference struct {
	What    string
	Calls   int
	Rho     float64 // Spearman's correlation of a call's duration with the calls in flight at its entry
	RhoLow  float64 // of its 95% interval
	RhoHigh float64
	PValue  float64 // of Rho, by permutation
	QValue  float64 // PValue, adjusted for the number of tests
	// share of a call's duration that goes away when no other thread is inside: slope of duration over calls in flight ×
	// their mean / mean duration
	Effect float64
	// median service time of contended calls / that of solo calls, if one call were served at a time; 0 when not known
	OneServer float64
	HandOff   bool // calls end one after the other with a regular time between, as when each hands a lock to the next
	Even      bool // the same by the times between alone, which are all alike: also a common rhythm
	Lost      analyze.Nanos
	Solo      analyze.Nanos // median duration of a call when no other thread is inside
	Service   analyze.Nanos // median time between the ends of contended calls
}

// Interferes says whether the test found that calls hold each other up.
func (i *Interference) Interferes() bool {
	return i.QValue <= policy.FalseDiscovery.Value && (i.Rho >= policy.Correlation.Value || i.Effect >= policy.Most.Value)
}

// OneAtATime says whether the calls were served one at a time, as behind a lock: twice as many at once take twice as
// long. That calls end with a regular time between is not enough: they also do so where each follows a completion of a
// GPU that runs one command buffer at a time.
func (i *Interference) OneAtATime() bool {
	return i.Interferes() && (i.HandOff || i.OneServer >= policy.OneServer.Value || i.OneServer == 0 &&
		i.Effect >= policy.Most.Value)
}

// testInterferences tests the calls that may take a lock inside.
func testInterferences(trace *analyze.Trace, opts Options) (found []Interference) {
	var commits []analyze.Call
	for b := range trace.Buffers() {
		if b.Committed.Known() && b.Committed.Thread != nil {
			commits = append(commits, b.Committed)
		}
	}
	for _, c := range []struct {
		what  string
		calls []analyze.Call
	}{{"commit", commits}, {"encoder", openEncoders(trace)}} {
		if i, told := testInterference(inWindow(c.calls, trace.Window), opts); told {
			i.What = c.what
			found = append(found, i)
		}
	}
	return found
}

func inWindow(calls []analyze.Call, window analyze.Interval) []analyze.Call {
	calls = slices.DeleteFunc(calls, func(c analyze.Call) bool { return c.Begin < window.Begin || c.End > window.End })
	slices.SortFunc(calls, func(x, y analyze.Call) int { return cmp.Compare(x.Begin, y.Begin) })
	return calls
}

// testInterference is false when there are too few calls, or fewer than two threads.
func testInterference(calls []analyze.Call, opts Options) (Interference, bool) {
	threads := map[*analyze.Thread]bool{}
	for _, c := range calls {
		threads[c.Thread] = true
	}
	if len(calls) < 2*policy.Sample.Count() || len(threads) < 2 {
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
		return Interference{}, false // there is nothing to compare
	}
	r := Interference{Calls: len(sample)}
	x, y := ranks(durations), ranks(others)
	r.Rho = correlation(x, y)
	r.PValue = float64(atLeast(x, y, opts)+1) / float64(opts.Permutations+1)
	r.RhoLow, r.RhoHigh = spearmanInterval(r.Rho, len(sample))
	r.Effect = effect(durations, others)
	r.serve(sample, flight)
	r.Lost = lostBeside(calls, r.Solo)
	return r, true
}

// atLeast is how many of the permutations correlate ranks as much as they do, or more. An order changes neither the sum
// of the ranks nor that of their squares, so what remains of the correlation is the sum of products: it is exact, as
// ranks are halves of whole numbers.
func atLeast(x, y []float64, opts Options) (n int) {
	found := 0.0
	for i := range x {
		found += x[i] * y[i]
	}
	random := rand.NewPCG(opts.Seed, 0x696e746572)
	for range opts.Permutations {
		sum := 0.0
		for i := len(x) - 1; i >= 0; i-- {
			// One of i+1, each as likely as the others but for a part in a million: MostCalls of 2³².
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

// lostBeside is what calls take longer beside others than one alone.
func lostBeside(calls []analyze.Call, solo analyze.Nanos) (lost analyze.Nanos) {
	for i, n := range inFlight(calls) {
		if n > 0 {
			lost += max(0, calls[i].Length()-solo)
		}
	}
	return lost
}

// inFlight is, for each call, how many others were inside at its entry. Of those that entered at the same tick of the
// clock none was: in a coarse tick who comes later would seem to find more of them, and is also more likely to leave in
// the next one.
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

// serve rebuilds the service times that the calls would have had if one were served at a time, in the order of their
// ends.
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
	case len(solo) >= policy.Handful.Count():
		r.Solo = Median(solo)
		r.OneServer = Share(r.Service, r.Solo)
	case r.HandOff:
		r.Solo = r.Service
	default: // a call that is behind n others takes as long as n+1 alone
		var sum, served analyze.Nanos
		for i, c := range calls {
			sum += c.Length()
			served += analyze.Nanos(flight[i] + 1)
		}
		r.Solo = sum / served
	}
}

// rhythm tells the queue in front of one server from calls that only happen to be many: the times between the ends of
// contended calls, which come sorted, are the server's, so hardly any is much shorter than usual, whatever the order in
// which it serves; those of independent calls are as irregular as chance. The calls themselves must differ, from one
// service to several, or a common rhythm would look the same. A ticket lock lets each wait for as many as any other, so
// the calls are alike, too, and the times between all are: threads that know nothing of each other fall out of such a
// step.
func (r *Interference) rhythm(calls []analyze.Call, services []analyze.Nanos) {
	if len(services) < 2*policy.Sample.Count() || r.Service <= 0 {
		return
	}
	short, _ := slices.BinarySearch(services, Scaled(r.Service, policy.Most.Value))
	long, _ := slices.BinarySearch(services, Scaled(r.Service, 1/policy.Most.Value))
	durations := make([]analyze.Nanos, len(calls))
	for i, c := range calls {
		durations[i] = c.Length()
	}
	slices.Sort(durations)
	least, most := durations[len(durations)/policy.Quick], durations[len(durations)-1-len(durations)/policy.Quick]
	r.HandOff = policy.AtLeast(policy.Most, len(services), len(calls)) && !policy.AtLeast(policy.WorthNaming, short,
		len(services)) &&
		most >= policy.LeastDurationSpread*least && least <= policy.MostServicesOfQuick*r.Service
	r.Even = policy.NearlyAll(len(services), len(calls)) && policy.NearlyAll(long-short, len(services))
}
