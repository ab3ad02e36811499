// Package policy holds every threshold by which the analysis judges a trace, each with its unit, its reason and what
// was measured for it. Nothing else decides a verdict. One value stands for one idea, wherever that is asked for: most
// of something is the same share everywhere.
//
// A threshold that was found does not matter much: moved by three tenths, it changes next to no verdict.
// TestSensitivity moves each and counts; docs/analysis.md says how many. Only that test changes them.
package policy

import "mtrace/analyze"

// A Threshold is one value that verdicts depend on.
type Threshold struct {
	Name     string
	Unit     string // share (of something: 0…1), count, ns, or ratio
	Value    float64
	Why      string // what it tells apart, and why that matters
	Measured string // what the value rests on
}

var all []*Threshold

// All are all thresholds, in the order in which they are written down.
func All() []*Threshold { return all }

var share, count, nanos, ratio = in("share"), in("count"), in("ns"), in("ratio")

// in adds thresholds of a unit.
func in(unit string) func(name string, value float64, why, measured string) *Threshold {
	return func(name string, value float64, why, measured string) *Threshold {
		t := &Threshold{name, unit, value, why, measured}
		all = append(all, t)
		return t
	}
}

// Count is the threshold as a number of things.
func (t *Threshold) Count() int { return int(t.Value + 0.5) }

// Nanos is the threshold as a time.
func (t *Threshold) Nanos() analyze.Nanos { return analyze.Nanos(t.Value) }

// A number is what shares are of.
type number interface{ ~int | ~int64 | ~float64 }

// AtLeast says whether a part is at least that share of the whole; of nothing everything is.
func AtLeast[N number](t *Threshold, part, whole N) bool {
	return float64(part) >= t.Value*float64(whole)
}

// MoreThan says whether a part is more than that share of the whole.
func MoreThan[N number](t *Threshold, part, whole N) bool {
	return float64(part) > t.Value*float64(whole)
}

// NearlyAll says whether a part is the whole but for LeftOver; of nothing everything is.
func NearlyAll[N number](part, whole N) bool {
	return float64(part) >= (1-LeftOver.Value)*float64(whole)
}

// Saturated says whether a GPU that is busy for a share of the time rests no more than it must.
func Saturated(busy float64) bool { return busy >= 1-SaturatedIdleShare.Value }
