package report

import (
	"fmt"

	"mtrace/analyze"
	"mtrace/analyze/kernels"
)

// An Operation is what the program, or its framework, calls a part of the GPU's work. One without a name is what nothing names.
type Operation struct {
	Name       string   `json:"name"`
	From       string   `json:"from"` // where its name was said: "debug group", "encoder label", "function", "scope", …; empty without a name
	Dispatches int      `json:"dispatches"`
	GPUNS      int64    `json:"gpu_ns"`
	MeanNS     int64    `json:"mean_ns"` // per dispatch
	Share      float64  `json:"share"`
	Source     string   `json:"source"` // of gpu_ns: "measured" or "estimated"
	Kernels    []string `json:"kernels"`
}

func (r *Report) operations(all []*kernels.Operation) {
	r.Operations = list(all, func(o *kernels.Operation) Operation {
		out := Operation{Name: o.Name, From: o.From.String(), Dispatches: o.Dispatches, GPUNS: int64(o.GPU), MeanNS: int64(o.GPU) / int64(max(1, o.Dispatches)),
			Share: o.Share, Source: kernels.Estimated, Kernels: o.Kernels}
		if o.Measured {
			out.Source = kernels.Measured
		}
		return out
	})
}

// KernelCell is the kernel that it ran, or how many.
func (o *Operation) KernelCell() string {
	if len(o.Kernels) == 1 {
		return cut(o.Kernels[0], widestOperation)
	}
	return fmt.Sprintf("%d kernels", len(o.Kernels))
}

func (r *Report) writeOperations(w *sheet) {
	if len(r.Operations) == 0 {
		return
	}
	head(w, "operations", "what the program calls the GPU's work")
	t := &table{heads: []string{"operation", "named by", "kernel", "gpu", "share", "dispatches", ""}, left: 3, most: w.rows(mostRows)}
	for _, o := range r.Operations {
		name := o.Name
		if name == "" {
			name = "(not named)"
		}
		t.add(name, o.From, o.KernelCell(), ns(o.GPUNS), analyze.FormatShare(o.Share), count(o.Dispatches), o.Source)
	}
	t.write(w)
}
