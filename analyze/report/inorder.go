package report

import (
	"runtime"
	"sync"
)

// inOrder runs tasks on all processors and passes their results to use in order. Tasks start only shortly before their
// results are used, because results take memory until then. It stops at the first error.
func inOrder[T any](count int, do func(int) (T, error), use func(T)) error {
	type result struct {
		of  T
		err error
	}
	results := make([]chan result, count)
	for i := range results {
		results[i] = make(chan result, 1)
	}
	room := make(chan struct{}, min(runtime.GOMAXPROCS(0), 4))
	stopped := make(chan struct{})
	var all sync.WaitGroup
	defer all.Wait()
	defer close(stopped)
	all.Go(func() {
		for i := range results {
			select {
			case room <- struct{}{}:
			case <-stopped:
				return
			}
			all.Go(func() {
				of, err := do(i)
				results[i] <- result{of, err}
			})
		}
	})
	for i := range results {
		r := <-results[i]
		if r.err != nil {
			return r.err
		}
		use(r.of)
		<-room
	}
	return nil
}
