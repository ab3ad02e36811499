package evidence

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// findScheduled returns the sleeps of threads that wake at their own times, independently of other threads: timers
// and generators of requests. Waits for such a thread must not be reported as a cause of slowness.
func findScheduled(trace *analyze.Trace) map[*analyze.Thread][]analyze.Interval {
	sleeps := map[*analyze.Thread][]analyze.Interval{}
	for w := range analyze.Each(trace.CPUWaits.Blocked) {
		if w.Kind == analyze.BlockedSleep {
			sleeps[w.Thread] = append(sleeps[w.Thread], w.Interval)
		}
	}
	for thread, list := range sleeps {
		if !onSchedule(list) && !atRandom(list) {
			delete(sleeps, thread)
		}
	}
	return sleeps
}

// atRandom reports whether a thread does nothing but sleep for random lengths, as a generator of independent requests
// does. The lengths are then exponentially distributed: their standard deviation equals their mean. Sleeps that
// simulate work, or that limit a rate, have similar lengths. The longest sleeps do not count, because a few of them
// among many similar ones, as at the start of a program, would look random.
func atRandom(sleeps []analyze.Interval) bool {
	if len(sleeps) < policy.ScheduledSleeps {
		return false
	}
	var lengths []float64
	var asleep analyze.Nanos
	for _, i := range sleeps {
		lengths = append(lengths, float64(i.Length()))
		asleep += i.Length()
	}
	slices.Sort(lengths)
	mean, deviation := stat.MeanStdDev(lengths[:len(lengths)-len(lengths)/policy.LongestSleeps-1], nil)
	return deviation >= policy.RandomSleeps*mean &&
		policy.NearlyAll(asleep, sleeps[len(sleeps)-1].End-sleeps[0].Begin)
}

// onSchedule reports whether sleeps end at multiples of a period. If a thread sleeps for a fixed length, a delay
// makes all later sleeps end later, so delays add up; on a schedule they do not. The test fits a line through the
// ends over their numbers. If delays add up (a random walk of n ends), the variance around the line is n/15 of the
// variance of one step; on a schedule it is 1/2. The lengths of the sleeps must vary at least as much as the ends
// around the line, because on a schedule a thread that wakes late, or works longer, sleeps less.
func onSchedule(sleeps []analyze.Interval) bool {
	if len(sleeps) < policy.ScheduledSleeps {
		return false
	}
	var steps []float64
	for i := 1; i < len(sleeps); i++ {
		steps = append(steps, float64(sleeps[i].End-sleeps[i-1].End))
	}
	sorted := slices.Sorted(slices.Values(steps))
	period := sorted[len(sorted)/2]
	if period <= 0 {
		return false
	}
	var numbers, ends []float64
	number, around := 0.0, 0.0
	for i, step := range append([]float64{0}, steps...) {
		periods := math.Round(step / period) // a thread that is late skips a sleep
		number += periods
		around += (step - periods*period) * (step - periods*period)
		numbers, ends = append(numbers, number), append(ends, float64(sleeps[i].End-sleeps[0].End))
	}
	at, slope := stat.LinearRegression(numbers, ends, nil, false)
	left := 0.0
	lengths := make([]float64, len(sleeps))
	for i := range ends {
		off := ends[i] - at - slope*numbers[i]
		left += off * off
		lengths[i] = float64(sleeps[i].Length())
	}
	left /= float64(len(ends))
	return left < policy.ScheduleDrift*around/float64(len(steps)) && left <= stat.PopVariance(lengths, nil)
}
