package report

import (
	"fmt"

	"mtrace/analyze"
)

func ns(n int64) string { return analyze.Nanos(n).String() }

// nanoseconds formats a mean duration, with one decimal if it is below 100 ns.
func nanoseconds(n float64) string {
	if n < 100 {
		return fmt.Sprintf("%.1f ns", n)
	}
	return analyze.Nanos(n).String()
}

// orNone formats a count; 0 is "none".
func orNone(n int) string {
	if n == 0 {
		return "none"
	}
	return formatCount(n)
}

// formatCount writes a number with separators: 12,345.
func formatCount[T ~int | ~int64 | ~uint64](n T) string {
	return analyze.FormatCount(n)
}

// percentCell formats part/whole in percent without the sign, as in "12.3"; "·" for 0.
func percentCell(part, whole int64) string {
	if part == 0 || whole == 0 {
		return "·"
	}
	p := 100 * float64(part) / float64(whole)
	switch {
	case p < 0.05:
		return "<.1"
	case p < 99.95:
		return fmt.Sprintf("%.1f", p)
	}
	return "100"
}
