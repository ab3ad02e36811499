package replay

import (
	"runtime"
	"sync"
	"sync/atomic"

	"mtrace/analyze/replay/change"
)

// alternatives are the rates of a changed program under other assumptions than the estimate's; 0 for a run that does
// not end.
type alternatives struct {
	rates     []float64 // of readings
	awake     float64   // processors hardly sleep; only if the density of hand-offs rises
	otherRoom bool      // the capacity of GPUs or queues matters
	other     float64   // with the other assumption about that capacity
	wide      float64   // of widened, if the change removes waits for events
}

// widened is a change for which queues whose command buffers wait for events have spare capacity, too.
func widened(c Change) Change {
	c.Overlap = true
	return c
}

// runAll runs a change under all assumptions, on all processors.
func (r *Replay) runAll(all []*reading, c, usual, other Change, d *change.Density) (a alternatives) {
	a.otherRoom = !change.HasRoom(r.program) || c.Apart
	var tasks []func() // the longest first
	if a.otherRoom {
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

// runReadings runs readings with a change, on all processors. It also runs their unchanged programs if these have not
// run yet.
func runReadings(all []*reading, c Change, d *change.Density) (rates []float64) {
	rates = make([]float64, len(all))
	concurrently(len(all), func(i int) {
		rates[i], _ = run(all[i].program, c, d)
		all[i].unchanged()
	})
	return rates
}

// concurrently runs independent tasks on all processors.
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
