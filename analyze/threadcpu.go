package analyze

import (
	"cmp"
	"slices"

	"mtrace/collector/wire"
)

// CPUTime is the processor use within an interval, of a thread, a process or the machine.
type CPUTime struct {
	Covered Nanos // the part of the interval that lies between samples; 0 if there are no samples
	Ran     Nanos // the part of Covered in which it ran on a processor
	Waited  Nanos // the part of Covered in which it waited for a processor; NotKnown where the system does not tell
}

// Slept is the part of Covered in which the thread neither ran nor waited for a processor; NotKnown if Waited is not
// known.
func (c CPUTime) Slept() Nanos {
	if c.Waited == NotKnown {
		return NotKnown
	}
	return c.Covered - c.Ran - c.Waited
}

// CPUIn returns the thread's processor use within `i`. Between two samples it assumes that the use is constant.
func (t *Thread) CPUIn(i Interval) (c CPUTime) {
	c = cpuIn(t.CPU, i)
	// the kernel updates its counters only when a time slice or a tick ends, so two samples can differ by more than the
	// time between them
	if c.Ran = min(c.Ran, c.Covered); c.Waited != NotKnown {
		c.Waited = min(c.Waited, c.Covered-c.Ran)
	}
	return c
}

// CPUIn returns the processor use of all threads of the process within `i`, including threads that are not in the
// trace. Ran may exceed Covered, because several threads run at once.
func (p *Process) CPUIn(i Interval) CPUTime { return cpuIn(p.CPUSamples, i) }

// OthersIn returns the processor use within i of all programs that are not in the trace, mtrace itself included: the
// machine's use minus the use of the trace's processes. It is known only while a traced process ran, because the
// tracer in each process samples the machine.
func (t *Trace) OthersIn(i Interval) (c CPUTime) {
	var machine []CPUSample
	for _, p := range t.Processes {
		machine = append(machine, p.OfMachine...)
	}
	slices.SortStableFunc(machine, func(a, b CPUSample) int { return cmp.Compare(a.At, b.At) })
	c = cpuIn(machine, i)
	for _, p := range t.Processes {
		own := p.CPUIn(i)
		if c.Ran = max(0, c.Ran-own.Ran); own.Waited == NotKnown || c.Waited == NotKnown {
			c.Waited = NotKnown
		} else {
			c.Waited = max(0, c.Waited-own.Waited)
		}
	}
	return c
}

// OthersHad returns the share (0 to 1) of the machine's processor time within i that programs outside of the trace
// used.
func (t *Trace) OthersHad(i Interval) (share float64, known bool) {
	o := t.OthersIn(i)
	if o.Covered == 0 || t.Source.Processors == 0 {
		return 0, false
	}
	return min(1, float64(o.Ran)/float64(o.Covered)/float64(t.Source.Processors)), true
}

func cpuIn(samples []CPUSample, i Interval) (c CPUTime) {
	first, _ := slices.BinarySearchFunc(samples, i.Begin, func(s CPUSample,
		at Nanos) int {
		return cmp.Compare(s.At, at)
	})
	for n := max(first, 1); n < len(samples) && samples[n-1].At < i.End; n++ {
		a, b := samples[n-1], samples[n]
		if b.At <= a.At || b.Ran < a.Ran || b.Waited < a.Waited { // the system reused the ID for a later thread
			continue
		}
		inside := Interval{max(a.At, i.Begin), min(b.At, i.End)}.Length()
		part := float64(inside) / float64(b.At-a.At)
		c.Covered += inside
		c.Ran += Nanos(part * float64(b.Ran-a.Ran))
		if a.Waited == NotKnown || b.Waited == NotKnown {
			c.Waited = NotKnown
		} else if c.Waited != NotKnown {
			c.Waited += Nanos(part * float64(b.Waited-a.Waited))
		}
	}
	return c
}

func cpuSample(t wire.ThreadTime) CPUSample {
	s := CPUSample{At: instant(uint64(t.At)), Ran: instant(uint64(t.Ran)), Waited: NotKnown}
	if t.Waited != wire.WaitNotKnown {
		s.Waited = instant(uint64(t.Waited))
	}
	return s
}
