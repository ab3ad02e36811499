package bench

import (
	"math"
	"strconv"
	"strings"
)

// unknown stands for a missing figure.
const unknown = "–"

// duration formats nanoseconds as ns, µs, ms or s, with three significant digits.
func duration(ns float64) string {
	switch {
	case math.IsNaN(ns):
		return unknown
	case math.Abs(ns) < 1e3:
		return significant(ns) + " ns"
	case math.Abs(ns) < 1e6:
		return significant(ns/1e3) + " µs"
	case math.Abs(ns) < 1e9:
		return significant(ns/1e6) + " ms"
	}
	return significant(ns/1e9) + " s"
}

// milliseconds formats nanoseconds as a number of milliseconds without the unit, which is in the column's title.
func milliseconds(ns float64) string {
	if math.IsNaN(ns) {
		return unknown
	}
	return significant(ns / 1e6)
}

// significant formats a number with three significant digits; digits before the decimal point are never rounded away.
func significant(v float64) string {
	if math.IsNaN(v) {
		return unknown
	}
	decimals := 0
	if v != 0 {
		decimals = min(max(0, 2-int(math.Floor(math.Log10(math.Abs(v))+1e-12))), 6)
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// formatCount formats a whole number with separators: 12,000,000.
func formatCount(v float64) string {
	if math.IsNaN(v) {
		return unknown
	}
	digits := strconv.FormatFloat(math.Abs(v), 'f', 0, 64)
	var b strings.Builder
	if v < 0 {
		b.WriteString("-")
	}
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteString(",")
		}
		b.WriteRune(d)
	}
	return b.String()
}

// bytesText shows a size in binary units.
func bytesText(v float64) string {
	switch {
	case math.IsNaN(v):
		return unknown
	case v < 1<<10:
		return significant(v) + " B"
	case v < 1<<20:
		return significant(v/(1<<10)) + " KiB"
	case v < 1<<30:
		return significant(v/(1<<20)) + " MiB"
	}
	return significant(v/(1<<30)) + " GiB"
}

func times(v float64) string {
	if math.IsNaN(v) {
		return unknown
	}
	if math.Abs(v) >= 100 {
		return formatCount(v) + "x"
	}
	return strconv.FormatFloat(v, 'f', 2, 64) + "x"
}

func percent(v float64) string {
	if math.IsNaN(v) {
		return unknown
	}
	return strconv.FormatFloat(100*v, 'f', 1, 64) + "%"
}

// interval shows two bounds in one format.
func interval(low, high float64, format func(float64) string) string {
	if math.IsNaN(low) || math.IsNaN(high) {
		return unknown
	}
	return format(low) + "…" + format(high)
}

// perSecond returns amount/ns: bytes give GB/s, and floating-point operations give GFLOP/s. Unknown or zero values
// give a dash.
func perSecond(amount, ns float64) string {
	if amount == 0 || math.IsNaN(ns) || ns <= 0 {
		return unknown
	}
	return significant(amount / ns)
}
