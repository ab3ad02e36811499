package replay

import (
	"runtime"
	"sync"
	"sync/atomic"

	"mtrace/analyze/replay/change"
)

// alternatives has the predicted rates (command buffers per nanosecond) of a changed program under assumptions other
// than those of the estimate. They show how uncertain the estimate is, and widen its interval. A rate is 0 if the
// replayed run deadlocks.
type alternatives struct {
	rates []float64 // one for each reading (a variant of the recorded program)
	// the rate if processors hardly sleep; set only if the change increases the number of hand-offs per second
	awake         float64
	otherCapacity bool    // true if the capacity of GPUs or queues may matter, so that `other` is set
	other         float64 // the rate with the other assumption about that capacity
	wide          float64 // the rate of the change returned by widened; set if the change removes waits for events
}

// widened returns the change with one more assumption: queues whose command buffers wait for events could run more
// command buffers at once than recorded.
func widened(c Change) Change {
	c.Overlap = true
	return c
}

// runAll runs the change under all alternative assumptions, in parallel.
func (r *Replay) runAll(all []*reading, c, usual, other Change, d *change.Density) (a alternatives) {
	a.otherCapacity = !change.HasSpareCapacity(r.program) || c.Apart
	var tasks []func() // the longest first
	if a.otherCapacity {
		tasks = append(tasks, func() { a.other = r.settle(other).rate })
	}
	if c.Events {
		tasks = append(tasks, func() { a.wide = r.settle(widened(usual)).rate })
	}
	tasks = append(tasks, func() { a.rates = runReadings(all, usual, d) })
	if d.Times > 1 {
		tasks = append(tasks, func() {
			a.awake, _ = run(r.program, usual, change.NewDensity(r.program, d.Times*d.Times))
		})
	}
	concurrently(len(tasks), func(i int) { tasks[i]() })
	return a
}

// runReadings runs the change on each reading (a variant of the program), in parallel, and returns the rates. Callers
// compare a reading's rate with its rate without the change, so runReadings also runs that if it is not known yet.
func runReadings(all []*reading, c Change, d *change.Density) (rates []float64) {
	rates = make([]float64, len(all))
	concurrently(len(all), func(i int) {
		rates[i], _ = run(all[i].program, c, d)
		all[i].unchanged()
	})
	return rates
}

// concurrently calls do(0) to do(count-1) in parallel, and returns when all calls have returned. The calls must be
// independent.
func concurrently(count int, do func(int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(count, runtime.GOMAXPROCS(0)) {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(count); i = next.Add(1) - 1 {
				do(int(i))
			}
		})
	}
	all.Wait()
}
