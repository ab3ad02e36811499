package summary

import (
	"mtrace/analyze/xctrace"
)

// byText adds up the durations of rows within the window (the summarised time range), by text, and also by process if
// the summary is about several. `read` returns a row's process, start, duration and text. The largest sum comes first.
func byText[R any](s *scope, rows []R, read func(*R) (xctrace.ProcessIndex, Nanos, Nanos, xctrace.TextIndex)) []Label {
	type key struct {
		text    xctrace.TextIndex
		process string
	}
	times := map[key][]Nanos{}
	var all Nanos
	for i := range rows {
		process, start, duration, text := read(&rows[i])
		if begin, end, ok := s.clip(start, duration); ok && s.own(process) {
			k := key{text, s.several(process)}
			times[k] = append(times[k], end-begin)
			all += end - begin
		}
	}
	list := make([]Label, 0, len(times))
	for k, t := range times {
		label := newLabel(s.Text(k.text), "", t, all)
		label.Process = k.process
		list = append(list, label)
	}
	sortLabels(list)
	return list
}

// encoderLabelsOf returns, by label, the CPU time from the encoders' creation to their end. It is not GPU time.
func encoderLabelsOf(s *scope) []Label {
	return byText(s, s.Commands.Encoders, func(e *xctrace.EncoderInterval) (xctrace.ProcessIndex, Nanos, Nanos,
		xctrace.TextIndex) {
		return e.Process, e.Start, e.Duration, e.Label
	})
}

// shadersOf returns, by shader, the time of the Shader Timeline's intervals. The intervals do not cover all GPU work,
// so the times are too low. They are not scaled up.
func shadersOf(s *scope) []Label {
	return byText(s, s.GPU.Shaders, func(x *xctrace.ShaderInterval) (xctrace.ProcessIndex, Nanos, Nanos,
		xctrace.TextIndex) {
		return x.Process, x.Start, x.Duration, x.Name
	})
}

// driverOf returns the time spent in the driver, by kind of processing.
func driverOf(s *scope) []Label {
	return byText(s, s.Commands.Driver, func(d *xctrace.DriverInterval) (xctrace.ProcessIndex, Nanos, Nanos,
		xctrace.TextIndex) {
		return d.Process, d.Start, d.Duration, d.Type
	})
}

// handlersOf returns the time of handlers and debug groups, by type.
func handlersOf(s *scope) []Label {
	return byText(s, s.Commands.Events, func(e *xctrace.ApplicationEvent) (xctrace.ProcessIndex, Nanos, Nanos,
		xctrace.TextIndex) {
		return e.Process, e.Start, e.Duration, e.Type
	})
}

// compilerOf returns statistics of the durations of compilations; nil if there are none.
func compilerOf(s *scope) *Timing {
	var times []Nanos
	for i := range s.Commands.Compilations {
		if c := &s.Commands.Compilations[i]; s.own(c.Process) && s.inside(c.Start) {
			times = append(times, c.Duration)
		}
	}
	return timingPointer(times)
}
