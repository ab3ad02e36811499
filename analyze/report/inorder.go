package report

import (
	"runtime"
	"sync"
)

// concurrentInOrder runs do(0) to do(count-1) on several goroutines and passes the results to use in this order. It
// starts a task only shortly before its result is needed, because results take much memory. At the first error of do or
// use it stops and returns the error.
func concurrentInOrder[T any](count int, do func(int) (T, error), use func(T) error) error {
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
		if err := use(r.of); err != nil {
			return err
		}
		<-room
	}
	return nil
}
