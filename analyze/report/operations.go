package report

import (
	"fmt"

	"mtrace/analyze/kernels"
)

// An Operation is the program's, or its framework's, name for a part of the GPU's work. The operation without a name
// sums up the unnamed work.
type Operation struct {
	Name string `json:"name"`
	// the source of the name: "debug group", "encoder label", "function", "scope", …; empty without a name
	From       string `json:"from"`
	Dispatches int    `json:"dispatches"`
	// GPU time. If the source is "not identified", it is a value between the bounds, chosen so that all operations add
	// up
	GPUNS     int64   `json:"gpu_ns"`
	GPULowNS  int64   `json:"gpu_low_ns"`
	GPUHighNS int64   `json:"gpu_high_ns"`
	MeanNS    int64   `json:"mean_ns"` // per dispatch
	Share     float64 `json:"share"`
	// how gpu_ns was determined: "measured", "fitted" or "not identified"; "estimated" in reports of older versions
	Source  string   `json:"source"`
	Kernels []string `json:"kernels"`
}

func buildOperations(r *Report, all []*kernels.Operation) {
	r.Operations = list(all, func(o *kernels.Operation) Operation {
		return Operation{Name: o.Name, From: o.From.String(), Dispatches: o.Dispatches, GPUNS: int64(o.GPU),
			GPULowNS: int64(o.Low), GPUHighNS: int64(o.High),
			MeanNS: int64(o.GPU) / int64(max(1, o.Dispatches)), Share: o.Share, Source: o.Source, Kernels: o.Kernels}
	})
}

func (o *Operation) cost() cost {
	return cost{o.GPUNS, o.GPULowNS, o.GPUHighNS, o.Share, o.Source}
}

// Identified reports whether the run identifies the operation's GPU time.
func (o *Operation) Identified() bool { return o.Source != kernels.NotIdentified }

// GPUCell formats the GPU time, or its bounds.
func (o *Operation) GPUCell() string { return o.cost().time(1) }

// ShareCell formats the share of all GPU time, or its bounds.
func (o *Operation) ShareCell() string { return o.cost().ofAll() }

// MeanCell formats the mean time of a dispatch, or its bounds.
func (o *Operation) MeanCell() string { return o.cost().time(int64(max(1, o.Dispatches))) }

// SourceCell formats how the time was determined, and its precision.
func (o *Operation) SourceCell() string { return o.cost().from() }

// KernelCell formats the operation's kernel, or the number of its kernels.
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
	head(w, "operations", "labels that the program gave its GPU work")
	t := &table{heads: []string{"operation", "named by", "kernel", "gpu", "share", "dispatches", ""}, left: 3,
		most: w.rows(mostRows)}
	for i := range r.Operations {
		o := &r.Operations[i]
		name := o.Name
		if name == "" {
			name = "(not named)"
		}
		t.add(name, o.From, o.KernelCell(), o.GPUCell(), o.ShareCell(), count(o.Dispatches), o.SourceCell())
	}
	t.write(w)
}
