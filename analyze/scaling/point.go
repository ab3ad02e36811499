// Package scaling analyzes how throughput grows with threads: the table of speedup and efficiency, the fitted laws of
// Amdahl and Gunther with their uncertainty, and the knee beyond which more threads gain little. It works on plain
// numbers, so it treats runs of `mtrace sweep` and `mtrace bench` and figures from elsewhere alike.
package scaling

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"mtrace/analyze/statistics"
)

// A Point is the throughput of one or several runs that had the same number of threads.
type Point struct {
	Threads int
	Samples []float64 // operations per second, one for each run
}

// Throughput returns the median throughput of the point's runs, in operations per second.
func (p Point) Throughput() float64 { return statistics.Median(p.Samples) }

// A Series is a set of measurements of one program, with several numbers of threads.
type Series struct {
	Name   string // empty when there is only one
	Points []Point
}

// Clean returns the points sorted by threads. Points with the same number of threads are merged. It returns an error
// if a point has no threads, or a throughput that is not a positive number.
func Clean(points []Point) ([]Point, error) {
	var clean []Point
	for _, p := range points {
		if p.Threads < 1 {
			return nil, fmt.Errorf("%d threads: the number of threads must be at least 1", p.Threads)
		}
		if len(p.Samples) == 0 {
			return nil, fmt.Errorf("%d threads: no throughput was measured", p.Threads)
		}
		for _, x := range p.Samples {
			if !(x > 0) || math.IsInf(x, 0) {
				return nil, fmt.Errorf("%d threads: the throughput is %v operations/s, but it must be a positive number",
					p.Threads, x)
			}
		}
		if i := slices.IndexFunc(clean, func(q Point) bool { return q.Threads == p.Threads }); i >= 0 {
			clean[i].Samples = append(clean[i].Samples, p.Samples...)
			continue
		}
		clean = append(clean, Point{p.Threads, slices.Clone(p.Samples)})
	}
	slices.SortFunc(clean, func(a, b Point) int { return cmp.Compare(a.Threads, b.Threads) })
	return clean, nil
}
