package report

import (
	"fmt"

	"mtrace/analyze/kernels"
)

// An Operation is a name that the program or its framework gave to some of the GPU work, with that work's costs. The
// operation with an empty name sums up the work without a name.
type Operation struct {
	Name string `json:"name"`
	// where the name comes from: "debug group", "encoder label", "function", "scope", …; empty without a name
	From       string `json:"from"`
	Dispatches int    `json:"dispatches"`
	// GPU time of all dispatches. If source is "not identified", it is only a value between gpu_low_ns and
	// gpu_high_ns, chosen so that all operations add up
	GPUNS     int64   `json:"gpu_ns"`
	GPULowNS  int64   `json:"gpu_low_ns"`
	GPUHighNS int64   `json:"gpu_high_ns"`
	MeanNS    int64   `json:"mean_ns"` // per dispatch; 0 without dispatches
	Share     float64 `json:"share"`
	// how gpu_ns was determined: "measured", "fitted" or "not identified"; reports of older versions have "estimated"
	Source  string   `json:"source"`
	Kernels []string `json:"kernels"`
}

func buildOperations(r *Report, all []*kernels.Operation) {
	r.Operations = list(all, func(o *kernels.Operation) Operation {
		return Operation{Name: o.Name, From: o.From.String(), Dispatches: o.Dispatches, GPUNS: int64(o.GPU),
			GPULowNS: int64(o.Low), GPUHighNS: int64(o.High),
			MeanNS: mean(o.GPU, o.Dispatches), Share: o.Share, Source: o.Source, Kernels: o.Kernels}
	})
}

func (o *Operation) cost() cost {
	return cost{o.GPUNS, o.GPULowNS, o.GPUHighNS, o.Share, o.Source}
}

// Identified reports whether the trace determines the operation's GPU time. If not, only the bounds may be shown.
func (o *Operation) Identified() bool { return o.Source != kernels.NotIdentified }

// GPUCell returns the operation's GPU time for a table; its bounds if the time is not identified.
func (o *Operation) GPUCell() string { return o.cost().time(1) }

// ShareCell returns the operation's share of all GPU time for a table; bounds if the time is not identified.
func (o *Operation) ShareCell() string { return o.cost().ofAll() }

// MeanCell returns the operation's mean GPU time per dispatch for a table; bounds if the time is not identified, "-"
// without dispatches.
func (o *Operation) MeanCell() string { return o.cost().per(o.Dispatches) }

// SourceCell returns how the operation's GPU time was determined, with the precision of a fit: "fitted ±3.1%".
func (o *Operation) SourceCell() string { return o.cost().from() }

// KernelCell returns the name of the operation's only kernel, or how many kernels it has.
func (o *Operation) KernelCell() string {
	if len(o.Kernels) == 1 {
		return cut(o.Kernels[0], widestOperation)
	}
	return fmt.Sprintf("%d kernels", len(o.Kernels))
}

func writeOperations(w *sheet, r *Report) {
	if len(r.Operations) == 0 {
		return
	}
	writeHeading(w, "operations", "labels that the program gave its GPU work")
	t := &table{heads: []string{"operation", "named by", "kernel", "gpu", "share", "dispatches", ""}, left: 3,
		most: w.rows(mostRows)}
	for i := range r.Operations {
		o := &r.Operations[i]
		name := o.Name
		if name == "" {
			name = "(not named)"
		}
		t.add(name, o.From, o.KernelCell(), o.GPUCell(), o.ShareCell(), formatCount(o.Dispatches), o.SourceCell())
	}
	t.write(w)
}
