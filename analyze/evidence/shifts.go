package evidence

import (
	"math"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// Shifts returns the times, in ascending order, at which the threads' use of time changes for good. The analysis
// looks at the ranges between them separately, because each may have another cause of slowness.
func Shifts(work *GPUWork, times *ThreadTimes, blocked Blocked) []analyze.Nanos {
	within := analyze.Interval{Begin: 1<<63 - 1}
	for _, t := range times.Threads {
		if w := t.Thread.Working; t.Submits() && w.Length() > 0 {
			within.Begin, within.End = min(within.Begin, w.Begin), max(within.End, w.End)
		}
	}
	if within.Length() < policy.PhaseBins {
		return nil
	}
	at := func(i int) analyze.Nanos { return within.Begin + within.Length()*analyze.Nanos(i)/policy.PhaseBins }
	profiles := make([]profile, policy.PhaseBins)
	for i := range profiles {
		profiles[i] = profileOf(work, times, blocked, analyze.Interval{Begin: at(i), End: at(i + 1)})
	}
	var found []analyze.Nanos
	for _, i := range changes(profiles, 0) {
		found = append(found, at(i))
	}
	return found
}

// A profile tells how threads used a range of the trace: the share (0 to 1) blocked in each kind of call, and as the
// last element the share in which a GPU was busy.
type profile [blockings + 1]float64

func profileOf(work *GPUWork, times *ThreadTimes, blocked Blocked, i analyze.Interval) (p profile) {
	var total analyze.Nanos
	var sums [blockings]analyze.Nanos
	for _, t := range times.Threads {
		if !t.Submits() {
			continue
		}
		total += overlap(t.Thread.Working, i)
		for k, b := range blocked[t.Thread] {
			sums[k] += b.LengthWithin(i)
		}
	}
	for k, n := range sums {
		p[k] = min(1, Share(n, total))
	}
	for _, d := range work.Devices {
		p[blockings] = max(p[blockings], Share(d.all.LengthWithin(i), i.Length()))
	}
	return p
}

// changes finds the index at which a sequence of profiles changes most, and then searches both sides of that index in
// the same way. It returns all such indexes in ascending order, relative to the whole sequence: first is the index of
// course[0] there.
func changes(course []profile, first int) []int {
	best, where := 0.0, 0
	for i := policy.ShortestPhase; i <= len(course)-policy.ShortestPhase; i++ {
		// The weight prefers, of two equal changes, the one nearer to the middle, because both means are then based
		// on more profiles.
		d := distance(mean(course[:i]), mean(course[i:])) * math.Sqrt(float64(i)*float64(len(course)-i)) / float64(
			len(course))
		if d > best {
			best, where = d, i
		}
	}
	if where == 0 || distance(mean(course[:where]), mean(course[where:])) < policy.PhaseDifference {
		return nil
	}
	return append(append(changes(course[:where], first), first+where), changes(course[where:], first+where)...)
}

func mean(course []profile) (m profile) {
	for _, p := range course {
		for k := range p {
			m[k] += p[k] / float64(len(course))
		}
	}
	return m
}

// distance returns the largest difference between corresponding shares of two profiles.
func distance(a, b profile) (most float64) {
	for k := range a {
		most = max(most, math.Abs(a[k]-b[k]))
	}
	return most
}
