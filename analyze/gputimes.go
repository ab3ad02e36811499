package analyze

import "mtrace/collector/wire"

// completed stores the GPU times, status and error that the tracer's completion handler read from a command buffer.
// GPU times that cannot be right are dropped, and counted for a warning.
func (l *objectLoader) completed(r *wire.Record, m *wire.More) {
	b := l.at.process.buffer(r.Object)
	if b == nil {
		return
	}
	b.Completed = Interval{l.at.process.clock.at(r.Begin), l.at.process.clock.at(r.End)}
	b.Status, b.ErrorCode = CommandBufferStatus(r.Arg&0xff), int(int32(r.Arg>>8))
	b.GPU = Interval{l.at.process.clock.sharedTime(m.X0), l.at.process.clock.sharedTime(m.X1)}
	b.Kernel = Interval{l.at.process.clock.sharedTime(m.X2), l.at.process.clock.sharedTime(m.X2) + Nanos(m.X3)}
	if b.GPU.End < b.GPU.Begin || b.GPU.Length() > longestTime {
		b.GPU = Interval{}
		l.at.loader.skew(b.Completed.End)
	}
	if b.Failed() && b.GPU.Length() == 0 { // it failed before it began: the times are no work
		b.GPU = Interval{}
	}
	l.at.process.end = max(l.at.process.end, b.Completed.End)
	if l.at.thread != nil {
		l.at.thread.handled = b
		b.HandledBy = l.at.thread.Thread
	}
}

// encoderTimes stores an encoder's begin and end on the GPU, taken from counter samples. If they are missing or
// cannot be right, it stores the reason in Unmeasured.
func (l *objectLoader) encoderTimes(r *wire.Record, m *wire.More) {
	open := l.at.process.encoder(r.Object)
	if open == nil {
		return
	}
	e := &open.one[0]
	e.GPU, e.Unmeasured = Interval{l.at.process.clock.sharedTime(m.X0), l.at.process.clock.sharedTime(m.X1)}, ""
	if outcome := wire.Sampling(min(r.Arg, 0xff)); outcome != wire.SamplingMeasured || !e.GPU.Known() ||
		e.GPU.Length() > longestTime {
		e.GPU, e.Unmeasured = Interval{}, outcome.String()
	}
}
