package claims

import (
	"math"
	"strconv"
	"strings"

	"mtrace/analyze"
)

// A dimension is the physical dimension of a number, as powers of time and of bytes: a rate of bytes has time −1 and
// bytes 1. The zero dimension is a plain number.
type dimension struct{ time, bytes int8 }

func (d dimension) plus(o dimension) dimension  { return dimension{d.time + o.time, d.bytes + o.bytes} }
func (d dimension) minus(o dimension) dimension { return dimension{d.time - o.time, d.bytes - o.bytes} }

func (d dimension) String() string {
	switch d {
	case dimension{}:
		return "a plain number"
	case dimension{time: 1}:
		return "a time"
	case dimension{bytes: 1}:
		return "a size"
	case dimension{time: -1, bytes: 1}:
		return "a rate of bytes"
	case dimension{time: -1}:
		return "a rate"
	}
	return "a product of times and sizes"
}

// A unit is what may follow a number in a claim (a condition to check), such as us or MB. factor converts to
// nanoseconds or bytes.
type unit struct {
	factor float64
	dim    dimension
}

var units = map[string]unit{
	"ns": {1, dimension{time: 1}}, "us": {1e3, dimension{time: 1}}, "µs": {1e3, dimension{time: 1}},
	"ms": {1e6, dimension{time: 1}},
	"s":  {1e9, dimension{time: 1}}, "min": {60e9, dimension{time: 1}},
	"B": {1, dimension{bytes: 1}}, "kB": {1e3, dimension{bytes: 1}}, "KB": {1e3, dimension{bytes: 1}},
	"MB": {1e6, dimension{bytes: 1}},
	"GB": {1e9, dimension{bytes: 1}}, "TB": {1e12, dimension{bytes: 1}},
	"KiB": {1 << 10, dimension{bytes: 1}},
	"MiB": {1 << 20, dimension{bytes: 1}},
	"GiB": {1 << 30, dimension{bytes: 1}},
	"TiB": {1 << 40, dimension{bytes: 1}},
	"%":   {0.01, dimension{}}, "x": {1, dimension{}},
}

// dimensionOf returns the dimension of the numbers under a key of a document. Suffixes of keys, which
// docs/terms.md defines, show it.
func dimensionOf(key string) dimension {
	switch {
	case strings.HasSuffix(key, "_ns"):
		return dimension{time: 1}
	case strings.HasSuffix(key, "_bytes"), key == "bytes":
		return dimension{bytes: 1}
	case strings.HasSuffix(key, "_per_s"):
		return dimension{time: -1}
	}
	return dimension{}
}

// scaleOf returns the factor by which numbers under a key are multiplied so that times are in nanoseconds: rates per
// second become rates per nanosecond.
func scaleOf(key string) float64 {
	if strings.HasSuffix(key, "_per_s") {
		return 1e-9
	}
	return 1
}

// show writes a number for people.
func show(v float64, d dimension) string {
	switch {
	case math.IsNaN(v):
		return "not a number"
	case math.IsInf(v, 0):
		return "infinite"
	case d == dimension{time: 1} && math.Abs(v) < 1<<62:
		if v == math.Trunc(v) || math.Abs(v) >= 1000 {
			return analyze.Nanos(math.Round(v)).String()
		}
		return plain(v) + " ns"
	case d == dimension{bytes: 1} && v >= 0 && v < 1<<62:
		return analyze.FormatBytes(uint64(v))
	case d == dimension{time: -1}:
		return plain(v*1e9) + "/s"
	case d == dimension{time: -1, bytes: 1}:
		return plain(v) + " GB/s"
	}
	return plain(v)
}

func plain(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}
