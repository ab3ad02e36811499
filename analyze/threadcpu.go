package analyze

import (
	"cmp"
	"slices"

	"mtrace/collector/wire"
)

// A CPUSample is what a thread had used of processors at an instant. The counts only grow; their differences mean
// something.
type CPUSample struct {
	At     Nanos
	Ran    Nanos // on a processor
	Waited Nanos // could run and had no processor; NotKnown where the system does not tell
}

// NotKnown is a duration that the source does not tell, where 0 would be one.
const NotKnown Nanos = -1

// CPUTime is what a thread did with processors during a time.
type CPUTime struct {
	Covered Nanos // of the time, the part between samples; 0 when nothing is known
	Ran     Nanos // of Covered, on a processor
	Waited  Nanos // of Covered, waiting for one; NotKnown where the system does not tell
}

// Slept is the part of Covered in which the thread neither ran nor waited for a processor; NotKnown with Waited.
func (c CPUTime) Slept() Nanos {
	if c.Waited == NotKnown {
		return NotKnown
	}
	return c.Covered - c.Ran - c.Waited
}

// CPUIn is what the thread did with processors in i; between two samples it is taken to have done the same all the
// time.
func (t *Thread) CPUIn(i Interval) (c CPUTime) {
	c = cpuIn(t.CPU, i)
	// The kernel counts a time slice at its end, or at the next tick, so the sums may be ahead by one.
	if c.Ran = min(c.Ran, c.Covered); c.Waited != NotKnown {
		c.Waited = min(c.Waited, c.Covered-c.Ran)
	}
	return c
}

// CPUIn is what all threads of the process did with processors in i, traced or not; Ran may be more than Covered.
func (p *Process) CPUIn(i Interval) CPUTime { return cpuIn(p.CPUSamples, i) }

// OthersIn is what threads of programs that are not in the trace did with processors in i, all together; mtrace itself
// is one. It is what the machine did without what the trace's processes did, from when the first of these was there to
// when the last was: whoever looked, it is one count.
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

// OthersHad is the share of the time of the machine's processors that programs had in i that are not in the trace.
func (t *Trace) OthersHad(i Interval) (share float64, known bool) {
	o := t.OthersIn(i)
	if o.Covered == 0 || t.Source.Processors == 0 {
		return 0, false
	}
	return min(1, float64(o.Ran)/float64(o.Covered)/float64(t.Source.Processors)), true
}

func cpuIn(samples []CPUSample, i Interval) (c CPUTime) {
	first, _ := slices.BinarySearchFunc(samples, i.Begin, func(s CPUSample, at Nanos) int { return cmp.Compare(s.At, at) })
	for n := max(first, 1); n < len(samples) && samples[n-1].At < i.End; n++ {
		a, b := samples[n-1], samples[n]
		if b.At <= a.At || b.Ran < a.Ran || b.Waited < a.Waited { // a later thread was given the same id
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

// processorTimes gives the process's threads what is known of them.
func (p *processLoader) processorTimes() {
	for _, t := range p.file.ThreadTimes {
		switch t.Thread {
		case wire.WholeProcess:
			p.Process.CPUSamples = append(p.Process.CPUSamples, cpuSample(t))
		case wire.WholeMachine:
			p.Process.OfMachine = append(p.Process.OfMachine, cpuSample(t))
		default:
			if th := p.threads[ThreadID(t.Thread)]; th != nil {
				th.CPU = append(th.CPU, cpuSample(t))
			}
		}
	}
}

func cpuSample(t wire.ThreadTime) CPUSample {
	s := CPUSample{At: instant(uint64(t.At)), Ran: instant(uint64(t.Ran)), Waited: NotKnown}
	if t.Waited != wire.WaitNotKnown {
		s.Waited = instant(uint64(t.Waited))
	}
	return s
}
