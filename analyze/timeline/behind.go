package timeline

// behind runs jobs (functions that write a part of the output) one after another on a goroutine of its own, while the
// caller reads the next data.
type behind struct {
	jobs  chan func()
	spare chan []pending // lists whose content was written
	ended chan struct{}
	over  bool // no more jobs will follow
}

// mostBehind limits the number of jobs that wait for the writing goroutine. While the goroutine writes one slice (time
// range) of the run, the calls of the next slice arrive in about this many batches.
const mostBehind = 128

func newBehind() *behind {
	b := &behind{jobs: make(chan func(), mostBehind), spare: make(chan []pending, mostBehind),
		ended: make(chan struct{})}
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

// end waits until all jobs are done and ends the goroutine. No job may be added afterwards. end may be called more
// than once.
func (b *behind) end() {
	if !b.over {
		b.over = true
		close(b.jobs)
	}
	<-b.ended
}

// room returns a buffer for reuse, whose content was already written; nil if there is none.
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
