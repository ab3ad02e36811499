package diff

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"mtrace/analyze"
)

// because says which part of the time of a thread, or of the run, changed most in the direction of the whole.
func because(key Key, slower bool, a, b []*Run) string {
	pa, pb := parts(of(a, key)), parts(of(b, key))
	if pa == nil || pb == nil {
		return ""
	}
	best, most := "", 0.0
	for _, name := range slices.Sorted(maps.Keys(pb)) {
		if d := pb[name] - pa[name]; (d > 0) == slower && math.Abs(d) > math.Abs(most) {
			best, most = name, d
		}
	}
	if best == "" {
		return ""
	}
	sign := "+"
	if most < 0 {
		sign = "−"
	}
	return fmt.Sprintf("%s%v %s", sign, analyze.Nanos(math.Abs(most)), strings.TrimSuffix(best, "_ns"))
}

// parts are the mean parts of the runs; nil when a run does not say.
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
