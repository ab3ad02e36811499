// Package policy holds every threshold of the analysis, each with its unit, its reason and the measurement it is based
// on. Verdicts depend on no other constants. One value stands for one idea wherever it is used: "most of" is the same
// share everywhere.
//
// A good threshold is insensitive: moved by three tenths, it changes next to no verdict. TestSensitivity moves each one
// and counts; docs/analysis.md has the results. Only that test changes thresholds.
package policy

import "mtrace/analyze"

// A Threshold is one value that verdicts depend on.
type Threshold struct {
	Name     string
	Unit     string // share (of something: 0…1), count, ns, or ratio
	Value    float64
	Why      string // what it distinguishes, and why that matters
	Measured string // the measurement that the value is based on
}

var all []*Threshold

// All returns all thresholds in the order of their declaration. TestSensitivity changes each of them in turn.
func All() []*Threshold { return all }

var share, count, nanos, ratio = declareIn("share"), declareIn("count"), declareIn("ns"), declareIn("ratio")

// declareIn returns a function that declares a threshold with the given unit and adds it to all.
func declareIn(unit string) func(name string, value float64, why, measured string) *Threshold {
	return func(name string, value float64, why, measured string) *Threshold {
		t := &Threshold{name, unit, value, why, measured}
		all = append(all, t)
		return t
	}
}

// Count returns the value of a threshold with the unit count, rounded to a whole number.
func (t *Threshold) Count() int { return int(t.Value + 0.5) }

// Nanos returns the threshold's value as a time.
func (t *Threshold) Nanos() analyze.Nanos { return analyze.Nanos(t.Value) }

// A number is a type of values that can be compared with a share (a Threshold) of another value.
type number interface{ ~int | ~int64 | ~float64 }

// AtLeast reports whether `part` is at least the share t of `whole`; true if both are 0.
func AtLeast[N number](t *Threshold, part, whole N) bool {
	return float64(part) >= t.Value*float64(whole)
}

// MoreThan reports whether `part` is more than the share t of `whole`.
func MoreThan[N number](t *Threshold, part, whole N) bool {
	return float64(part) > t.Value*float64(whole)
}

// NearlyAll reports whether `part` is `whole`, except for at most the share ExceptionShare; true if both are 0.
func NearlyAll[N number](part, whole N) bool {
	return float64(part) >= (1-ExceptionShare.Value)*float64(whole)
}

// Saturated reports whether a GPU with this busy share (0 to 1) is idle only for the unavoidable gaps between command
// buffers.
func Saturated(busy float64) bool { return busy >= 1-SaturatedIdleShare.Value }
