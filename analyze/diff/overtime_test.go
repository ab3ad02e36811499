package diff

import (
	"math"
	"path/filepath"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/report"
	"mtrace/fixtures/longtrace"
)

// TestOverTimeInParts: a trace's measures over time are the same if it is read range by range, except for GPU times
// across the border of two ranges.
func TestOverTimeInParts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long.mtrace")
	if _, err := longtrace.Write(path, longtrace.Shapes[0], 60_000, 5); err != nil {
		t.Fatal(err)
	}
	whole, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := analyze.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	trace, err := f.Load(analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	parts, count := measured(path, report.Build(trace, report.Options{})), 0
	var c overTime
	err = f.EachRange(analyze.Options{Visit: c.visit}, 7_000, func(part *analyze.Trace, _, of int) error {
		count = of
		c.add(part)
		return nil
	})
	if err != nil || count < 5 {
		t.Fatalf("%d parts: %v", count, err)
	}
	c.give(parts)
	for key, m := range whole.measures {
		other := parts.measures[key]
		if m.bins == nil || other == nil || other.bins == nil {
			t.Fatalf("%v has no course over time: %v %v", key, m, other)
		}
		if a, b := total(m.bins), total(other.bins); a.count != b.count || math.Abs(a.sum-b.sum) > 1e-3*a.sum ||
			m.bins.width != other.bins.width {
			t.Errorf("%v: %+v of the whole, %+v of the parts", key, a, b)
		}
	}
}

// total is the sum of the stretches.
func total(b *bins) (all bin) {
	for _, s := range b.sums {
		all.count += s.count
		all.sum += s.sum
	}
	return all
}
