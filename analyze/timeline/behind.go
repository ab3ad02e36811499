package timeline

// behind writes while what is next is read or found, in the order in which it is given.
type behind struct {
	last  chan struct{} // closed when all that was given is written; nil when nothing was
	spare chan []slice  // that are written
}

func newBehind() *behind { return &behind{spare: make(chan []slice, 1)} }

// write has slices written, after those before it, and returns what to put the next into.
func (b *behind) write(out format, list []slice, nested bool) []slice {
	b.do(func() {
		writeSlices(out, list, nested)
		select {
		case b.spare <- list[:0]:
		default:
		}
	})
	select {
	case next := <-b.spare:
		return next
	default:
		return nil
	}
}

// do writes something, after what was given before it is written: no more than one is kept.
func (b *behind) do(write func()) {
	b.wait()
	written := make(chan struct{})
	b.last = written
	go func() {
		defer close(written)
		write()
	}()
}

// wait waits until all is written. Only then may anything else be.
func (b *behind) wait() {
	if b.last != nil {
		<-b.last
	}
}
