package analyze

// EachRange loads the requested time in ranges of about the given number of records, with Options.Adds, so that
// totals of the ranges can be summed. It calls `use` with each range, its number and the number of ranges. Meanwhile
// another goroutine loads the next range; Options.Visit is called on that goroutine.
func (f *File) EachRange(asked Options, records int64, use func(part *Trace, number, of int) error) error {
	ranges := f.Ranges(asked, records)
	type loaded struct {
		trace *Trace
		err   error
	}
	load := func(i int) chan loaded {
		done := make(chan loaded, 1)
		part := ranges[i]
		part.Adds = true
		go func() {
			t, err := f.Load(part)
			done <- loaded{t, err}
		}()
		return done
	}
	next := load(0)
	for i := range ranges {
		part := <-next
		if part.err != nil {
			return part.err
		}
		if i+1 < len(ranges) {
			next = load(i + 1)
		}
		if err := use(part.trace, i, len(ranges)); err != nil {
			if i+1 < len(ranges) {
				<-next // it must not read a file that is closed
			}
			return err
		}
	}
	return nil
}
