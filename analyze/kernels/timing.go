package kernels

import (
	"cmp"
	"slices"

	"mtrace/analyze"
)

// How the times of kernels and encoders were determined. The values are part of the JSON output.
const (
	// by the GPU's clock, at the boundaries of an encoder or command buffer that ran nothing else
	Measured      = "measured"
	Fitted        = "fitted"         // a kernel's share of a measured time, in proportion to the kernels' fitted costs
	NotIdentified = "not identified" // a share of a measured time that is known only to lie between two bounds
	Estimated     = "estimated"      // of encoders: a part of their command buffer's time
)

// A Timing tells how the times of a trace's encoders were determined.
type Timing struct {
	Source              string // Measured only if all are measured
	Measured, Estimated int    // number of encoders in command buffers that ran
	Because             []Reason
}

// A Reason tells why encoders were not measured although that was requested, and for how many.
type Reason struct {
	Why   string
	Count int
}

// TimingOf counts, among the encoders of command buffers that ran, those that were measured and those that were not.
func TimingOf(t *analyze.Trace) Timing {
	timing := Timing{Source: Estimated}
	why := map[string]int{}
	for b := range t.Buffers() {
		for i := range b.Encoders {
			switch e := &b.Encoders[i]; {
			case !b.GPU.Known() || !t.Began(b.GPU.Begin):
			case e.GPU.Known():
				timing.Measured++
			default:
				timing.Estimated++
				if e.Unmeasured != "" {
					why[e.Unmeasured]++
				}
			}
		}
	}
	for text, n := range why {
		timing.Because = append(timing.Because, Reason{text, n})
	}
	timing.finish()
	return timing
}

// add adds the counts of another range of the trace.
func (timing *Timing) add(part Timing) {
	timing.Measured, timing.Estimated = timing.Measured+part.Measured, timing.Estimated+part.Estimated
	for _, because := range part.Because {
		if i := slices.IndexFunc(timing.Because, func(r Reason) bool { return r.Why == because.Why }); i >= 0 {
			timing.Because[i].Count += because.Count
		} else {
			timing.Because = append(timing.Because, because)
		}
	}
	timing.finish()
}

// finish sets Source from the counts, and sorts the reasons, the most frequent first.
func (timing *Timing) finish() {
	timing.Source = Estimated
	if timing.Measured > 0 && timing.Estimated == 0 {
		timing.Source = Measured
	}
	slices.SortFunc(timing.Because, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count),
			cmp.Compare(a.Why, b.Why))
	})
}
