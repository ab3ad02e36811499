package diff

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// because sets c.Because to the part of the thread's or run's time (such as encoding) that explains most of the change.
// Only parts that changed in the same direction as the total count. `by` is the change of the total, in nanoseconds.
func (c *Change) because(by float64, a, b []*Run) {
	pa, pb := parts(of(a, c.key())), parts(of(b, c.key()))
	if pa == nil || pb == nil {
		return
	}
	best, change := "", 0.0
	for _, name := range slices.Sorted(maps.Keys(pb)) {
		if d := pb[name] - pa[name]; (d > 0) == (by > 0) && math.Abs(d) > math.Abs(change) &&
			math.Abs(d) <= policy.ReasonMost*math.Abs(by) && math.Abs(d) >= policy.ReasonLeast*math.Abs(by) {
			best, change = name, d
		}
	}
	if best == "" {
		return
	}
	sign := "+"
	if change < 0 {
		sign = "−"
	}
	c.partChange = fmt.Sprintf("%s%v", sign, analyze.Nanos(math.Abs(change)))
	c.part = partName(best)
	c.Because = c.partChange + " " + c.part
}

// partName returns the name by which reports call a part of a thread's time. A key that names no such part is returned
// unchanged.
func partName(key string) string {
	for p := range analyze.Part(analyze.PartCount) {
		if p.Key() == key {
			return p.Name()
		}
	}
	return key
}

// parts returns the mean time of each part over several runs; nil if a run does not have the parts.
func parts(ms []*measure) map[string]float64 {
	sum := map[string]float64{}
	for _, m := range ms {
		if m.parts == nil {
			return nil
		}
		for name, ns := range m.parts {
			sum[name] += ns / float64(len(ms))
		}
	}
	return sum
}
