package evidence

import (
	"math/rand/v2"
	"testing"

	"mtrace/analyze"
)

// sleepsOf are n sleeps: the thread sleeps until an instant, or for a length, and works between.
func sleepsOf(n int, work analyze.Nanos, until, length func(i int) analyze.Nanos,
	random *rand.Rand) (list []analyze.Interval) {
	now := analyze.Nanos(0)
	for i := range n {
		end := now + length(i)
		if until != nil {
			end = max(now+1, until(i))
		}
		end += analyze.Nanos(random.IntN(60_000)) // the system wakes it late
		list = append(list, analyze.Interval{Begin: now, End: end})
		now = end + analyze.Nanos(float64(work)*(0.5+random.Float64()))
	}
	return list
}

// alternating returns n sleeps of one length. Before each second one the thread waits for about the time wait.
func alternating(n int, length, wait analyze.Nanos, random *rand.Rand) (list []analyze.Interval) {
	now := analyze.Nanos(0)
	for i := range n {
		now += analyze.Nanos(i%2)*wait + analyze.Nanos(random.IntN(20_000))
		end := now + length + analyze.Nanos(random.IntN(30_000))
		list = append(list, analyze.Interval{Begin: now, End: end})
		now = end
	}
	return list
}

// TestSchedule: for a server that waits for a generator of requests the advice was to make the requests sooner. A
// producer whose sleeps stand for work, or that limits its rate, is slow, and no generator. A pool whose producer slept
// for 0.8 ms each time, and a few times for 20 ms, was called idle: the few made the standard deviation. A thread that
// ran two blocks in turn, each with a sleep of 3 ms, and then waited 1 ms for the next two, was called a timer: the
// time between two wake-ups varied so much that the drift of the wake-ups seemed small.
func TestSchedule(t *testing.T) {
	const period = 3_000_000
	fixed := func(int) analyze.Nanos { return period }
	for _, c := range []struct {
		name   string
		times  int
		sleeps func(*rand.Rand) []analyze.Interval
		want   bool
	}{
		{"a timer", 40, func(r *rand.Rand) []analyze.Interval {
			return sleepsOf(40, 100_000, func(i int) analyze.Nanos { return analyze.Nanos(i+1) * period }, fixed, r)
		}, true},
		{"requests at random times", 40, func(r *rand.Rand) []analyze.Interval {
			return sleepsOf(60, 10_000, nil, func(int) analyze.Nanos { return analyze.Nanos(r.ExpFloat64() * period) }, r)
		}, true},
		{"sleeps of one length, between work", 40, func(r *rand.Rand) []analyze.Interval {
			return sleepsOf(60, 400_000, nil, fixed, r)
		}, false},
		{"sleeps of one length, with longer work before each second one", 40, func(r *rand.Rand) []analyze.Interval {
			return alternating(60, period, period/3, r)
		}, false},
		{"a timer, with longer work before each second sleep", 40, func(r *rand.Rand) []analyze.Interval {
			var list []analyze.Interval
			for i, s := range sleepsOf(60, 0, func(i int) analyze.Nanos { return analyze.Nanos(i+1) * period }, fixed, r) {
				s.Begin += analyze.Nanos(i%2) * period / 3
				list = append(list, s)
			}
			return list
		}, true},
		{"sleeps of about one length, and no work", 40, func(r *rand.Rand) []analyze.Interval {
			return sleepsOf(60, 0, nil, func(int) analyze.Nanos { return period/2 + analyze.Nanos(r.IntN(period)) }, r)
		}, false},
		{"many sleeps of about one length, and a few long ones", 40, func(r *rand.Rand) []analyze.Interval {
			return sleepsOf(600, 0, nil, func(i int) analyze.Nanos {
				return (1+20*analyze.Nanos(i%150/149))*period/4*4/5 + analyze.Nanos(r.IntN(period/10))
			}, r)
		}, false},
		{"sleeps between long work", 40, func(r *rand.Rand) []analyze.Interval {
			return sleepsOf(60, period, nil, func(int) analyze.Nanos { return analyze.Nanos(r.ExpFloat64() * period) }, r)
		}, false},
		{"too few", 1, func(r *rand.Rand) []analyze.Interval {
			return sleepsOf(8, 0, func(i int) analyze.Nanos { return analyze.Nanos(i+1) * period }, fixed, r)
		}, false},
	} {
		right := 0
		for seed := range c.times {
			sleeps := c.sleeps(rand.New(rand.NewPCG(uint64(seed), 1)))
			if (onSchedule(sleeps) || atRandom(sleeps)) == c.want {
				right++
			}
		}
		if right < c.times*9/10 {
			t.Errorf("%s: right in %d of %d", c.name, right, c.times)
		}
	}
}
