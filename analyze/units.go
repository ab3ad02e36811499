package analyze

import (
	"fmt"
	"math"
	"strings"
)

// String returns the duration in a suitable unit with three significant digits: "1.23 ms".
func (n Nanos) String() string {
	switch m := math.Abs(float64(n)); {
	case m < 1e3:
		return fmt.Sprintf("%d ns", int64(n))
	case m < 999.5e3:
		return figures(float64(n)/1e3) + " µs"
	case m < 999.5e6:
		return figures(float64(n)/1e6) + " ms"
	default:
		return figures(float64(n)/1e9) + " s"
	}
}

// figures formats x with three significant digits; larger numbers with all digits of their integer part.
func figures(x float64) string {
	switch m := math.Abs(x); {
	case m < 9.995:
		return fmt.Sprintf("%.2f", x)
	case m < 99.95:
		return fmt.Sprintf("%.1f", x)
	default:
		return fmt.Sprintf("%.0f", x)
	}
}

// FormatCount formats a number with thousands separators.
func FormatCount[T ~int | ~int64 | ~uint64](n T) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Plural returns a number and its noun: "1 thread", "12,000 threads".
func Plural[T ~int | ~int64](n T, noun string) string { return FormatCount(n) + " " + Noun(n, noun) }

// Noun returns the form of a noun that fits the number n: "class" or "classes", "library" or "libraries".
func Noun[T ~int | ~int64](n T, noun string) string {
	switch {
	case n == 1:
		return noun
	case strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "tch"):
		return noun + "es"
	case strings.HasSuffix(noun, "ry"):
		return strings.TrimSuffix(noun, "y") + "ies"
	}
	return noun + "s"
}

// FormatBytes returns a number of bytes in a suitable unit: "1.50 MiB".
func FormatBytes(n uint64) string {
	units := []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	x, i := float64(n)/1024, 0
	for x >= 1023.5 && i+1 < len(units) {
		x /= 1024
		i++
	}
	return figures(x) + " " + units[i]
}

// FormatShare returns a share (0 to 1) as a percentage: "12.3%". A share between 0.9945 and 0.9995 keeps a decimal,
// so that it is not rounded to 100%.
func FormatShare(x float64) string {
	switch {
	case x != 0 && math.Abs(x) < 0.0005:
		return "<0.1%"
	case x < 0.9995 && x > 0.9945:
		return fmt.Sprintf("%.1f%%", 100*x)
	case math.Abs(x) < 0.0995:
		return fmt.Sprintf("%.1f%%", 100*x)
	}
	return fmt.Sprintf("%.0f%%", 100*x)
}

// Nanos is an instant or a duration in nanoseconds. Instants are on the monotonic clock of the traced machine, which is
// also the clock of Metal's GPU times. Instants of different traces cannot be compared, only durations.
type Nanos int64

// Interval is the time from Begin (inclusive) to End (exclusive).
type Interval struct{ Begin, End Nanos }

// Length is the interval's duration; 0 if the interval is empty or was not measured.
func (i Interval) Length() Nanos { return max(0, i.End-i.Begin) }

// Known reports whether the interval was measured: Metal returns 0 for times that it does not have.
func (i Interval) Known() bool { return i.Begin > 0 && i.End >= i.Begin }

// contains reports whether an instant is in the interval.
func (i Interval) contains(at Nanos) bool { return at >= i.Begin && at < i.End }

// allTime is the window of a load without a requested range. It contains every instant.
var allTime = Interval{-1 << 62, 1 << 62}

// in returns the part of the interval that lies in `window`; false if there is none. An interval of length 0 counts
// as inside if it lies before the window's end.
func (i Interval) in(window Interval) (Interval, bool) {
	c := Interval{max(i.Begin, window.Begin), min(i.End, window.End)}
	return c, c.Begin < c.End || c.Begin == i.End && c.End == i.Begin && i.Begin < window.End
}

// A CommandBufferIndex identifies a command buffer in its trace; Trace.Buffer returns it. Trace.CommandBuffers[0] has
// index 1, because 0 is NoCommandBuffer.
type CommandBufferIndex int32

// NoCommandBuffer is the index that stands for no command buffer.
const NoCommandBuffer CommandBufferIndex = 0
