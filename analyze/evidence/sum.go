package evidence

import (
	"errors"
	"sync/atomic"

	"mtrace/analyze"
)

// Added is what adds up over all parts of a run, or why it does not.
type Added struct {
	Evidence *Evidence
	Err      error
}

// errStopped ends what is of no use any more.
var errStopped = errors.New("stopped")

// AddUp adds up the parts of a run on another goroutine, until it is stopped: for outputs that write a run slice by slice, because slices have each event
// as it was, and so do not add up. The sum must be taken before the file is closed.
func AddUp(f *analyze.File, asked analyze.Options, records int64) (sum <-chan Added, stop func()) {
	done, stopped := make(chan Added, 1), &atomic.Bool{}
	go func() {
		all := &analyze.Total{}
		total := NewTotal(all)
		err := f.EachPart(asked, records, func(part *analyze.Trace, _, _ int) error {
			if stopped.Load() {
				return errStopped
			}
			all.Add(part)
			total.Add(Measure(part))
			return nil
		})
		if err != nil {
			done <- Added{Err: err}
			return
		}
		all.Finish()
		done <- Added{Evidence: total.Finish()}
	}()
	return done, func() { stopped.Store(true) }
}
