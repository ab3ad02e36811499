package scaling

import (
	"errors"
	"fmt"

	"mtrace/analyze/policy"
)

// A Row is one line of the scaling table. It sums up the runs that had the same number of threads.
type Row struct {
	Threads    int     `json:"threads"`
	Throughput float64 `json:"ops_per_s"` // median of the runs
	Min        float64 `json:"min_ops_per_s"`
	Max        float64 `json:"max_ops_per_s"`
	Runs       int     `json:"runs"`
	Speedup    float64 `json:"speedup"`    // throughput divided by the baseline's
	Efficiency float64 `json:"efficiency"` // speed-up divided by that of perfect scaling; 1 is perfect
}

// A Table is how one series scales.
type Table struct {
	Name     string  `json:"name,omitempty"`
	Baseline int     `json:"baseline_threads"` // the number of threads that speed-ups are relative to
	One      float64 `json:"baseline_ops_per_s"`
	Rows     []Row   `json:"rows"`
	Knee     *Knee   `json:"knee"` // null when throughput grows to the end
}

// A Knee is the number of threads beyond which more threads gain little.
type Knee struct {
	Threads int `json:"threads"` // the last measured number of threads that still raised throughput clearly
	Next    int `json:"next"`    // the next measured number of threads, which gained little
	// The throughput that each additional thread added beyond the knee, relative to the throughput of one thread at the
	// baseline.
	Gain float64 `json:"gain"`
}

// Tabulate returns the table of a series. Speed-ups are relative to `baseline` if it has samples, otherwise to the runs
// with the smallest number of threads in the series. Efficiency is the speed-up divided by the ratio of the numbers of
// threads.
func Tabulate(s Series, baseline Point) (Table, error) {
	points, err := Clean(s.Points)
	if err != nil {
		return Table{}, err
	}
	if len(points) == 0 {
		return Table{}, errors.New("nothing was measured")
	}
	if len(baseline.Samples) == 0 {
		baseline = points[0]
	} else if b, err := Clean([]Point{baseline}); err != nil {
		return Table{}, fmt.Errorf("baseline: %w", err)
	} else {
		baseline = b[0]
	}
	t := Table{Name: s.Name, Baseline: baseline.Threads, One: baseline.Throughput()}
	for _, p := range points {
		r := Row{Threads: p.Threads, Throughput: p.Throughput(), Runs: len(p.Samples), Min: p.Samples[0],
			Max: p.Samples[0]}
		for _, x := range p.Samples {
			r.Min, r.Max = min(r.Min, x), max(r.Max, x)
		}
		r.Speedup = r.Throughput / baseline.Throughput()
		r.Efficiency = r.Speedup * float64(baseline.Threads) / float64(p.Threads)
		t.Rows = append(t.Rows, r)
	}
	t.Knee = knee(t.Rows, baseline)
	return t, nil
}

// knee returns the first step between two measured numbers of threads in which each additional thread adds less than
// half of one thread's throughput at the baseline; nil if there is none.
func knee(rows []Row, baseline Point) *Knee {
	one := baseline.Throughput() / float64(baseline.Threads)
	at := Row{Threads: baseline.Threads, Throughput: baseline.Throughput()}
	for _, r := range rows {
		if r.Threads <= at.Threads {
			continue
		}
		gain := (r.Throughput - at.Throughput) / float64(r.Threads-at.Threads) / one
		if gain < policy.WorthAThread {
			return &Knee{Threads: at.Threads, Next: r.Threads, Gain: gain}
		}
		at = r
	}
	return nil
}
