package timeline

// behind does what it is given on a goroutine of its own, one after another, while what is next is read.
type behind struct {
	jobs  chan func()
	spare chan []pending // that are written
	ended chan struct{}
	over  bool // nothing more is given
}

// mostBehind bounds what waits to be written: about as many batches of calls as are read while the rest of a slice of
// the run is written.
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

// do has something done after all that was given before.
func (b *behind) do(job func()) { b.jobs <- job }

// end waits until all is done. Nothing may be given after it; it may be called again.
func (b *behind) end() {
	if !b.over {
		b.over = true
		close(b.jobs)
	}
	<-b.ended
}

// room is where the next can be put: where there was something that is written, or nil.
func (b *behind) room() []pending {
	select {
	case list := <-b.spare:
		return list
	default:
		return nil
	}
}

// written releases a list for room.
func (b *behind) written(list []pending) {
	select {
	case b.spare <- list[:0]:
	default:
	}
}
