package analyze

// EachPart loads the time that was asked for in parts of about the given number of records, with Options.Adds, and
// passes each part to use, with its number and how many parts there are. While use works on one part, another goroutine
// already loads the next one; Options.Visit is called on that goroutine.
func (f *File) EachPart(asked Options, records int64, use func(part *Trace, number, of int) error) error {
	parts := f.Parts(asked, records)
	type loaded struct {
		trace *Trace
		err   error
	}
	load := func(i int) chan loaded {
		done := make(chan loaded, 1)
		part := parts[i]
		part.Adds = true
		go func() {
			t, err := f.Load(part)
			done <- loaded{t, err}
		}()
		return done
	}
	next := load(0)
	for i := range parts {
		part := <-next
		if part.err != nil {
			return part.err
		}
		if i+1 < len(parts) {
			next = load(i + 1)
		}
		if err := use(part.trace, i, len(parts)); err != nil {
			if i+1 < len(parts) {
				<-next // it must not read a file that is closed
			}
			return err
		}
	}
	return nil
}
