package analyze

import "mtrace/collector/tracefile"

// asked returns the requested time range.
func (f *File) asked(opts Options) Interval { return f.windowOf(opts).window }

// windowOf returns a loader in which only the requested time range and the clocks are set.
func (f *File) windowOf(opts Options) *loader {
	l := &loader{trace: &Trace{}}
	for i, file := range f.reader.Processes() {
		l.processes = append(l.processes, newProcessLoader(file, i))
	}
	l.setWindow(f.reader.Streams(), opts)
	return l
}

// setWindow sets Run and converts the requested range into instants. The range counts from the first call of any
// process.
func (l *loader) setWindow(streams []tracefile.Stream, opts Options) {
	first, last := Nanos(1<<63-1), Nanos(0)
	for _, st := range streams {
		if int(st.Process) < len(l.processes) && st.Records > 0 {
			p := l.processes[st.Process]
			first = min(first, p.clock.at(st.First))
			last = max(last, p.clock.at(st.Last))
			p.end = max(p.end, p.clock.at(st.Last))
		}
	}
	for _, p := range l.processes {
		p.ended()
		last = max(last, p.Ended)
	}
	l.trace.Run.Origin, l.trace.Run.Length = first, max(0, last-first)
	l.window = allTime
	if opts.From > 0 {
		l.window.Begin = first + opts.From
	}
	if opts.To > 0 {
		l.window.End = first + opts.To
	}
	if l.slice != nil {
		l.window = l.slice.cutWindow(l, l.window)
	}
}
