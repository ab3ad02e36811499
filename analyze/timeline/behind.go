package timeline

// behind runs jobs on its own goroutine, one after another, while the next data is read.
type behind struct {
	jobs  chan func()
	spare chan []pending // lists whose content was written
	ended chan struct{}
	over  bool // no more jobs will follow
}

// mostBehind limits the number of waiting jobs. It is about the number of batches of calls that are read while the rest
// of a slice is written.
const mostBehind = 128

func newBehind() *behind {
	b := &behind{jobs: make(chan func(), mostBehind), spare: make(chan []pending, mostBehind), ended: make(chan struct{})}
	go func() {
		defer close(b.ended)
		for job := range b.jobs {
			job()
		}
	}()
	return b
}

// do queues a job.
func (b *behind) do(job func()) { b.jobs <- job }

// end waits until all jobs are done. No job may be queued after it; it may be called again.
func (b *behind) end() {
	if !b.over {
		b.over = true
		close(b.jobs)
	}
	<-b.ended
}

// room returns a buffer whose content was written, for reuse, or nil.
func (b *behind) room() []pending {
	select {
	case list := <-b.spare:
		return list
	default:
		return nil
	}
}

// written makes a list available for reuse.
func (b *behind) written(list []pending) {
	select {
	case b.spare <- list[:0]:
	default:
	}
}
